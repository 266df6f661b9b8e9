import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@tenure/contracts';
import { algorithmOf, type JwsKey } from '@tenure/jws';

/** A public key that may verify tokens, with the one algorithm it is for. */
export interface VerificationKey extends JwsKey {
  /** Digest of the key itself: the same key fetched again is the same key. */
  readonly id: string;
  readonly kid: string | undefined;
}

const MAX_KEYS = 100;

/** The public members by kind of key. Private members that a set may contain are not read. */
const PUBLIC_MEMBERS = new Map<unknown, readonly string[]>([
  ['EC', ['kty', 'crv', 'x', 'y']],
  ['RSA', ['kty', 'n', 'e']],
]);

/** A key of a set, or undefined when it may not be used: weak, of another algorithm, or not for verifying. */
export function verificationKey(jwk: unknown): VerificationKey | undefined {
  if (!isJsonObject(jwk) || !isForVerifying(jwk)) return undefined;
  const { kid } = jwk;
  if (!['undefined', 'string'].includes(typeof kid)) return undefined;
  const key = publicKey(jwk);
  if (key === undefined) return undefined;
  const alg = algorithmOf(key);
  // The key may be declared for another algorithm.
  if (alg === undefined || (jwk['alg'] ?? alg) !== alg) return undefined;
  const name = typeof kid === 'string' ? kid : undefined;
  const der = key.export({ type: 'spki', format: 'der' });
  const id = createHash('sha256')
    .update(der)
    .update(name ?? '')
    .digest('base64url');
  return { id, kid: name, alg, key };
}

/**
 * The usable keys of a JWKS document; unusable ones are ignored, not fatal.
 * @throws Error when it is no key set at all
 */
export function keysOfSet(document: unknown): readonly VerificationKey[] {
  if (!isJsonObject(document) || !Array.isArray(document['keys']))
    throw new Error('not a JSON Web Key Set');
  return document['keys']
    .slice(0, MAX_KEYS)
    .map(verificationKey)
    .filter((key) => key !== undefined);
}

const isForVerifying = (jwk: JsonObject): boolean =>
  (jwk['use'] === undefined || jwk['use'] === 'sig') &&
  (jwk['key_ops'] === undefined ||
    (Array.isArray(jwk['key_ops']) && jwk['key_ops'].includes('verify')));

function publicKey(jwk: JsonObject): KeyObject | undefined {
  const names = PUBLIC_MEMBERS.get(jwk['kty']);
  if (names === undefined) return undefined;
  const key: JsonWebKey = Object.fromEntries(names.map((name) => [name, jwk[name]]));
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    return undefined;
  }
}
