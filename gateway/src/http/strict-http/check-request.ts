import { type IncomingMessage } from 'node:http';
import { checkHeaders, type StrictHeaders } from './headers.js';
import { refusal } from './refusal.js';
import { parseTarget, type Target } from './target.js';

/** A request that every HTTP parser reads in the same way. */
export interface StrictRequest {
  readonly method: string;
  readonly target: Target;
  readonly headers: StrictHeaders;
}

/**
 * Checks everything about a request that does not depend on its route.
 * @throws AppError 400, 414, 415, 417, 431 or 505; its answer closes the connection
 */
export function checkRequest(request: IncomingMessage): StrictRequest {
  const method = request.method ?? '';
  if (request.httpVersionMajor !== 1) throw refusal(505, 'Only HTTP/1.1 is spoken here.');
  const headers = checkHeaders(method, request.rawHeaders);
  return { method, headers, target: parseTarget(request.url ?? '') };
}
