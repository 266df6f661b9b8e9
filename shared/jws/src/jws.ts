import { type KeyObject } from 'node:crypto';
import { hasDuplicateMembers, isJsonObject, type JsonObject } from '@tenure/contracts';
import jws from 'jws';
import { type JwsAlgorithm } from './algorithm.js';

/** A key with its only algorithm. The header of a JWS never selects the algorithm. */
export interface JwsKey {
  readonly alg: JwsAlgorithm;
  readonly key: KeyObject;
}

/** A compact JWS, parsed and not verified. */
export interface UnverifiedJws {
  readonly text: string;
  readonly alg: string;
  readonly kid: string | undefined;
  readonly header: JsonObject;
  readonly payload: JsonObject;
}

/** The error for a text that is no compact JWS; the message is a reason, for example "it is too long". */
export class MalformedJws extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedJws';
  }
}

/** Header members that change the signed bytes, or that a verifier would have to support. */
const REFUSED_MEMBERS = ['crit', 'b64'] as const;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a compact JWS, and refuses one that two libraries might read differently.
 * @param maxLength characters
 * @throws MalformedJws
 */
export function parseJws(text: string, maxLength: number): UnverifiedJws {
  if (text.length > maxLength) throw malformed('it is too long');
  const [first, second, signature, ...rest] = text.split('.', 4);
  if (first === undefined || second === undefined || signature === undefined || rest.length > 0)
    throw malformed('it is no compact JWS');
  const header = objectIn(first);
  const refused = REFUSED_MEMBERS.find((name) => header[name] !== undefined);
  if (refused !== undefined) throw malformed(`its header has "${refused}"`);
  const { alg, kid } = header;
  if (typeof alg !== 'string') throw malformed('it has no algorithm');
  if (kid !== undefined && typeof kid !== 'string') throw malformed('its kid is no text');
  bytesOf(signature);
  return { text, alg, kid, header, payload: objectIn(second) };
}

/** Whether a key signed it, with the key's algorithm. */
export function isSignedBy({ text, alg }: UnverifiedJws, key: JwsKey): boolean {
  if (alg !== key.alg) return false;
  try {
    return jws.verify(text, key.alg, key.key);
  } catch {
    // The library throws for a signature of the wrong length.
    return false;
  }
}

/**
 * A compact JWS. HS256 and RS256 give the same bytes each time, ES256 does not.
 * @param payload an object that can be serialized as JSON
 * @param header `kid` names the key to verifiers; `typ` is JWT unless another is given
 */
export const signJws = (
  payload: object,
  { alg, key }: JwsKey,
  { kid, typ = 'JWT' }: { readonly kid?: string; readonly typ?: string } = {},
): string =>
  jws.sign({
    // The library writes a character of the header as one byte: these are the bytes of UTF-8.
    header: { alg, ...(kid !== undefined && { kid: Buffer.from(kid).toString('latin1') }), typ },
    payload,
    privateKey: key,
  });

const malformed = (reason: string): MalformedJws => new MalformedJws(reason);

function objectIn(part: string): JsonObject {
  const [text, value] = jsonIn(part);
  if (!isJsonObject(value)) throw malformed('a part is no JSON object');
  if (hasDuplicateMembers(text)) throw malformed('a part has a member twice');
  return value;
}

/** Strict: a second encoding of a JWS would be a different token for a cache or a revocation list. */
function bytesOf(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (part === '' || bytes.toString('base64url') !== part)
    throw malformed('a part is not base64url');
  return bytes;
}

function jsonIn(part: string): readonly [text: string, value: unknown] {
  const bytes = bytesOf(part);
  try {
    const text = decoder.decode(bytes);
    return [text, JSON.parse(text)];
  } catch {
    throw malformed('a part is no JSON');
  }
}
