import { type JsonObject } from '@tenure/contracts';
import { isSignedBy, type UnverifiedJws } from '@tenure/jws';
import { LRUCache } from 'lru-cache';
import { isForAudience } from './claims.js';
import { type Identity } from './identity.js';
import { type KeySource } from './key-source.js';
import { unauthorized } from './unauthorized.js';
import { type VerificationKey } from './verification-keys.js';

/** Whose tokens are taken: keys of one issuer never verify another's. */
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

/** Tokens of issuers whose keys we have, and which therefore nobody need be asked about. */
export interface IssuerTokens {
  /** The identity of a token that was verified a short while ago, by the token's digest. */
  readonly recall: (digest: string) => Identity | undefined;
  /**
   * Who the token says its bearer is.
   * @throws UnauthorizedError for any token that is not good; UnavailableError when no key could ever be fetched
   */
  readonly verify: (jwt: UnverifiedJws, digest: string) => Promise<Identity>;
}

interface Verified {
  readonly identity: Identity;
  readonly keyId: string;
  readonly source: KeySource;
}

const MAX_CACHED = 20_000;
/** Milliseconds that a verified token is believed without verifying it again. */
const MAX_AGE_MS = 60_000;
/** A set may hold many keys under one kid; no token makes us try more than these. */
const MAX_TRIES = 4;

/**
 * The key of a source that signed a token; the source is asked for newer keys when none did.
 * @throws UnauthorizedError when none did; UnavailableError when there never were any
 */
export async function keyThatSigned(
  jwt: UnverifiedJws,
  source: KeySource,
): Promise<VerificationKey> {
  const cached = signerAmong(jwt, source);
  if (cached !== undefined) return cached;
  // Perhaps it was signed by a key that is newer than what we know.
  await source.refresh();
  const fresh = signerAmong(jwt, source);
  if (fresh === undefined) throw unauthorized('no key verifies the token');
  return fresh;
}

/** Verifies tokens of the given issuers, remembering good ones by their digest for a short while. */
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
      // Claims first: what is expired or malformed costs no signature check and no fetch of keys.
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
