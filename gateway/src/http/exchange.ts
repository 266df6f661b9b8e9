import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type AppError, type Subject } from '@tenure/contracts';
import { type RequestMetrics, type Span } from '@tenure/process';
import { type Caller } from '../application/admission/callers.js';
import { type AdmittedAgent } from '../application/rate-limit/agent-limits.js';
import { type Dialect } from '../dialects/dialect.js';
import { type Route } from '../routes/route.js';
import { answerHeaders, newRequestId } from './answer-headers.js';
import { CLOSE_GRACE_MS } from './close-grace.js';
import { refusalFor } from './retry-after.js';

/** The state of one request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly startedAt: number;
  /** The presumed sender. */
  readonly caller: Caller;
  /** The span of the whole request; undefined while tracing is off. */
  readonly span: Span | undefined;
  /** Records the end of the request in the metrics. */
  readonly ended: ReturnType<RequestMetrics['began']>;
  dialect: Dialect;
  /** When authentication ended, or was found to be unnecessary. */
  authenticatedAt: number;
  hasBody: boolean;
  path: string;
  route: Route | undefined;
  /** The admission of a request on a route of agents. */
  agent: AdmittedAgent | undefined;
  /** The policy action, once it is determined. */
  action: string | undefined;
  subject: Subject | undefined;
  apiVersion: string | undefined;
  decisionId: string | undefined;
}

/** Maximum bytes of a refused body that are read and discarded, so that the client can read the answer. */
const DRAIN_BYTES = 8 * 1024 * 1024;
/** Milliseconds before the gateway reads the rest of a body after a 429, because reading to discard is work as well. */
const DRAIN_DELAY_MS = 200;

/** Begins an exchange under a fresh request id. */
export const openExchange = (
  request: IncomingMessage,
  response: ServerResponse,
  { caller, dialect, span, ended }: Pick<Exchange, 'caller' | 'dialect' | 'span' | 'ended'>,
): Exchange => ({
  request,
  response,
  caller,
  dialect,
  span,
  ended,
  requestId: newRequestId(),
  startedAt: performance.now(),
  authenticatedAt: performance.now(),
  hasBody: true,
  path: '',
  route: undefined,
  agent: undefined,
  action: undefined,
  subject: undefined,
  apiVersion: undefined,
  decisionId: undefined,
});

/** Answers with the error body of its API, unless the answer has begun: then the connection is closed. */
export function sendError(exchange: Exchange, thrown: AppError): void {
  const { request, response, hasBody } = exchange;
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const error = refusalFor(request.headers, thrown);
  const body = Buffer.from(JSON.stringify(exchange.dialect.errorBody(error)));
  const isArriving = hasBody && !request.complete && !request.destroyed;
  const { Connection, ...headers } = error.headers;
  // Set before it is written: the listener reads it before it handles the next request of the connection.
  if (isArriving || Connection === 'close') response.setHeader('Connection', 'close');
  response.writeHead(error.status, {
    ...answerHeaders(exchange),
    ...headers,
    ...filterHeader(exchange, error.status),
    'Content-Type': 'application/json',
    'Content-Length': body.length,
  });
  if (!isArriving) {
    response.end(body);
    return;
  }
  response.write(body);
  endAfterDrain(exchange, thrown.status === 429 ? DRAIN_DELAY_MS : 0);
}

/** Answers OPTIONS as Ironic does, with an empty body, and the methods of the path in Allow. */
export function sendAllow(exchange: Exchange, allow: readonly string[]): void {
  exchange.response
    .writeHead(200, {
      ...answerHeaders(exchange),
      Allow: allow.join(', '),
      'Content-Length': 0,
    })
    .end();
}

/** A denied list has the filter header as well: `none`. */
const filterHeader = ({ route }: Exchange, status: number): Record<string, string> =>
  status === 403 && route?.isList === true ? { 'X-Tenure-Policy-Filter': 'none' } : {};

/**
 * Ends an answer whose request is still arriving. Closing at once would reset the connection, and the client
 * might never read the answer. So the rest is read and discarded for a moment first.
 */
function endAfterDrain({ request, response }: Exchange, waitMs: number): void {
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, CLOSE_GRACE_MS);
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > DRAIN_BYTES) end();
  });
  request.once('end', end).once('error', end).once('close', end);
  request.pause();
  setTimeout(() => request.resume(), waitMs);
}
