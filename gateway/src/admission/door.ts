/** Where requests are begun: a few at each turn of the event loop, and of each tenant one after the other. */
export interface Door {
  /** Calls `begin` at once, or when it is the tenant's turn. */
  readonly enter: (tenant: string, begin: () => void) => void;
}

export interface DoorOptions {
  /** Requests that are begun in one turn of the event loop. */
  readonly perTurn: number;
  /** Calls once the event loop has looked at every connection. */
  readonly later: (work: () => void) => void;
}

type Begin = () => void;

/**
 * To refuse a request is work, too. Of sixty-four connections of one tenant all may have a request at the same turn of the
 * event loop; what somebody else waits for would then come after all of them, at each step of its way. So requests beyond
 * the first few of a turn wait in a line of their tenant, and the lines take turns.
 */
export const createDoor = ({ perTurn, later }: DoorOptions): Door => {
  const lines = new Map<string, Begin[]>();
  let begun = 0;

  const beginNext = (): void => {
    const [first] = lines;
    if (first === undefined) return;
    const [tenant, line] = first;
    const begin = line.shift();
    lines.delete(tenant);
    if (line.length > 0) lines.set(tenant, line);
    begin?.();
  };

  /** Counts a request of this turn; the first sees to it that there is a next turn. */
  const count = (): void => {
    begun += 1;
    if (begun === 1) later(nextTurn);
  };

  const nextTurn = (): void => {
    begun = 0;
    while (begun < perTurn && lines.size > 0) {
      count();
      beginNext();
    }
  };

  return {
    enter: (tenant, begin) => {
      if (begun < perTurn && lines.size === 0) {
        count();
        begin();
        return;
      }
      const line = lines.get(tenant) ?? [];
      line.push(begin);
      lines.set(tenant, line);
    },
  };
};
