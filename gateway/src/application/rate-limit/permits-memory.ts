import { LRUCache } from 'lru-cache';
import { type Permits } from '../../ports/permits.js';

/** Permits of this process alone, which can also be taken without waiting. */
export interface MemoryPermits extends Permits {
  readonly takeNow: (name: string, want: number) => number;
}

interface Bucket {
  held: number;
  filledAt: number;
}

const MAX_NAMES = 20_000;

/**
 * Buckets in this process. Those of the names least recently seen are forgotten, and are full when they come again.
 * @param perSecond how many permits a bucket holds, and by how many it fills up in a second
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
    if (bucket === undefined) buckets.set(name, (bucket = { held: perSecond, filledAt: time }));
    const filled = ((time - bucket.filledAt) / 1000) * perSecond;
    bucket.held = Math.min(perSecond, bucket.held + filled);
    bucket.filledAt = time;
    const taken = Math.min(want, Math.floor(bucket.held));
    bucket.held -= taken;
    return taken;
  };
  return { takeNow, take: (name, want) => Promise.resolve(takeNow(name, want)) };
}
