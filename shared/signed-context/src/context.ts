import { createHash, randomUUID } from 'node:crypto';
import {
  ContextClaims,
  matches,
  MAX_CONTEXT_AGE_SECONDS,
  type PartName,
  UnauthorizedError,
} from '@tenure/contracts';
import { isSignedBy, MalformedJws, parseJws, signJws, type UnverifiedJws } from '@tenure/jws';
import { type ContextKeys } from './keys.js';

/** The statement of a caller; `signContext` adds `iss`, `iat`, `exp`, `jti` and the body digest. */
export type ContextStatement = Omit<ContextClaims, 'iss' | 'iat' | 'exp' | 'jti' | 'body_sha256'>;

/** The request line as received, which a context must match byte for byte. */
export interface ReceivedRequest {
  readonly method: string;
  readonly target: string;
}

const EMPTY_DIGEST = createHash('sha256').digest('base64url');
/** Maximum characters of a context; a listener accepts no longer headers. */
const MAX_LENGTH = 16_384;
const DEFAULT_LIFETIME_SECONDS = 10;
/** Maximum clock difference between two parts, in seconds. */
export const CLOCK_SKEW_SECONDS = 2;

/** SHA-256 of a body, base64url. */
export const digestOf = (body: Uint8Array): string =>
  body.length === 0 ? EMPTY_DIGEST : createHash('sha256').update(body).digest('base64url');

/**
 * Signs what the caller states about one request: a JWT (RFC 7519) under HS256.
 * @throws Error when the caller has no key for the audience, which is a deployment error
 */
export function signContext(
  keys: ContextKeys,
  statement: ContextStatement,
  body: Uint8Array,
): string {
  const pair = keys.outgoing.get(statement.aud);
  if (pair === undefined) throw new Error(`no key to speak to ${statement.aud}`);
  const iat = Math.floor(Date.now() / 1000);
  const claims: ContextClaims = {
    ...statement,
    iss: keys.self,
    iat,
    exp: iat + DEFAULT_LIFETIME_SECONDS,
    jti: randomUUID(),
    body_sha256: digestOf(body),
  };
  return signJws(claims, { alg: 'HS256', key: pair[0] });
}

/**
 * Verifies a context against its request line. `verifyBody` checks the body after it was read.
 * @throws UnauthorizedError unless the context is fresh, signed by a configured caller, and made for this request
 */
export function verifyContext(
  keys: ContextKeys,
  token: string,
  request: ReceivedRequest,
): ContextClaims {
  const claims = verifySignature(keys, token);
  if (!isFresh(claims)) throw refuse('not fresh');
  if (claims.method !== request.method || claims.target !== request.target)
    throw refuse('made for another request');
  return claims;
}

/**
 * Verifies that a context is for this body, and that it is still fresh after the body has arrived.
 * @throws UnauthorizedError
 */
export function verifyBody(claims: ContextClaims, body: Uint8Array): void {
  if (!isFresh(claims)) throw refuse('not fresh');
  if (claims.body_sha256 !== digestOf(body)) throw refuse('made for another body');
}

function verifySignature(keys: ContextKeys, token: string): ContextClaims {
  const jws = parsed(token);
  // Before verification, the claimed caller only selects the key.
  const caller = jws.payload['iss'] as PartName;
  const pair = keys.incoming.get(caller) ?? [];
  if (!pair.some((key) => isSignedBy(jws, { alg: 'HS256', key })))
    throw refuse('no key of the caller verifies it');
  if (!matches(ContextClaims, jws.payload)) throw refuse('claims are not of the schema');
  if (jws.payload.aud !== keys.self) throw refuse('made for another audience');
  return jws.payload;
}

function isFresh(claims: ContextClaims): boolean {
  const now = Date.now() / 1000;
  return (
    claims.exp > claims.iat &&
    claims.exp - claims.iat <= MAX_CONTEXT_AGE_SECONDS &&
    claims.iat <= now + CLOCK_SKEW_SECONDS &&
    claims.exp >= now - CLOCK_SKEW_SECONDS
  );
}

const refuse = (cause: unknown): UnauthorizedError =>
  new UnauthorizedError('A signed context is required.', { cause });

function parsed(token: string): UnverifiedJws {
  try {
    return parseJws(token, MAX_LENGTH);
  } catch (error) {
    throw error instanceof MalformedJws ? refuse(error) : error;
  }
}
