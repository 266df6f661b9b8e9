import { LRUCache } from 'lru-cache';
import { type Permits } from '../../ports/permits.js';

/** Permits of this process alone, which can also be taken synchronously. */
export interface MemoryPermits extends Permits {
  readonly takeNow: (name: string, want: number) => number;
}

interface Bucket {
  available: number;
  filledAt: number;
}

const MAX_NAMES = 20_000;

/**
 * Token buckets in this process. The least recently used ones are evicted; an evicted bucket starts full again.
 * @param perSecond capacity of a bucket, and the number of permits by which it refills in a second
 * @param now milliseconds of a clock that never goes back
 */
export function createMemoryPermits(
  perSecond: number,
  now: () => number = () => performance.now(),
): MemoryPermits {
  const buckets = new LRUCache<string, Bucket>({ max: MAX_NAMES });
  const takeNow = (name: string, want: number): number => {
    const time = now();
    let bucket = buckets.get(name);
    if (bucket === undefined)
      buckets.set(name, (bucket = { available: perSecond, filledAt: time }));
    const filled = ((time - bucket.filledAt) / 1000) * perSecond;
    bucket.available = Math.min(perSecond, bucket.available + filled);
    bucket.filledAt = time;
    const taken = Math.min(want, Math.floor(bucket.available));
    bucket.available -= taken;
    return taken;
  };
  return { takeNow, take: (name, want) => Promise.resolve(takeNow(name, want)) };
}
