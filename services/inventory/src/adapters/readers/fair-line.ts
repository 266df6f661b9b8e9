/** A bounded line in which tenants take turns. */
export interface FairLine<T> {
  readonly length: () => number;
  /**
   * Adds one at the end of its tenant's line.
   * @returns the one that has no place: the last of the longest line when all are full, be it the new one or not
   */
  readonly add: (tenant: string, one: T) => T | undefined;
  /** Takes the first of the tenant whose turn it is. */
  readonly take: () => T | undefined;
  /** Takes one out wherever it stands. */
  readonly remove: (tenant: string, one: T) => void;
}

/** @param capacity how many may wait, of all tenants together */
export const createFairLine = <T>(capacity: number): FairLine<T> => {
  // In the order of turns: whoever had one goes to the end.
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
};
