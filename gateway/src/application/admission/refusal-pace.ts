import { LRUCache } from 'lru-cache';

/** Delays refusals of a tenant that repeats refused requests without a pause. */
export interface RefusalPace {
  /** @returns milliseconds to wait before the next refusal of the tenant; 0 unless there were many recently */
  readonly delayOf: (tenant: string) => number;
}

export interface RefusalPaceOptions {
  /** Refusals without a delay after a pause. */
  readonly burst: number;
  /** Refusals per second after the burst. */
  readonly perSecond: number;
  /** Maximum delay in milliseconds. */
  readonly maxDelayMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

const MAX_TENANTS = 20_000;

/**
 * Without a delay, 64 connections that repeat refused requests cause 1,800 refusals a second, which keeps the gateway from
 * other requests. A client that waits for `Retry-After` stays within the burst.
 */
export function createRefusalPace({
  burst,
  perSecond,
  maxDelayMs,
  now = () => performance.now(),
}: RefusalPaceOptions): RefusalPace {
  const gapMs = 1000 / perSecond;
  const free = burst * gapMs;
  /** By tenant: the time at which its refusals so far would have been sent at the steady rate. */
  const paidUntil = new LRUCache<string, number>({ max: MAX_TENANTS });
  return {
    delayOf: (tenant) => {
      const time = now();
      const from = Math.max(time, paidUntil.get(tenant) ?? 0);
      const until = Math.min(from + gapMs, time + free + maxDelayMs);
      paidUntil.set(tenant, until);
      return Math.max(0, until - time - free);
    },
  };
}
