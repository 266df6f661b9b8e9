import { type ServerResponse } from 'node:http';
import { type ContextClaims } from '@tenure/contracts';
import { addSpent, bodyOf, contextOf } from '@tenure/http';
import { type Request, type RequestHandler, Router } from 'express';
import { type ListAnswer, type ListReaders } from '../ports/list-readers.js';

const offered = new WeakMap<Request, ListReaders>();

/** Lets the routes behind it have their lists read by these readers. */
export const offerReaders = (readers: ListReaders): Router => {
  const router = Router({ caseSensitive: true });
  router.use((request, _response, next) => {
    offered.set(request, readers);
    next();
  });
  return router;
};

/** A project has one turn with all its users; who asks for no project has one alone, and each other part as well. */
const tenantOf = ({ iss, subject }: ContextClaims): string => {
  if (subject === null) return `part ${iss}`;
  return subject.project_id === null ? `user ${subject.user_id}` : `project ${subject.project_id}`;
};

// Of the connection in the reader, or said by this thread itself.
const NOT_RELAYED: ReadonlySet<string> = new Set([
  'connection',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-tenure-spent',
]);

const send = (response: ServerResponse, { status, headers, body }: ListAnswer): void => {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !NOT_RELAYED.has(name)) response.setHeader(name, value);
  response.end(body);
};

const abortedOnClose = (response: ServerResponse): AbortSignal => {
  const left = new AbortController();
  response.once('close', () => {
    left.abort();
  });
  return left.signal;
};

/**
 * Stands in every route that answers with a list: what it answers is read by a reader where there are any. What would write
 * is left to the route itself, on this thread.
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
