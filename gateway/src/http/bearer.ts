import { type IncomingHttpHeaders } from 'node:http';
import { unauthorized } from '@tenure/tokens';
import { type Credentials } from '../application/authentication/credentials.js';
import { refusal } from './strict-http/refusal.js';

const BEARER = /^Bearer +(\S+)$/iu;
const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2})$/iu;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The credentials of a request, from `X-Auth-Token` or `Authorization`.
 * @returns undefined when there are none
 * @throws AppError 400 when both headers are there; UnauthorizedError for an unsupported scheme
 */
export function credentialsOf(headers: IncomingHttpHeaders): Credentials | undefined {
  const plain = headers['x-auth-token'];
  const { authorization } = headers;
  if (plain !== undefined && authorization !== undefined)
    throw refusal(400, 'X-Auth-Token and Authorization exclude one another.');
  if (typeof plain === 'string') return plain === '' ? undefined : { kind: 'token', token: plain };
  return authorization === undefined ? undefined : fromAuthorization(authorization);
}

function fromAuthorization(authorization: string): Credentials {
  const token = BEARER.exec(authorization)?.[1];
  if (token !== undefined) return { kind: 'token', token };
  const basic = BASIC.exec(authorization)?.[1];
  if (basic === undefined) throw unauthorized('unsupported authentication scheme');
  return basicOf(basic);
}

function basicOf(encoded: string): Credentials {
  const bytes = Buffer.from(encoded, 'base64');
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw unauthorized('the Basic credentials are not UTF-8');
  }
  const colon = text.indexOf(':');
  if (bytes.toString('base64') !== encoded || colon < 1)
    throw unauthorized('the Basic credentials are malformed');
  return { kind: 'basic', user: text.slice(0, colon), password: text.slice(colon + 1) };
}
