import { type ServerResponse } from 'node:http';
import { type ContextClaims } from '@tenure/contracts';
import { addSpent, bodyOf, contextOf } from '@tenure/http';
import { type Request, type RequestHandler, Router } from 'express';
import { type ListAnswer, type ListReaders } from '../ports/list-readers.js';

const offered = new WeakMap<Request, ListReaders>();

// Headers of the connection inside the reader, or set by this thread.
const NOT_RELAYED: ReadonlySet<string> = new Set([
  'connection',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-tenure-spent',
]);

/** Makes these readers available to the routes behind it. */
export function offerReaders(readers: ListReaders): Router {
  const router = Router({ caseSensitive: true });
  router.use((request, _response, next) => {
    offered.set(request, readers);
    next();
  });
  return router;
}

/**
 * Precedes the handler of every route that answers with a list, and lets a reader answer. Without readers, and for a request
 * that would write, it calls the route's own handler on this thread.
 */
export const byReader: RequestHandler = async (request, response, next) => {
  const readers = offered.get(request);
  const { method, originalUrl: target, headers } = request;
  const read = await readers?.read(
    { method, target, headers, body: bodyOf(request) },
    { tenant: tenantOf(contextOf(request)), signal: abortedOnClose(response) },
  );
  if (response.destroyed) return;
  if (read === undefined) {
    next();
    return;
  }
  addSpent(response, { waitedMs: read.waitedMs, activeMs: read.answer.activeMs });
  send(response, read.answer);
};

/** All users of a project share one tenant. A user without a project is one, and so is each part. */
function tenantOf({ iss, subject }: ContextClaims): string {
  if (subject === null) return `part ${iss}`;
  return subject.project_id === null ? `user ${subject.user_id}` : `project ${subject.project_id}`;
}

function abortedOnClose(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  response.once('close', () => {
    left.abort();
  });
  return left.signal;
}

function send(response: ServerResponse, { status, headers, body }: ListAnswer): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !NOT_RELAYED.has(name)) response.setHeader(name, value);
  response.end(body);
}
