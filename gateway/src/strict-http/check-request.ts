import { type IncomingMessage } from 'node:http';
import { checkHeaders, type StrictHeaders } from './headers.js';
import { refusal } from './refusal.js';
import { parseTarget, type Target } from './target.js';

/** A request that has one reading only. */
export interface StrictRequest {
  readonly method: string;
  readonly target: Target;
  readonly headers: StrictHeaders;
}

/**
 * Everything about a request that can be refused without knowing its route.
 * @throws AppError 400, 405, 414, 415, 417, 431 or 505; its answer closes the connection
 */
export const checkRequest = (request: IncomingMessage): StrictRequest => {
  const method = request.method ?? '';
  if (request.httpVersionMajor !== 1) throw refusal(505, 'Only HTTP/1.1 is spoken here.');
  if (method === 'TRACE' || method === 'CONNECT') throw refusal(405, `${method} is not taken.`);
  const headers = checkHeaders(method, request.rawHeaders);
  return { method, headers, target: parseTarget(request.url ?? '') };
};
