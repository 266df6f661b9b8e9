import { type Identity } from '@tenure/tokens';

/** What Keystone said of a token, and when (milliseconds since the epoch). `identity` is null for a token that it did not know. */
export interface CachedToken {
  readonly identity: Identity | null;
  readonly validatedAt: number;
}

/** Answers of Keystone by the names of tokens. Whatever is in it may be missing at any time. */
export interface TokenCache {
  /** @throws Error when the cache cannot be read now: that is not the same as having nothing */
  readonly get: (name: string) => Promise<CachedToken | undefined>;
  /** Keeps an answer for `ttlMs` milliseconds. @throws Error when it cannot be written now */
  readonly put: (name: string, token: CachedToken, ttlMs: number) => Promise<void>;
}
