import { performance } from 'node:perf_hooks';

/** What one request took of this process, in milliseconds. */
export interface Spent {
  /** From its beginning to now. */
  readonly elapsedMs: number;
  /** Its part of the time in which the process worked. */
  readonly activeMs: number;
}

/** Attributes the time in which the event loop works to the requests that are under way. */
export interface WorkMeter {
  /** Begins to measure a request. */
  readonly began: () => {
    /** What it took up to now. */
    readonly spent: () => Spent;
    /** Ends the measurement, once. */
    readonly ended: () => void;
  };
}

const loopActiveMs = (): number => performance.eventLoopUtilization().active;

/**
 * Requests that are under way together share the work of that time in equal parts: a request that waits for hardware or a
 * database costs next to nothing, and the sum over all requests is the work that was done.
 * @param activeMs milliseconds in which the process has worked so far
 * @param now milliseconds of a clock that never goes back
 */
export const createWorkMeter = (
  activeMs: () => number = loopActiveMs,
  now: () => number = () => performance.now(),
): WorkMeter => {
  let underWay = 0;
  /** The work, up to now, of a request that would have been under way from the beginning. */
  let share = 0;
  let seenActive = activeMs();
  const settle = (): number => {
    const active = activeMs();
    share += (active - seenActive) / Math.max(1, underWay);
    seenActive = active;
    return share;
  };
  return {
    began: () => {
      const shareBefore = settle();
      const startedAt = now();
      underWay += 1;
      let isEnded = false;
      return {
        spent: () => ({ elapsedMs: now() - startedAt, activeMs: settle() - shareBefore }),
        ended: () => {
          if (isEnded) return;
          isEnded = true;
          settle();
          underWay -= 1;
        },
      };
    },
  };
};
