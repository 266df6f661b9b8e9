import { createFairLine } from '@tenure/process';

/** Starts requests: a few in each iteration of the event loop, round-robin by tenant. */
export interface StartQueue {
  /** Calls `begin` at once, or in a later iteration, when the tenant's queue is served. */
  readonly enter: (tenant: string, begin: () => void) => void;
}

export interface StartQueueOptions {
  /** Requests that start in one iteration of the event loop. */
  readonly perIteration: number;
  /** Runs the work after the event loop has polled every connection. */
  readonly later: (work: () => void) => void;
}

/**
 * Refusing a request costs time as well. Sixty-four connections of one tenant can each deliver a request in the same iteration
 * of the event loop. Work for other tenants would then run after all of them, at each step. So requests beyond the first few
 * of an iteration wait in a queue of their tenant, and the queues are served round-robin.
 */
export function createStartQueue({ perIteration, later }: StartQueueOptions): StartQueue {
  const waiting = createFairLine<() => void>(Infinity);
  let begun = 0;

  /** Counts a request of this iteration; the first one schedules the next iteration. */
  const count = (): void => {
    begun += 1;
    if (begun === 1) later(nextIteration);
  };

  const nextIteration = (): void => {
    begun = 0;
    while (begun < perIteration && waiting.length() > 0) {
      count();
      waiting.take()?.();
    }
  };

  return {
    enter: (tenant, begin) => {
      if (begun < perIteration && waiting.length() === 0) {
        count();
        begin();
        return;
      }
      waiting.add(tenant, begin);
    },
  };
}
