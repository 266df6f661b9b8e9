import { type IncomingHttpHeaders } from 'node:http';
import { UnauthorizedError } from '@tenure/contracts';
import { refusal } from '../strict-http/refusal.js';

const CHALLENGE = 'Bearer realm="tenure"';
const BEARER = /^Bearer +(\S+)$/iu;

/** Every 401 says how to do better, and never why the token was bad: that goes into the log as `cause`. */
export const unauthorized = (cause: string): UnauthorizedError =>
  new UnauthorizedError(undefined, { cause, headers: { 'WWW-Authenticate': CHALLENGE } });

/**
 * The token of a request, from `X-Auth-Token` or `Authorization: Bearer`.
 * @returns undefined when there is none
 * @throws AppError 400 when both headers are there; UnauthorizedError when the scheme is another one
 */
export const tokenOf = (headers: IncomingHttpHeaders): string | undefined => {
  const plain = headers['x-auth-token'];
  const { authorization } = headers;
  if (plain !== undefined && authorization !== undefined)
    throw refusal(400, 'X-Auth-Token and Authorization exclude one another.');
  if (typeof plain === 'string') return plain;
  if (authorization === undefined) return undefined;
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) throw unauthorized('not a bearer token');
  return token;
};
