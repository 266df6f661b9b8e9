import { LRUCache } from 'lru-cache';
import { type CachedToken, type TokenCache } from '../../ports/token-cache.js';

/** A cache in this process, which can also be read synchronously. */
export interface MemoryTokenCache extends TokenCache {
  readonly peek: (name: string) => CachedToken | undefined;
}

/** @param max maximum of entries; the least recently used ones are evicted first */
export function createMemoryTokenCache(max: number): MemoryTokenCache {
  const cache = new LRUCache<string, CachedToken>({ max, ttl: 1, ttlResolution: 0 });
  return {
    peek: (name) => cache.get(name),
    get: (name) => Promise.resolve(cache.get(name)),
    put: (name, token, ttlMs) => {
      if (ttlMs >= 1) cache.set(name, token, { ttl: Math.floor(ttlMs) });
      return Promise.resolve();
    },
  };
}
