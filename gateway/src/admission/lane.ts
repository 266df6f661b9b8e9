/** What a request takes. */
export interface Takes {
  /** Milliseconds of work: what its tenant is charged. */
  readonly cost: number;
  /** Milliseconds of that work which are under way at any one moment. */
  readonly load: number;
}

/** What waits in a lane, and how it is answered. */
export interface Waiting<A> extends Takes {
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
  readonly enter: (line: Line<A>, takes: Takes) => void;
  /** It is stuck: it stays with its line, and holds nobody back any more. */
  readonly setAside: (takes: Takes) => void;
  /** It ended, and cost what it cost. @param isSetAside whether it was */
  readonly leave: (
    line: Line<A>,
    takes: Takes,
    end: { actual: number; isSetAside: boolean },
  ) => void;
  readonly counts: () => Readonly<Counts>;
}

/** What is in a lane. */
interface Counts {
  waiting: number;
  underWay: number;
  /** Expected load of what is under way, in milliseconds. */
  load: number;
  /** Stuck requests. */
  setAside: number;
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

const countIn = (counts: Counts, takes: Takes): void => {
  counts.underWay += 1;
  counts.load += takes.load;
};

const countOut = (counts: Counts, takes: Takes): void => {
  counts.underWay -= 1;
  counts.load -= takes.load;
};

export const createLane = <A>(): Lane<A> => {
  const lines = new Map<string, Line<A>>();
  const counts: Counts = { waiting: 0, underWay: 0, load: 0, setAside: 0 };
  /** Virtual time: the turn of the request let through last. */
  let time = 0;

  // What is forgotten with an idle line is at most one turn that would have come later.
  const forgetIdle = (line: Line<A>): void => {
    if (counts.underWay === 0 && counts.waiting === 0 && counts.setAside === 0) {
      lines.clear();
      counts.load = 0;
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
      counts.waiting += 1;
    },
    giveUp: (line, one) => {
      const at = line.waiting.indexOf(one);
      if (at !== -1) {
        line.waiting.splice(at, 1);
        counts.waiting -= 1;
      }
      forgetIdle(line);
      return at !== -1;
    },
    shift: () => {
      const line = nextOf(lines);
      const one = line?.waiting.shift();
      if (line === undefined || one === undefined) return undefined;
      counts.waiting -= 1;
      return [line, one];
    },
    enter: (line, takes) => {
      time = Math.max(time, line.servedTo);
      line.servedTo = time + takes.cost;
      line.underWay += 1;
      countIn(counts, takes);
    },
    setAside: (takes) => {
      countOut(counts, takes);
      counts.setAside += 1;
    },
    leave: (line, takes, { actual, isSetAside }) => {
      line.servedTo += actual - takes.cost;
      line.underWay -= 1;
      if (isSetAside) counts.setAside -= 1;
      else countOut(counts, takes);
      forgetIdle(line);
    },
    counts: () => counts,
  };
};
