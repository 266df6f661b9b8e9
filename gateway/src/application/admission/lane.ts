/** Estimates for one request. */
export interface Estimate {
  /** Milliseconds of work, charged to its tenant. */
  readonly cost: number;
  /** Average work in flight at any moment, in milliseconds. */
  readonly load: number;
}

/** A queued request and its callback. */
export interface Waiting<A> extends Estimate {
  readonly answer: (answer: A) => void;
}

/** The requests of one tenant in one lane. */
export interface Line<A> {
  readonly tenant: string;
  readonly waiting: Waiting<A>[];
  /** Virtual time up to which the tenant has used its share. */
  servedTo: number;
  inFlight: number;
  /** Those in flight that are not set aside, and their expected load in milliseconds. */
  readonly counted: { requests: number; load: number };
}

/** Requests of one class, ordered by start-time fair queueing over tenants and costs. */
export interface Lane<A> {
  /** The line of a tenant. {@link Lane.leave} and {@link Lane.remove} remove it. */
  readonly lineOf: (tenant: string) => Line<A>;
  readonly join: (line: Line<A>, waiting: Waiting<A>) => void;
  /** Removes a queued request. @returns whether it was still queued */
  readonly remove: (line: Line<A>, waiting: Waiting<A>) => boolean;
  /** Removes and returns the next request of a line that may have another one in flight. */
  readonly shift: () => readonly [Line<A>, Waiting<A>] | undefined;
  /** Starts a request of a line. */
  readonly enter: (line: Line<A>, estimate: Estimate) => void;
  /** Stops counting the load of a stuck request, which stays in its line. */
  readonly setAside: (line: Line<A>, estimate: Estimate) => void;
  /** Ends a request with its actual cost. @param isSetAside whether it was set aside */
  readonly leave: (
    line: Line<A>,
    estimate: Estimate,
    end: { actual: number; isSetAside: boolean },
  ) => void;
  /** Whether the load of the tenant allows one more request in flight. A tenant without requests in flight always may have one. */
  readonly mayEnter: (line: Line<A>, estimate: Estimate) => boolean;
  readonly counts: () => Readonly<Counts>;
}

/** Counters of a lane. */
interface Counts {
  waiting: number;
  inFlight: number;
  /** Expected load of the requests in flight, in milliseconds. */
  load: number;
  /** Stuck requests. */
  setAside: number;
}

const MAX_LINES = 4096;

/** @param maxOwnLoad maximum expected load in flight of one tenant, in milliseconds */
export function createLane<A>(maxOwnLoad: number): Lane<A> {
  const lines = new Map<string, Line<A>>();
  const counts: Counts = { waiting: 0, inFlight: 0, load: 0, setAside: 0 };
  /** Virtual time: the start time of the request that was admitted last. */
  let time = 0;

  const mayEnter: Lane<A>['mayEnter'] = ({ counted }, { load }) =>
    counted.requests === 0 || counted.load + load <= maxOwnLoad;

  // A tenant whose idle line is removed starts at most one request too early.
  const forgetIdle = (line: Line<A>): void => {
    if (counts.inFlight === 0 && counts.waiting === 0 && counts.setAside === 0) {
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
      const line = lines.get(tenant) ?? newLine<A>(tenant, time);
      lines.set(tenant, line);
      return line;
    },
    join: (line, one) => {
      line.waiting.push(one);
      counts.waiting += 1;
    },
    remove: (line, one) => {
      const wasWaiting = removeFrom(line, one);
      if (wasWaiting) counts.waiting -= 1;
      forgetIdle(line);
      return wasWaiting;
    },
    shift: () => {
      const line = nextOf(lines, mayEnter);
      const one = line?.waiting.shift();
      if (line === undefined || one === undefined) return undefined;
      counts.waiting -= 1;
      return [line, one];
    },
    enter: (line, estimate) => {
      time = Math.max(time, line.servedTo);
      line.servedTo = time + estimate.cost;
      line.inFlight += 1;
      countIn(counts, line, estimate);
    },
    setAside: (line, estimate) => {
      countOut(counts, line, estimate);
      counts.setAside += 1;
    },
    leave: (line, estimate, { actual, isSetAside }) => {
      line.servedTo += actual - estimate.cost;
      line.inFlight -= 1;
      if (isSetAside) counts.setAside -= 1;
      else countOut(counts, line, estimate);
      forgetIdle(line);
    },
    mayEnter,
    counts: () => counts,
  };
}

const isIdle = ({ waiting, inFlight }: Line<never>): boolean =>
  waiting.length === 0 && inFlight === 0;

const newLine = <A>(tenant: string, servedTo: number): Line<A> => ({
  tenant,
  waiting: [],
  servedTo,
  inFlight: 0,
  counted: { requests: 0, load: 0 },
});

/** @returns whether it was there */
function removeFrom<A>({ waiting }: Line<A>, one: Waiting<A>): boolean {
  const at = waiting.indexOf(one);
  if (at !== -1) waiting.splice(at, 1);
  return at !== -1;
}

/** Of the lines whose first request may enter, the one that has been served least. */
function nextOf<A>(
  lines: ReadonlyMap<string, Line<A>>,
  mayEnter: Lane<A>['mayEnter'],
): Line<A> | undefined {
  let next: Line<A> | undefined;
  for (const line of lines.values()) {
    const [first] = line.waiting;
    if (first === undefined || !mayEnter(line, first)) continue;
    if (next === undefined || line.servedTo < next.servedTo) next = line;
  }
  return next;
}

function countIn(counts: Counts, { counted }: Line<never>, estimate: Estimate): void {
  counts.inFlight += 1;
  counts.load += estimate.load;
  counted.requests += 1;
  counted.load += estimate.load;
}

function countOut(counts: Counts, { counted }: Line<never>, estimate: Estimate): void {
  counts.inFlight -= 1;
  counts.load -= estimate.load;
  counted.requests -= 1;
  // Removes the rounding error of the sum.
  counted.load = counted.requests === 0 ? 0 : counted.load - estimate.load;
}
