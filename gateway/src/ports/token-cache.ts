import { type Identity } from '@tenure/tokens';

/** Keystone's answer about a token, and its time (milliseconds since the epoch). `identity` is null for a token that Keystone refused. */
export interface CachedToken {
  readonly identity: Identity | null;
  readonly validatedAt: number;
}

/** Answers of Keystone by the names of tokens. Any entry may be missing at any time. */
export interface TokenCache {
  /** @throws Error when the cache cannot be read, which differs from a missing entry */
  readonly get: (name: string) => Promise<CachedToken | undefined>;
  /** Keeps an answer for `ttlMs` milliseconds. @throws Error when it cannot be written now */
  readonly put: (name: string, token: CachedToken, ttlMs: number) => Promise<void>;
}
