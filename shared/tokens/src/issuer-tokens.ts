// jose, not jsonwebtoken: jsonwebtoken 9 takes RSA keys of 1,024 bits and unknown `crit`.
import { compactVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { isForAudience } from './claims.js';
import { type Identity } from './identity.js';
import { type JsonObject, type UnverifiedJwt } from './jwt-shape.js';
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
  readonly verify: (token: string, jwt: UnverifiedJwt, digest: string) => Promise<Identity>;
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

const nowSeconds = (): number => Date.now() / 1000;

const candidates = (jwt: UnverifiedJwt, source: KeySource): readonly VerificationKey[] =>
  source
    .keys()
    .filter((key) => key.alg === jwt.alg && (jwt.kid === undefined || key.kid === jwt.kid))
    .slice(0, MAX_TRIES);

const verifiesWith = async (token: string, key: VerificationKey): Promise<boolean> => {
  try {
    await compactVerify(token, key.key, { algorithms: [key.alg] });
    return true;
  } catch {
    return false;
  }
};

/**
 * The key of a source that signed a token; the source is asked for newer keys when none did.
 * @throws UnauthorizedError when none did; UnavailableError when there never were any
 */
export const keyThatSigned = async (
  token: string,
  jwt: UnverifiedJwt,
  source: KeySource,
): Promise<VerificationKey> => {
  const tryAll = async (): Promise<VerificationKey | undefined> => {
    for (const key of candidates(jwt, source)) if (await verifiesWith(token, key)) return key;
    return undefined;
  };
  const known = await tryAll();
  if (known !== undefined) return known;
  // Perhaps it was signed by a key that is newer than what we know.
  await source.refresh();
  const fresh = await tryAll();
  if (fresh === undefined) throw unauthorized('no key verifies the token');
  return fresh;
};

/** Verifies tokens of the given issuers, remembering good ones by their digest for a short while. */
export const createIssuerTokens = (issuers: readonly Issuer[]): IssuerTokens => {
  const byName = new Map(issuers.map((issuer) => [issuer.name, issuer]));
  const cache = new LRUCache<string, Verified>({ max: MAX_CACHED, ttl: MAX_AGE_MS });

  const isStillGood = ({ identity, keyId, source }: Verified): boolean =>
    identity.expiresAt > nowSeconds() && source.keys().some((key) => key.id === keyId);

  return {
    recall: (digest) => {
      const known = cache.get(digest);
      if (known === undefined || isStillGood(known)) return known?.identity;
      cache.delete(digest);
      return undefined;
    },
    verify: async (token, jwt, digest) => {
      const { iss, aud } = jwt.claims;
      const issuer = typeof iss === 'string' ? byName.get(iss) : undefined;
      if (issuer === undefined) throw unauthorized('unknown issuer');
      if (!isForAudience(aud, issuer.audience)) throw unauthorized('made for another audience');
      // Claims first: what is expired or malformed costs no signature check and no fetch of keys.
      const identity = issuer.identityOf(jwt.claims, nowSeconds());
      const key = await keyThatSigned(token, jwt, issuer.source);
      cache.set(digest, { identity, keyId: key.id, source: issuer.source });
      return identity;
    },
  };
};
