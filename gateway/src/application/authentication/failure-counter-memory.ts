import { type FailureCounter } from '@tenure/shared-state';
import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;
const MAX_NAMES = 20_000;

/** Counts in this process. The window of a name begins with its first failure. */
export function createMemoryFailures(): FailureCounter {
  const counts = new LRUCache<string, { failures: number }>({ max: MAX_NAMES, ttl: WINDOW_MS });
  return {
    count: (name) => Promise.resolve(counts.get(name)?.failures ?? 0),
    add: (name) => {
      const count = counts.get(name);
      if (count === undefined) counts.set(name, { failures: 1 });
      else count.failures += 1;
      return Promise.resolve();
    },
  };
}
