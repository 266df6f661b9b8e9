/** How much work may be under way at once, in milliseconds of expected cost. Learnt from how long requests wait. */
export interface AdaptiveLimit {
  /** The limit now. */
  readonly current: () => number;
  /**
   * Notes one request that a service answered.
   * @param waitMs milliseconds that it waited on the way and at the service: what it took, without the work on it
   * @param isFull whether the limit was reached while it was under way
   */
  readonly note: (waitMs: number, isFull: boolean) => void;
}

export interface AdaptiveLimitOptions {
  readonly min: number;
  readonly max: number;
  /** Milliseconds of waiting that are well while the limit is reached. */
  readonly targetMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** Milliseconds in which the least wait of any request is looked for, before the limit changes again. */
const INTERVAL_MS = 100;
const DOWN = 0.85;
/** Added for each interval in which the limit was reached and nobody waited long, as a share of the limit. */
const UP = 0.1;

/**
 * A limit that falls when even the luckiest request of an interval waited longer than the target: a queue that stands.
 * A burst, in which some requests wait and others do not, changes nothing. It rises while it is what holds requests back.
 */
export const createAdaptiveLimit = ({
  min,
  max,
  targetMs,
  now,
}: AdaptiveLimitOptions): AdaptiveLimit => {
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
};
