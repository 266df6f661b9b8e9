import { LRUCache } from 'lru-cache';

/** Requests of one kind that one tenant sends. */
export interface Sort {
  readonly kind: string;
  readonly tenant: string;
}

/** What a request is expected to cost. */
interface Expected {
  /** Milliseconds of work at the service that answers. */
  readonly cost: number;
  /**
   * Milliseconds of that work which others would find before them at any one moment: all of it for a request that only
   * computes, little for one that waits for a BMC most of its time.
   */
  readonly load: number;
}

/** What requests have lately cost. */
export interface CostBook {
  /**
   * The expected cost of the next request: as this tenant's of that kind, else as everybody's, at least 1 ms.
   * @param fallback for a kind that was not seen yet
   */
  readonly expected: (sort: Sort, fallback: number) => Expected;
  /**
   * Notes one request.
   * @param cost milliseconds of work
   * @param elapsedMs milliseconds for which the service had it; undefined where others were held back, for then every time is long
   */
  readonly note: (sort: Sort, cost: number, elapsedMs: number | undefined) => void;
}

/** Nothing is free: so many milliseconds are counted for the least of requests. */
const MIN_COST = 1;
/** No single sample counts for more: a service that was stopped for a minute tells nothing of its requests. */
const MAX_COST = 2000;
/** A new sample weighs this much. High costs are believed sooner than low ones. */
const RISE = 0.3;
const FALL = 0.1;
/** A longer time than the least weighs this much. */
const LEAST_RISE = 0.01;
const MAX_KINDS = 2000;
const MAX_SORTS = 20_000;

const within = (cost: number): number => Math.min(MAX_COST, Math.max(MIN_COST, cost));

/** Averages in which the last ten or so samples count. */
const createAverages = (max: number) => {
  const costs = new LRUCache<string, number>({ max });
  return {
    of: (name: string): number | undefined => costs.get(name),
    note: (name: string, sample: number): void => {
      const known = costs.get(name) ?? sample;
      costs.set(name, known + (sample - known) * (sample > known ? RISE : FALL));
    },
  };
};

/** The least times of kinds, which rise slowly: how long a request takes when nothing is before it. */
const createLeastTimes = (max: number) => {
  const times = new LRUCache<string, number>({ max });
  return {
    of: (name: string): number | undefined => times.get(name),
    note: (name: string, sample: number): void => {
      const known = times.get(name) ?? sample;
      times.set(name, sample < known ? sample : known + (sample - known) * LEAST_RISE);
    },
  };
};

const nameOf = ({ kind, tenant }: Sort): string => `${kind} ${tenant}`;

/** A book that is kept in this process. */
export const createCostBook = (): CostBook => {
  const ofKinds = createAverages(MAX_KINDS);
  const ofSorts = createAverages(MAX_SORTS);
  const leastTimes = createLeastTimes(MAX_KINDS);
  return {
    expected: (sort, fallback) => {
      const cost = ofSorts.of(nameOf(sort)) ?? ofKinds.of(sort.kind) ?? within(fallback);
      const time = Math.max(cost, leastTimes.of(sort.kind) ?? cost);
      return { cost, load: (cost * cost) / time };
    },
    note: (sort, cost, elapsedMs) => {
      const sample = within(cost);
      if (elapsedMs !== undefined) leastTimes.note(sort.kind, elapsedMs);
      ofKinds.note(sort.kind, sample);
      ofSorts.note(nameOf(sort), sample);
    },
  };
};
