/** A bounded queue that serves tenants round-robin. */
export interface FairLine<T> {
  readonly length: () => number;
  /**
   * Appends an item to its tenant's queue.
   * @returns the item that was dropped: the last of the longest queue when the capacity is exceeded, possibly the new one
   */
  readonly add: (tenant: string, one: T) => T | undefined;
  /** Removes and returns the first item of the next tenant. */
  readonly take: () => T | undefined;
  /** Removes an item from any position. */
  readonly remove: (tenant: string, one: T) => void;
}

/** @param capacity maximum of items of all tenants together */
export function createFairLine<T>(capacity: number): FairLine<T> {
  // In the order of service: a served tenant moves to the end.
  const lines = new Map<string, T[]>();
  let length = 0;

  const longest = (): [string, T[]] | undefined => {
    let found: [string, T[]] | undefined;
    for (const entry of lines)
      if (found === undefined || entry[1].length > found[1].length) found = entry;
    return found;
  };
  const dropLast = (): T | undefined => {
    const [tenant, line] = longest() ?? [];
    if (tenant === undefined || line === undefined) return undefined;
    length -= 1;
    const last = line.pop();
    if (line.length === 0) lines.delete(tenant);
    return last;
  };

  return {
    length: () => length,
    add: (tenant, one) => {
      const line = lines.get(tenant);
      if (line === undefined) lines.set(tenant, [one]);
      else line.push(one);
      length += 1;
      return length > capacity ? dropLast() : undefined;
    },
    take: () => {
      const [next] = lines;
      if (next === undefined) return undefined;
      const [tenant, line] = next;
      lines.delete(tenant);
      const one = line.shift();
      if (line.length > 0) lines.set(tenant, line);
      length -= 1;
      return one;
    },
    remove: (tenant, one) => {
      const line = lines.get(tenant) ?? [];
      const at = line.indexOf(one);
      if (at === -1) return;
      line.splice(at, 1);
      length -= 1;
      if (line.length === 0) lines.delete(tenant);
    },
  };
}
