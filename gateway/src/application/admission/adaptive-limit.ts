/** A limit of the work in flight, in milliseconds of expected cost. It adapts to the waiting time of requests. */
export interface AdaptiveLimit {
  /** The current limit. */
  readonly current: () => number;
  /**
   * Records one request that a service answered.
   * @param waitMs milliseconds that it waited on the way and at the service: its duration without the work on it
   * @param isFull whether the limit was reached while it was in flight
   */
  readonly note: (waitMs: number, isFull: boolean) => void;
}

export interface AdaptiveLimitOptions {
  readonly min: number;
  readonly max: number;
  /** Acceptable waiting time in milliseconds while the limit is reached. */
  readonly targetMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** The limit changes at most once in this time, in milliseconds, by the shortest wait within it. */
const INTERVAL_MS = 100;
const DOWN = 0.85;
/** Increase of the limit for each interval in which it was reached and waits were short, as a fraction of the limit. */
const UP = 0.1;

/**
 * The limit falls when the shortest wait of an interval exceeds the target, which means that the queue is permanent. A burst,
 * in which some requests wait and others do not, leaves the limit unchanged. The limit rises while requests queue because of it.
 */
export function createAdaptiveLimit({
  min,
  max,
  targetMs,
  now,
}: AdaptiveLimitOptions): AdaptiveLimit {
  let limit = max / 4;
  let intervalEndsAt = now() + INTERVAL_MS;
  let leastWait = Infinity;
  let wasFull = false;

  const endInterval = (): void => {
    if (leastWait > targetMs) limit = Math.max(min, limit * DOWN);
    else if (wasFull) limit = Math.min(max, limit * (1 + UP));
    leastWait = Infinity;
    wasFull = false;
    intervalEndsAt = now() + INTERVAL_MS;
  };

  return {
    current: () => limit,
    note: (waitMs, isFull) => {
      leastWait = Math.min(leastWait, Math.max(0, waitMs));
      wasFull ||= isFull;
      if (now() >= intervalEndsAt) endInterval();
    },
  };
}
