/** What waits in a lane, and how it is answered. */
export interface Waiting<A> {
  readonly cost: number;
  readonly answer: (answer: A) => void;
}

/** The requests of one tenant in one lane, and where its turn is. */
export interface Line<A> {
  readonly tenant: string;
  readonly waiting: Waiting<A>[];
  /** Virtual time up to which the tenant has had its share. */
  servedTo: number;
  underWay: number;
}

/** Requests of one class: whose turn it is follows from start-time fair queueing by tenant and cost. */
export interface Lane<A> {
  /** The line of a tenant, which is forgotten by {@link Lane.leave} and {@link Lane.giveUp}. */
  readonly lineOf: (tenant: string) => Line<A>;
  readonly join: (line: Line<A>, waiting: Waiting<A>) => void;
  /** @returns whether it still waited */
  readonly giveUp: (line: Line<A>, waiting: Waiting<A>) => boolean;
  /** Takes out the request whose turn it is. */
  readonly shift: () => readonly [Line<A>, Waiting<A>] | undefined;
  /** A request of a line is let through. */
  readonly enter: (line: Line<A>, cost: number) => void;
  /** It ended, and cost what it cost. */
  readonly leave: (line: Line<A>, expected: number, actual: number) => void;
  readonly counts: () => {
    readonly waiting: number;
    readonly underWay: number;
    /** Expected cost of what is under way. */
    readonly cost: number;
  };
}

const MAX_LINES = 4096;

const isIdle = ({ waiting, underWay }: Line<never>): boolean =>
  waiting.length === 0 && underWay === 0;

/** Of the lines in which somebody waits, the one that has had least. */
const nextOf = <A>(lines: ReadonlyMap<string, Line<A>>): Line<A> | undefined => {
  let next: Line<A> | undefined;
  for (const line of lines.values())
    if (line.waiting.length > 0 && (next === undefined || line.servedTo < next.servedTo))
      next = line;
  return next;
};

export const createLane = <A>(): Lane<A> => {
  const lines = new Map<string, Line<A>>();
  let waiting = 0;
  let underWay = 0;
  let cost = 0;
  /** Virtual time: the turn of the request let through last. */
  let time = 0;

  // What is forgotten with an idle line is at most one turn that would have come later.
  const forgetIdle = (line: Line<A>): void => {
    if (underWay === 0 && waiting === 0) {
      lines.clear();
      cost = 0;
    } else if (isIdle(line) && line.servedTo <= time) {
      lines.delete(line.tenant);
    } else if (lines.size > MAX_LINES) {
      for (const one of lines.values()) if (isIdle(one)) lines.delete(one.tenant);
    }
  };

  return {
    lineOf: (tenant) => {
      const line = lines.get(tenant) ?? { tenant, waiting: [], servedTo: time, underWay: 0 };
      lines.set(tenant, line);
      return line;
    },
    join: (line, one) => {
      line.waiting.push(one);
      waiting += 1;
    },
    giveUp: (line, one) => {
      const at = line.waiting.indexOf(one);
      if (at !== -1) {
        line.waiting.splice(at, 1);
        waiting -= 1;
      }
      forgetIdle(line);
      return at !== -1;
    },
    shift: () => {
      const line = nextOf(lines);
      const one = line?.waiting.shift();
      if (line === undefined || one === undefined) return undefined;
      waiting -= 1;
      return [line, one];
    },
    enter: (line, expected) => {
      time = Math.max(time, line.servedTo);
      line.servedTo = time + expected;
      line.underWay += 1;
      underWay += 1;
      cost += expected;
    },
    leave: (line, expected, actual) => {
      line.servedTo += actual - expected;
      line.underWay -= 1;
      underWay -= 1;
      cost -= expected;
      forgetIdle(line);
    },
    counts: () => ({ waiting, underWay, cost }),
  };
};
