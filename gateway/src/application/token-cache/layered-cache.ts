import { createOutage, type Logger } from '@tenure/process';
import { type Seal } from '@tenure/shared-state';
import { type CachedToken, type TokenCache } from '../../ports/token-cache.js';
import { createMemoryTokenCache } from './token-cache-memory.js';

/** A cache in this process before one that replicas share. It never fails: what cannot be read is as if it were not there. */
export interface LayeredCache {
  /** What this process has, without waiting. */
  readonly peek: (key: string) => CachedToken | undefined;
  /** What the shared cache has, kept here as well when `isUsable` says so. */
  readonly find: (
    key: string,
    isUsable: (token: CachedToken) => boolean,
  ) => Promise<CachedToken | undefined>;
  readonly put: (key: string, token: CachedToken) => Promise<void>;
}

export interface LayeredOptions {
  /** Undefined where this process is alone. */
  readonly shared: TokenCache | undefined;
  readonly seal: Seal;
  /** Milliseconds that an answer is kept after Keystone gave it. */
  readonly ttlMs: (token: CachedToken) => number;
  readonly logger: Logger;
}

const MAX_HERE = 20_000;
/** Answers that a token is unknown: whoever sends garbage must not push good ones out. */
const MAX_UNKNOWN_HERE = 10_000;
/** Milliseconds in which a shared cache that failed is not asked again. */
const REST_MS = 1000;

export function createLayeredCache({ shared, seal, ttlMs, logger }: LayeredOptions): LayeredCache {
  const good = createMemoryTokenCache(MAX_HERE);
  const unknown = createMemoryTokenCache(MAX_UNKNOWN_HERE);
  let restUntil = -Infinity;
  const outage = createOutage({
    began: (error) => {
      logger.warn({ err: error }, 'the shared token cache cannot be used');
    },
  });

  const keepHere = (key: string, token: CachedToken): Promise<void> =>
    (token.identity === null ? unknown : good).put(key, token, ttlMs(token));

  const withShared = async <T>(use: (cache: TokenCache) => Promise<T>): Promise<T | undefined> => {
    if (shared === undefined || performance.now() < restUntil) return undefined;
    try {
      const result = await use(shared);
      outage.succeeded();
      return result;
    } catch (error) {
      restUntil = performance.now() + REST_MS;
      outage.failed(error);
      return undefined;
    }
  };

  // Not the key itself, which is a plain digest: from what lies in Redis nobody can tell whether they hold such a token.
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
