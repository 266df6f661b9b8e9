import { LRUCache } from 'lru-cache';

/** Requests of one kind that one tenant sends. */
export interface Sort {
  readonly kind: string;
  readonly tenant: string;
}

/** What requests have lately cost. Costs are milliseconds of work at the service that answered. */
export interface CostBook {
  /**
   * The expected cost of the next request: as this tenant's of that kind, else as everybody's, at least 1 ms.
   * @param fallback for a kind that was not seen yet
   */
  readonly expected: (sort: Sort, fallback: number) => number;
  /** Notes what one request did cost. */
  readonly note: (sort: Sort, cost: number) => void;
}

/** Nothing is free: so many milliseconds are counted for the least of requests. */
const MIN_COST = 1;
/** No single sample counts for more: a service that was stopped for a minute tells nothing of its requests. */
const MAX_COST = 2000;
/** A new sample weighs this much. High costs are believed sooner than low ones. */
const RISE = 0.3;
const FALL = 0.1;
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

const nameOf = ({ kind, tenant }: Sort): string => `${kind} ${tenant}`;

/** A book that is kept in this process. */
export const createCostBook = (): CostBook => {
  const ofKinds = createAverages(MAX_KINDS);
  const ofSorts = createAverages(MAX_SORTS);
  return {
    expected: (sort, fallback) =>
      ofSorts.of(nameOf(sort)) ?? ofKinds.of(sort.kind) ?? within(fallback),
    note: (sort, cost) => {
      const sample = within(cost);
      ofKinds.note(sort.kind, sample);
      ofSorts.note(nameOf(sort), sample);
    },
  };
};
