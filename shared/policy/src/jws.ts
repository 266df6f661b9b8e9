import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
  type VerifyKeyObjectInput,
} from 'node:crypto';
import { PolicyRefused } from './failures.js';
import { isJsonObject, type JsonObject } from './json-object.js';

/** The only algorithms there are here: what a token says of itself chooses among pinned keys and nothing else. */
export type JwsAlgorithm = 'RS256' | 'ES256';

/** A key with its name and the one algorithm that it is for. */
interface NamedKey {
  readonly id: string;
  readonly algorithm: JwsAlgorithm;
  readonly key: KeyObject;
}
export type SigningKey = NamedKey & { readonly use: 'sign' };
export type PinnedKey = NamedKey & { readonly use: 'verify' };

/** What a token said, and the key that it was signed with. */
export interface VerifiedJws {
  readonly payload: JsonObject;
  readonly keyId: string;
}

/** The name that `opa` gives a key when nobody says another. */
export const DEFAULT_KEY_ID = 'default';

const MIN_RSA_BITS = 2048;
const MAX_TOKEN_LENGTH = 4 * 1024 * 1024;
const BASE64URL = /^[A-Za-z0-9_-]+$/u;
const HEADER_MEMBERS: readonly string[] = ['alg', 'kid', 'typ'];

/** @throws PolicyRefused for a key of any other kind: RSA of at least 2048 bits, or EC on P-256 */
const algorithmOf = (key: KeyObject): JwsAlgorithm => {
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa' && modulusLength >= MIN_RSA_BITS) return 'RS256';
  if (key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return 'ES256';
  throw new PolicyRefused('a key must be RSA of 2048 bits or more, or EC on the curve P-256');
};

const keyFrom = (what: string, read: () => KeyObject): KeyObject => {
  try {
    return read();
  } catch {
    // Not the cause: OpenSSL's words may quote what was read.
    throw new PolicyRefused(`the ${what} key is no PEM of a ${what} key`);
  }
};

/**
 * @param pem PKCS#8, SEC 1 or PKCS#1
 * @param id how verifiers name the key
 * @throws PolicyRefused when it is no such key
 */
export const signingKeyOf = (pem: string | Buffer, id = DEFAULT_KEY_ID): SigningKey => {
  const key = keyFrom('private', () => createPrivateKey(pem));
  return { id, algorithm: algorithmOf(key), key, use: 'sign' };
};

/**
 * A key that is trusted, for the one algorithm that fits it.
 * @param pem SPKI; a private key is refused, it has no business where signatures are verified
 * @throws PolicyRefused when it is no such key
 */
export const pinnedKeyOf = (pem: string | Buffer, id = DEFAULT_KEY_ID): PinnedKey => {
  if (pem.includes('PRIVATE KEY'))
    throw new PolicyRefused('the public key is a private one; only its public part belongs here');
  const key = keyFrom('public', () => createPublicKey(pem));
  return { id, algorithm: algorithmOf(key), key, use: 'verify' };
};

const encoded = (value: JsonObject): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

// JWS has the two numbers of an ECDSA signature side by side, OpenSSL would wrap them in DER.
const withEncoding = (key: KeyObject): VerifyKeyObjectInput => ({
  key,
  dsaEncoding: 'ieee-p1363',
});

/** A compact JWS. RS256 gives the same bytes each time, ES256 does not. */
export const signJws = (
  payload: JsonObject,
  { id, algorithm, key }: SigningKey,
  typ = 'JWT',
): string => {
  const signed = `${encoded({ alg: algorithm, kid: id, typ })}.${encoded(payload)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), withEncoding(key)).toString('base64url')}`;
};

const refuse = (what: string): never => {
  throw new PolicyRefused(`the signature is refused: ${what}`);
};

const decoded = (part: string): JsonObject => {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf8', { fatal: true }).decode(bytesOf(part)));
  } catch {
    return refuse('a part is no JSON');
  }
  return isJsonObject(value) ? value : refuse('a part is no JSON object');
};

/** Strict: one text for one value. */
const bytesOf = (part: string): Buffer => {
  const bytes = Buffer.from(part, 'base64url');
  if (!BASE64URL.test(part) || bytes.toString('base64url') !== part)
    return refuse('a part is not base64url');
  return bytes;
};

const pinFor = (header: JsonObject, typ: string, pins: readonly PinnedKey[]): PinnedKey => {
  const stranger = Object.keys(header).find((name) => !HEADER_MEMBERS.includes(name));
  if (stranger !== undefined) return refuse(`its header has ${JSON.stringify(stranger)}`);
  // Only JWT may go without saying.
  if ((header['typ'] ?? 'JWT') !== typ) return refuse(`it is not of typ ${typ}`);
  const pin = pins.find(({ id }) => id === (header['kid'] ?? DEFAULT_KEY_ID));
  if (pin === undefined) return refuse('it was made with a key that is not pinned');
  if (header['alg'] !== pin.algorithm)
    return refuse(`the pinned key ${pin.id} is for ${pin.algorithm} and nothing else`);
  return pin;
};

/**
 * Verifies a compact JWS against pinned keys.
 * @param typ the type that it must have
 * @throws PolicyRefused when it is anything but a good signature by one of the keys, with that key's algorithm
 */
export const verifyJws = (token: string, pins: readonly PinnedKey[], typ = 'JWT'): VerifiedJws => {
  if (token.length > MAX_TOKEN_LENGTH) return refuse('it is too long');
  const [header, payload, signature, ...rest] = token.split('.');
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0)
    return refuse('it is no compact JWS');
  const pin = pinFor(decoded(header), typ, pins);
  const signed = Buffer.from(`${header}.${payload}`);
  if (!verify('sha256', signed, withEncoding(pin.key), bytesOf(signature)))
    return refuse(`it was not made with the key ${pin.id}, or what is signed was changed`);
  return { payload: decoded(payload), keyId: pin.id };
};
