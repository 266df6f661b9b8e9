import { performance } from 'node:perf_hooks';

/** Time and work of one request in this process, in milliseconds. */
export interface Spent {
  /** Time since its start. */
  readonly elapsedMs: number;
  /** Its part of the time for which the event loop was active. */
  readonly activeMs: number;
}

/** Attributes the active time of the event loop to the requests in flight. */
export interface WorkMeter {
  /** Starts to measure a request. */
  readonly began: () => {
    /** Time and work up to now. */
    readonly spent: () => Spent;
    /** Ends the measurement, once. */
    readonly ended: () => void;
  };
}

/**
 * Concurrent requests share the active time in equal parts. A request that waits for hardware or a database costs next to
 * nothing, and the sum over all requests is the whole work.
 * @param activeMs milliseconds for which the process was active so far
 * @param now milliseconds of a monotonic clock
 */
export function createWorkMeter(
  activeMs: () => number = loopActiveMs,
  now: () => number = () => performance.now(),
): WorkMeter {
  let underWay = 0;
  /** The work, up to now, of a hypothetical request that started with the process. */
  let share = 0;
  let seenActive = activeMs();
  const accrue = (): number => {
    const active = activeMs();
    share += (active - seenActive) / Math.max(1, underWay);
    seenActive = active;
    return share;
  };
  return {
    began: () => {
      const shareBefore = accrue();
      const startedAt = now();
      underWay += 1;
      let isEnded = false;
      return {
        spent: () => ({ elapsedMs: now() - startedAt, activeMs: accrue() - shareBefore }),
        ended: () => {
          if (isEnded) return;
          isEnded = true;
          accrue();
          underWay -= 1;
        },
      };
    },
  };
}

const loopActiveMs = (): number => performance.eventLoopUtilization().active;
