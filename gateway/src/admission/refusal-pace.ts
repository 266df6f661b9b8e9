import { LRUCache } from 'lru-cache';

/** How long an answer to a tenant that is refused again and again is delayed. */
export interface RefusalPace {
  /** @returns milliseconds until the next refusal of the tenant is sent; 0 unless there were many of late */
  readonly delayOf: (tenant: string) => number;
}

export interface RefusalPaceOptions {
  /** Refusals that are sent at once after a pause. */
  readonly burst: number;
  /** Refusals a second after that. */
  readonly perSecond: number;
  /** Milliseconds: the longest delay, whatever is asked. */
  readonly maxDelayMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

const MAX_TENANTS = 20_000;

/**
 * A client that repeats a refused request at once makes refusals the gateway's main work. The first refusals of a tenant are
 * sent at once, as many as a client has connections that honours `Retry-After`. Those beyond come at a steady rate.
 */
export const createRefusalPace = ({
  burst,
  perSecond,
  maxDelayMs,
  now = () => performance.now(),
}: RefusalPaceOptions): RefusalPace => {
  const gapMs = 1000 / perSecond;
  const free = burst * gapMs;
  /** When the refusals of a tenant so far would have been sent at the steady rate. */
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
};
