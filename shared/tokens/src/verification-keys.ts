import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { type JsonObject } from './jwt-shape.js';

/** A public key that may verify tokens, with the one algorithm it is for. */
export interface VerificationKey {
  /** Digest of the key itself: the same key fetched again is the same key. */
  readonly id: string;
  readonly kid: string | undefined;
  readonly alg: 'ES256' | 'RS256';
  readonly key: KeyObject;
}

const MIN_RSA_BITS = 2048;
const MIN_RSA_EXPONENT = 3n;
const MAX_KEYS = 100;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isForVerifying = (jwk: JsonObject): boolean =>
  (jwk['use'] === undefined || jwk['use'] === 'sig') &&
  (jwk['key_ops'] === undefined ||
    (Array.isArray(jwk['key_ops']) && jwk['key_ops'].includes('verify')));

/** The one algorithm of a key, unless it says that it is for another. */
const algorithmOf = ({ kty, crv, alg }: JsonObject): VerificationKey['alg'] | undefined => {
  if (kty === 'EC' && crv === 'P-256' && (alg ?? 'ES256') === 'ES256') return 'ES256';
  return kty === 'RSA' && (alg ?? 'RS256') === 'RS256' ? 'RS256' : undefined;
};

/** Only the public members: a set that leaks its private keys is still only asked for public ones. */
const publicPart = (jwk: JsonObject, alg: VerificationKey['alg']): JsonWebKey => {
  const names = alg === 'ES256' ? ['kty', 'crv', 'x', 'y'] : ['kty', 'n', 'e'];
  return Object.fromEntries(names.map((name) => [name, jwk[name]]));
};

const publicKey = (jwk: JsonObject, alg: VerificationKey['alg']): KeyObject | undefined => {
  try {
    return createPublicKey({ key: publicPart(jwk, alg), format: 'jwk' });
  } catch {
    return undefined;
  }
};

const isStrong = (key: KeyObject): boolean => {
  const { modulusLength, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType !== 'rsa') return true;
  return (modulusLength ?? 0) >= MIN_RSA_BITS && (publicExponent ?? 0n) >= MIN_RSA_EXPONENT;
};

/** A key of a set, or undefined when it may not be used: weak, of another algorithm, or not for verifying. */
export const verificationKey = (jwk: unknown): VerificationKey | undefined => {
  if (!isObject(jwk) || !isForVerifying(jwk)) return undefined;
  const alg = algorithmOf(jwk);
  const kid = jwk['kid'];
  if (alg === undefined || !['undefined', 'string'].includes(typeof kid)) return undefined;
  const key = publicKey(jwk, alg);
  if (key === undefined || !isStrong(key)) return undefined;
  const name = typeof kid === 'string' ? kid : undefined;
  const der = key.export({ type: 'spki', format: 'der' });
  const id = createHash('sha256')
    .update(der)
    .update(name ?? '')
    .digest('base64url');
  return { id, kid: name, alg, key };
};

/**
 * The usable keys of a JWKS document; unusable ones are ignored, not fatal.
 * @throws Error when it is no key set at all
 */
export const keysOfSet = (document: unknown): readonly VerificationKey[] => {
  if (!isObject(document) || !Array.isArray(document['keys']))
    throw new Error('not a JSON Web Key Set');
  return document['keys']
    .slice(0, MAX_KEYS)
    .map(verificationKey)
    .filter((key) => key !== undefined);
};
