import { LRUCache } from 'lru-cache';
import { type SharedPermits } from './shared-permits.js';

/** Spends shared permits out of what was taken beforehand, so that hardly a request waits for those who share them. */
export interface Leases {
  /**
   * Spends one permit of a name.
   * @returns whether there was one; true as well while the shared permits cannot be had, which is for the caller to look after.
   *   A promise only where more than a lease is wanted at once; it takes a few hundred milliseconds at the worst.
   */
  readonly spend: (name: string) => boolean | Promise<boolean>;
}

interface Lease {
  /** Permits in hand; below zero: requests let through whose permits are still to be taken. */
  balance: number;
  /** What is in hand then is given up: others may have taken it meanwhile, for the bucket was full again. */
  goodUntil: number;
  /** Not before then is a bucket asked again that did not have as much as was wanted. */
  askAgainAt: number;
  waiting: number;
  asking: Promise<void> | undefined;
}

const MAX_NAMES = 20_000;
const LEASES_PER_SECOND = 20;
const GOOD_MS = 1000;
const PAUSE_MS = 20;
const MAX_TURNS = 3;

/**
 * Takes a twentieth of a second's permits at a time, before the last ones are spent. A name that was not seen lately goes ahead
 * by that much at most; what it went ahead is taken first. So all replicas together let no more through than the limit,
 * but for that twentieth for each replica.
 * @param now milliseconds of a clock that never goes back
 */
export function createLeases(shared: SharedPermits, perSecond: number, now: () => number): Leases {
  const size = Math.max(1, Math.floor(perSecond / LEASES_PER_SECOND));
  const leases = new LRUCache<string, Lease>({ max: MAX_NAMES });

  const leaseOf = (name: string): Lease => {
    let lease = leases.get(name);
    if (lease === undefined) {
      lease = { balance: 0, goodUntil: 0, askAgainAt: 0, waiting: 0, asking: undefined };
      leases.set(name, lease);
    }
    if (lease.balance > 0 && lease.goodUntil <= now()) lease.balance = 0;
    return lease;
  };

  const ask = async (name: string, lease: Lease): Promise<void> => {
    const want = size - lease.balance + lease.waiting;
    const granted = await shared.take(name, want);
    lease.asking = undefined;
    if (granted === undefined) return;
    lease.balance += granted;
    lease.goodUntil = now() + GOOD_MS;
    if (granted < want) lease.askAgainAt = now() + PAUSE_MS;
  };
  const refill = (name: string, lease: Lease): Promise<void> => (lease.asking ??= ask(name, lease));

  const spendFrom = (lease: Lease): boolean => {
    if (lease.balance <= -size) return false;
    lease.balance -= 1;
    return true;
  };

  const wait = async (name: string, lease: Lease): Promise<boolean> => {
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      lease.waiting += 1;
      await refill(name, lease);
      lease.waiting -= 1;
      if (!shared.isUsable() || spendFrom(lease)) return true;
      if (now() < lease.askAgainAt) return false;
    }
    return false;
  };

  return {
    spend: (name) => {
      const lease = leaseOf(name);
      if (!shared.isUsable()) {
        void refill(name, lease);
        return true;
      }
      const mayAsk = now() >= lease.askAgainAt;
      if (!spendFrom(lease)) return (mayAsk || lease.asking !== undefined) && wait(name, lease);
      if (mayAsk && lease.balance < size / 2) void refill(name, lease);
      return true;
    },
  };
}
