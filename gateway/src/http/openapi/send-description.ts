import { createHash } from 'node:crypto';
import { ROUTES } from '../../routes/route-table.js';
import { answerHeaders } from '../answer-headers.js';
import { type Exchange } from '../exchange.js';
import { describeRoutes } from './document.js';

// Built once, at the start.
const BYTES = Buffer.from(JSON.stringify(describeRoutes(ROUTES)));
const ETAG = `"${createHash('sha256').update(BYTES).digest('base64url')}"`;
const CACHED = { ETag: ETAG, 'Cache-Control': 'public, max-age=300' };

/** Answers with the description of the API, or with 304 when the client has the current one. */
export function sendDescription(exchange: Exchange): void {
  const { request, response } = exchange;
  const headers = { ...answerHeaders(exchange), ...CACHED };
  if (isUnchanged(request.headers['if-none-match'])) {
    response.writeHead(304, headers).end();
    return;
  }
  response
    .writeHead(200, {
      ...headers,
      'Content-Type': 'application/json',
      'Content-Length': BYTES.length,
    })
    .end(request.method === 'HEAD' ? undefined : BYTES);
}

const isUnchanged = (given: string | undefined): boolean =>
  (given ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//u, ''))
    .some((tag) => tag === ETAG || tag === '*');
