import { createOutage, type Logger } from '@tenure/process';
import { type Seal } from '@tenure/shared-state';
import { type CachedToken, type TokenCache } from '../../ports/token-cache.js';
import { createMemoryTokenCache } from './token-cache-memory.js';

/** A cache in this process in front of one that replicas share. It never fails: an unreadable entry counts as missing. */
export interface LayeredCache {
  /** Looks up the cache of this process, synchronously. */
  readonly peek: (key: string) => CachedToken | undefined;
  /** Looks up the shared cache, and copies a usable entry to this process. */
  readonly find: (
    key: string,
    isUsable: (token: CachedToken) => boolean,
  ) => Promise<CachedToken | undefined>;
  readonly put: (key: string, token: CachedToken) => Promise<void>;
}

export interface LayeredOptions {
  /** Undefined where there is only one replica. */
  readonly shared: TokenCache | undefined;
  readonly seal: Seal;
  /** Milliseconds for which an answer of Keystone stays cached. */
  readonly ttlMs: (token: CachedToken) => number;
  readonly logger: Logger;
}

const MAX_HERE = 20_000;
/** Maximum of negative answers, which have a cache of their own: made-up tokens must not evict valid ones. */
const MAX_UNKNOWN_HERE = 10_000;
/** Milliseconds after a failure in which the shared cache is not used. */
const RETRY_MS = 1000;

export function createLayeredCache({ shared, seal, ttlMs, logger }: LayeredOptions): LayeredCache {
  const good = createMemoryTokenCache(MAX_HERE);
  const unknown = createMemoryTokenCache(MAX_UNKNOWN_HERE);
  let retryAt = -Infinity;
  const outage = createOutage({
    began: (error) => {
      logger.warn({ err: error }, 'the shared token cache cannot be used');
    },
  });

  const keepHere = (key: string, token: CachedToken): Promise<void> =>
    (token.identity === null ? unknown : good).put(key, token, ttlMs(token));

  const withShared = async <T>(use: (cache: TokenCache) => Promise<T>): Promise<T | undefined> => {
    if (shared === undefined || performance.now() < retryAt) return undefined;
    try {
      const result = await use(shared);
      outage.succeeded();
      return result;
    } catch (error) {
      retryAt = performance.now() + RETRY_MS;
      outage.failed(error);
      return undefined;
    }
  };

  // The key itself is a plain digest: with it, a reader of Redis could check whether a given token is in use.
  const nameOf = (key: string): string => seal.nameOf('token', key);

  return {
    peek: (key) => good.peek(key) ?? unknown.peek(key),
    find: async (key, isUsable) => {
      const found = await withShared((cache) => cache.get(nameOf(key)));
      if (found === undefined || !isUsable(found)) return undefined;
      await keepHere(key, found);
      return found;
    },
    put: async (key, token) => {
      await keepHere(key, token);
      await withShared((cache) => cache.put(nameOf(key), token, ttlMs(token)));
    },
  };
}
