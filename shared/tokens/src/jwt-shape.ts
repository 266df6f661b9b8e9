import { hasDuplicateMembers } from '@tenure/http';
import { unauthorized } from './unauthorized.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A compact JWS taken apart, nothing of it verified yet. */
export interface UnverifiedJwt {
  readonly alg: string;
  readonly kid: string | undefined;
  readonly claims: JsonObject;
}

const MAX_TOKEN_LENGTH = 16_384;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Strict base64url: no padding, no other alphabet, no bits left over. Two spellings of one token would be two
 * tokens to a cache or a block list, and one to the verifier.
 */
const decodeStrict = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw unauthorized('not strict base64url');
  return bytes;
};

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parseObject = (part: string): JsonObject => {
  let text: string;
  let value: unknown;
  try {
    text = decoder.decode(decodeStrict(part));
    value = JSON.parse(text);
  } catch {
    throw unauthorized('a part of the token is not JSON');
  }
  if (!isObject(value)) throw unauthorized('a part of the token is not an object');
  if (hasDuplicateMembers(text)) throw unauthorized('a part of the token has a member twice');
  return value;
};

const partsOf = (token: string): readonly [header: string, payload: string, signature: string] => {
  if (token.length > MAX_TOKEN_LENGTH) throw unauthorized('the token is too long');
  const [header, payload, signature, ...rest] = token.split('.');
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0)
    throw unauthorized('not a compact JWS');
  return [header, payload, signature];
};

/**
 * Takes a JWT apart, refusing every one that two libraries might read differently.
 * @throws UnauthorizedError
 */
export const parseJwt = (token: string): UnverifiedJwt => {
  const [header, payload, signature] = partsOf(token);
  decodeStrict(signature);
  const { alg, kid, crit, b64 } = parseObject(header);
  if (crit !== undefined) throw unauthorized('the token has critical extensions');
  // RFC 7797 signs other bytes under it; without `crit` it means nothing, and libraries differ.
  if (b64 !== undefined) throw unauthorized('the token has a b64 member');
  if (typeof alg !== 'string') throw unauthorized('the token has no algorithm');
  if (kid !== undefined && typeof kid !== 'string') throw unauthorized('kid is not a string');
  return { alg, kid, claims: parseObject(payload) };
};
