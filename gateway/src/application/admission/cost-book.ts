import { LRUCache } from 'lru-cache';

/** Requests of one kind from one tenant. */
export interface Sort {
  readonly kind: string;
  readonly tenant: string;
}

/** Estimates for the next request. */
interface Expected {
  /** Milliseconds of work at the service that answers it. */
  readonly cost: number;
  /**
   * Average work of the request in flight at any moment, in milliseconds: equal to the cost for a request that only computes,
   * small for one that mostly waits for a BMC.
   */
  readonly load: number;
}

/** Costs of recent requests. */
export interface CostBook {
  /**
   * The expected cost of the next request: that of this tenant and kind, else that of the kind, at least 1 ms.
   * @param fallback for a kind without samples
   */
  readonly expected: (sort: Sort, fallback: number) => Expected;
  /**
   * Records one request.
   * @param cost milliseconds of work
   * @param elapsedMs milliseconds for which the service had it; undefined while requests queue, when every duration is long
   */
  readonly note: (sort: Sort, cost: number, elapsedMs: number | undefined) => void;
}

/** Minimum cost of a request, in milliseconds. */
const MIN_COST = 1;
/** Maximum of one sample: a service that was suspended for a minute says nothing about the cost of its requests. */
const MAX_COST = 2000;
/** Weight of a new sample. The average rises faster than it falls. */
const RISE = 0.3;
const FALL = 0.1;
/** Weight of a sample that is longer than the minimum. */
const LEAST_RISE = 0.01;
const MAX_KINDS = 2000;
const MAX_SORTS = 20_000;

/** Creates a cost book in the memory of this process. */
export function createCostBook(): CostBook {
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
}

/** Moving averages over the last ten or so samples. */
function createAverages(max: number) {
  const costs = new LRUCache<string, number>({ max });
  return {
    of: (name: string): number | undefined => costs.get(name),
    note: (name: string, sample: number): void => {
      const previous = costs.get(name) ?? sample;
      costs.set(name, previous + (sample - previous) * (sample > previous ? RISE : FALL));
    },
  };
}

/** Shortest durations by kind, which rise slowly: the duration of a request that waits for no other. */
function createLeastTimes(max: number) {
  const times = new LRUCache<string, number>({ max });
  return {
    of: (name: string): number | undefined => times.get(name),
    note: (name: string, sample: number): void => {
      const previous = times.get(name) ?? sample;
      times.set(name, sample < previous ? sample : previous + (sample - previous) * LEAST_RISE);
    },
  };
}

const nameOf = ({ kind, tenant }: Sort): string => `${kind} ${tenant}`;

const within = (cost: number): number => Math.min(MAX_COST, Math.max(MIN_COST, cost));
