import { hash } from 'node:crypto';
import { type Subject } from '@tenure/contracts';
// jose, not jsonwebtoken: jsonwebtoken 9 takes RSA keys of 1,024 bits and unknown `crit`.
import { compactVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { unauthorized } from './bearer.js';
import { type Identity, identityOf, isForAudience } from './claims.js';
import { parseJwt, type UnverifiedJwt } from './jwt-shape.js';
import { type KeySource } from './key-source.js';
import { type VerificationKey } from './verification-keys.js';

/** Whose tokens are taken: keys of one issuer never verify another's. */
export interface Issuer {
  readonly name: string;
  readonly audience: string;
  readonly source: KeySource;
}

export interface TokenVerifier {
  /**
   * Who the token says its bearer is.
   * @throws UnauthorizedError for any token that is not good; UnavailableError when no key could ever be fetched
   */
  readonly verify: (token: string) => Subject | Promise<Subject>;
}

interface Verified extends Identity {
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

const keyThatSigned = async (
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
export const createTokenVerifier = (issuers: readonly Issuer[]): TokenVerifier => {
  const byName = new Map(issuers.map((issuer) => [issuer.name, issuer]));
  const cache = new LRUCache<string, Verified>({ max: MAX_CACHED, ttl: MAX_AGE_MS });

  const check = async (token: string): Promise<Verified> => {
    const jwt = parseJwt(token);
    const { iss, aud } = jwt.claims;
    const issuer = typeof iss === 'string' ? byName.get(iss) : undefined;
    if (issuer === undefined) throw unauthorized('unknown issuer');
    if (!isForAudience(aud, issuer.audience)) throw unauthorized('made for another audience');
    // Claims first: what is expired or malformed costs no signature check and no fetch of keys.
    const identity = identityOf(jwt.claims, nowSeconds());
    const key = await keyThatSigned(token, jwt, issuer.source);
    return { ...identity, keyId: key.id, source: issuer.source };
  };

  const isStillGood = ({ expiresAt, keyId, source }: Verified): boolean =>
    expiresAt > nowSeconds() && source.keys().some((key) => key.id === keyId);

  const verify = (token: string): Subject | Promise<Subject> => {
    const digest = hash('sha256', token, 'base64');
    const known = cache.get(digest);
    if (known !== undefined && isStillGood(known)) return known.subject;
    cache.delete(digest);
    return check(token).then((verified) => {
      cache.set(digest, verified);
      return verified.subject;
    });
  };
  return { verify };
};
