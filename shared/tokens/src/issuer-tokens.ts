import { type JsonObject } from '@tenure/contracts';
import { isSignedBy, type UnverifiedJws } from '@tenure/jws';
import { LRUCache } from 'lru-cache';
import { isForAudience } from './claims.js';
import { type Identity } from './identity.js';
import { type KeySource } from './key-source.js';
import { unauthorized } from './unauthorized.js';
import { type VerificationKey } from './verification-keys.js';

/** An accepted issuer. The keys of one issuer never verify the tokens of another. */
export interface Issuer {
  readonly name: string;
  readonly audience: string;
  readonly source: KeySource;
  /**
   * The identity that verified claims state.
   * @param now seconds since the epoch
   * @throws UnauthorizedError
   */
  readonly identityOf: (claims: JsonObject, now: number) => Identity;
}

/** Verifies tokens of issuers by their public keys, without a call to the issuer for each token. */
export interface IssuerTokens {
  /** The cached identity of a recently verified token, by the token's digest. */
  readonly recall: (digest: string) => Identity | undefined;
  /**
   * Verifies a token and returns its identity.
   * @throws UnauthorizedError for any invalid token; UnavailableError when no key could ever be fetched
   */
  readonly verify: (jwt: UnverifiedJws, digest: string) => Promise<Identity>;
}

interface Verified {
  readonly identity: Identity;
  readonly keyId: string;
  readonly source: KeySource;
}

const MAX_CACHED = 20_000;
/** Milliseconds for which a verified token stays cached. */
const MAX_AGE_MS = 60_000;
/** Maximum of keys to try for one token, because a set may contain many keys under one kid. */
const MAX_TRIES = 4;

/**
 * The key of a source that signed a token. When no key matches, the source refreshes its keys first.
 * @throws UnauthorizedError when none did; UnavailableError when no keys could ever be fetched
 */
export async function keyThatSigned(
  jwt: UnverifiedJws,
  source: KeySource,
): Promise<VerificationKey> {
  const cached = signerAmong(jwt, source);
  if (cached !== undefined) return cached;
  // The token may be signed by a key that is newer than the cached ones.
  await source.refresh();
  const fresh = signerAmong(jwt, source);
  if (fresh === undefined) throw unauthorized('no key verifies the token');
  return fresh;
}

/** Verifies tokens of the given issuers, and caches valid ones by digest for a short time. */
export function createIssuerTokens(issuers: readonly Issuer[]): IssuerTokens {
  const byName = new Map(issuers.map((issuer) => [issuer.name, issuer]));
  const cache = new LRUCache<string, Verified>({ max: MAX_CACHED, ttl: MAX_AGE_MS });

  const isStillGood = ({ identity, keyId, source }: Verified): boolean =>
    identity.expiresAt > nowSeconds() && source.keys().some((key) => key.id === keyId);

  return {
    recall: (digest) => {
      const cached = cache.get(digest);
      if (cached === undefined || isStillGood(cached)) return cached?.identity;
      cache.delete(digest);
      return undefined;
    },
    verify: async (jwt, digest) => {
      const { iss, aud } = jwt.payload;
      const issuer = typeof iss === 'string' ? byName.get(iss) : undefined;
      if (issuer === undefined) throw unauthorized('unknown issuer');
      if (!isForAudience(aud, issuer.audience)) throw unauthorized('made for another audience');
      // Claims first, so that an expired or malformed token costs no signature check and no fetch of keys.
      const identity = issuer.identityOf(jwt.payload, nowSeconds());
      const key = await keyThatSigned(jwt, issuer.source);
      cache.set(digest, { identity, keyId: key.id, source: issuer.source });
      return identity;
    },
  };
}

const signerAmong = (jwt: UnverifiedJws, source: KeySource): VerificationKey | undefined =>
  source
    .keys()
    .filter((key) => key.alg === jwt.alg && (jwt.kid === undefined || key.kid === jwt.kid))
    .slice(0, MAX_TRIES)
    .find((key) => isSignedBy(jwt, key));

const nowSeconds = (): number => Date.now() / 1000;
