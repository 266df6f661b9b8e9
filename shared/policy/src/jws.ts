import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import {
  algorithmOf,
  isSignedBy,
  type JwsKey,
  MalformedJws,
  parseJws,
  signJws as sign,
  type UnverifiedJws,
} from '@tenure/jws';
import { PolicyRefused } from './failures.js';
import { type JsonObject } from './json-object.js';

/** A key with its name and the one algorithm that it is for. */
interface NamedKey extends JwsKey {
  readonly id: string;
}
export type SigningKey = NamedKey & { readonly use: 'sign' };
export type PinnedKey = NamedKey & { readonly use: 'verify' };

/** The payload of a token, and the key that it was signed with. */
export interface VerifiedJws {
  readonly payload: JsonObject;
  readonly keyId: string;
}

/** The name that `opa` gives a key by default. */
export const DEFAULT_KEY_ID = 'default';

const MAX_TOKEN_LENGTH = 4 * 1024 * 1024;
const HEADER_MEMBERS: readonly string[] = ['alg', 'kid', 'typ'];

/**
 * @param pem PKCS#8, SEC 1 or PKCS#1
 * @param id how verifiers name the key
 * @throws PolicyRefused when it is no such key
 */
export const signingKeyOf = (pem: string | Buffer, id = DEFAULT_KEY_ID): SigningKey => ({
  ...namedKey('private', id, () => createPrivateKey(pem)),
  use: 'sign',
});

/**
 * A key that is trusted, for the one algorithm that fits it.
 * @param pem SPKI; a private key is refused, because a verifier must not have one
 * @throws PolicyRefused when it is no such key
 */
export function pinnedKeyOf(pem: string | Buffer, id = DEFAULT_KEY_ID): PinnedKey {
  if (pem.includes('PRIVATE KEY'))
    throw new PolicyRefused('the public key is a private one; only its public part belongs here');
  return { ...namedKey('public', id, () => createPublicKey(pem)), use: 'verify' };
}

/** A compact JWS. RS256 gives the same bytes each time, ES256 does not. */
export const signJws = (payload: JsonObject, key: SigningKey, typ = 'JWT'): string =>
  sign(payload, key, { kid: key.id, typ });

/**
 * Verifies a compact JWS against pinned keys.
 * @param typ the type that it must have
 * @throws PolicyRefused when it is anything but a good signature by one of the keys, with that key's algorithm
 */
export function verifyJws(token: string, pins: readonly PinnedKey[], typ = 'JWT'): VerifiedJws {
  const jws = parsed(token);
  const pin = pinFor(jws, typ, pins);
  if (!isSignedBy(jws, pin))
    return refuse(`it was not made with the key ${pin.id}, or what is signed was changed`);
  return { payload: jws.payload, keyId: pin.id };
}

function namedKey(what: string, id: string, read: () => KeyObject): NamedKey {
  let key: KeyObject;
  try {
    key = read();
  } catch {
    // Without the cause: OpenSSL's message may quote the key.
    throw new PolicyRefused(`the ${what} key is no PEM of a ${what} key`);
  }
  const alg = algorithmOf(key);
  if (alg === undefined)
    throw new PolicyRefused('a key must be RSA of 2048 bits or more, or EC on the curve P-256');
  return { id, alg, key };
}

function parsed(token: string): UnverifiedJws {
  try {
    return parseJws(token, MAX_TOKEN_LENGTH);
  } catch (error) {
    if (error instanceof MalformedJws) return refuse(error.message);
    throw error;
  }
}

function pinFor(
  { header, alg, kid = DEFAULT_KEY_ID }: UnverifiedJws,
  typ: string,
  pins: readonly PinnedKey[],
): PinnedKey {
  const stranger = Object.keys(header).find((name) => !HEADER_MEMBERS.includes(name));
  if (stranger !== undefined) return refuse(`its header has ${JSON.stringify(stranger)}`);
  // A missing type means JWT.
  if ((header['typ'] ?? 'JWT') !== typ) return refuse(`it is not of typ ${typ}`);
  const pin = pins.find(({ id }) => id === kid);
  if (pin === undefined) return refuse('it was made with a key that is not pinned');
  if (alg !== pin.alg) return refuse(`the pinned key ${pin.id} is for ${pin.alg} and nothing else`);
  return pin;
}

function refuse(what: string): never {
  throw new PolicyRefused(`the signature is refused: ${what}`);
}
