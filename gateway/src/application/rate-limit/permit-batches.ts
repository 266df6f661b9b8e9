import { LRUCache } from 'lru-cache';
import { type SharedPermits } from './shared-permits.js';

/** Takes shared permits in batches ahead of demand, so that requests rarely wait for the shared store. */
export interface PermitBatches {
  /**
   * Spends one permit of a name.
   * @returns whether there was one. Also true while the shared permits are unavailable: then the caller must limit by itself.
   *   A promise only when more than a batch is needed at once; it takes a few hundred milliseconds at most.
   */
  readonly spend: (name: string) => boolean | Promise<boolean>;
}

interface Batch {
  /** Permits left; below zero: the number of permits that were spent in advance. */
  balance: number;
  /** Time at which the remaining permits expire: the bucket is full again then, and other replicas may have taken them. */
  expiresAt: number;
  /** Earliest time of the next request for permits after the bucket could not grant all. */
  retryAt: number;
  waiting: number;
  refilling: Promise<void> | undefined;
}

const MAX_NAMES = 20_000;
const BATCHES_PER_SECOND = 20;
const LIFETIME_MS = 1000;
const RETRY_MS = 20;
const MAX_ROUNDS = 3;

/**
 * A batch has a twentieth of the permits of a second, and is requested before the previous one is used up. A name without a
 * batch may spend at most one batch in advance; its next batch pays for that first. So all replicas together exceed the limit
 * by at most one batch for each replica.
 * @param now milliseconds of a clock that never goes back
 */
export function createPermitBatches(
  shared: SharedPermits,
  perSecond: number,
  now: () => number,
): PermitBatches {
  const size = Math.max(1, Math.floor(perSecond / BATCHES_PER_SECOND));
  const batches = new LRUCache<string, Batch>({ max: MAX_NAMES });

  const batchOf = (name: string): Batch => {
    let batch = batches.get(name);
    if (batch === undefined) {
      batch = { balance: 0, expiresAt: 0, retryAt: 0, waiting: 0, refilling: undefined };
      batches.set(name, batch);
    }
    if (batch.balance > 0 && batch.expiresAt <= now()) batch.balance = 0;
    return batch;
  };

  const takeBatch = async (name: string, batch: Batch): Promise<void> => {
    const want = size - batch.balance + batch.waiting;
    const granted = await shared.take(name, want);
    batch.refilling = undefined;
    if (granted === undefined) return;
    batch.balance += granted;
    batch.expiresAt = now() + LIFETIME_MS;
    if (granted < want) batch.retryAt = now() + RETRY_MS;
  };
  const refill = (name: string, batch: Batch): Promise<void> =>
    (batch.refilling ??= takeBatch(name, batch));

  const spendFrom = (batch: Batch): boolean => {
    if (batch.balance <= -size) return false;
    batch.balance -= 1;
    return true;
  };

  const wait = async (name: string, batch: Batch): Promise<boolean> => {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      batch.waiting += 1;
      await refill(name, batch);
      batch.waiting -= 1;
      if (!shared.isUsable() || spendFrom(batch)) return true;
      if (now() < batch.retryAt) return false;
    }
    return false;
  };

  return {
    spend: (name) => {
      const batch = batchOf(name);
      if (!shared.isUsable()) {
        void refill(name, batch);
        return true;
      }
      const mayRetry = now() >= batch.retryAt;
      if (!spendFrom(batch))
        return (mayRetry || batch.refilling !== undefined) && wait(name, batch);
      if (mayRetry && batch.balance < size / 2) void refill(name, batch);
      return true;
    },
  };
}
