import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type AppError, type Subject } from '@tenure/contracts';
import { type RequestMetrics, type Span } from '@tenure/process';
import { type Caller } from '../application/admission/callers.js';
import { type AdmittedAgent } from '../application/rate-limit/agent-limits.js';
import { type Dialect } from '../dialects/dialect.js';
import { type Route } from '../routes/route.js';
import { answerHeaders, newRequestId } from './answer-headers.js';
import { refusalFor } from './retry-after.js';

/** One request and its answer, and what became known on the way. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly startedAt: number;
  /** The presumed sender. */
  readonly caller: Caller;
  /** Of the whole request; undefined while nobody wants traces. */
  readonly span: Span | undefined;
  /** Counts the request out. */
  readonly ended: ReturnType<RequestMetrics['began']>;
  dialect: Dialect;
  /** When it was known who asks, or that nobody need be known. */
  authenticatedAt: number;
  hasBody: boolean;
  path: string;
  route: Route | undefined;
  /** Of a request on a route of agents that was admitted. */
  agent: AdmittedAgent | undefined;
  /** What the policy is asked, once it is known. */
  action: string | undefined;
  subject: Subject | undefined;
  apiVersion: string | undefined;
  decisionId: string | undefined;
}

/** Milliseconds, and bytes, for which a body that nobody wants is still taken, so that the answer arrives. */
const LINGER_MS = 500;
const LINGER_BYTES = 8 * 1024 * 1024;
/** Milliseconds before the gateway reads the rest of a body after a 429, because reading to discard is work as well. */
const LINGER_TOO_MANY_MS = 200;

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

/** Answers with the error body of its API, unless the answer has begun: then the connection is cut. */
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
  // Set, not only written: the listener looks at it before it handles what follows on the connection.
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
  endLingering(exchange, thrown.status === 429 ? LINGER_TOO_MANY_MS : 0);
}

/** Answers OPTIONS as Ironic does, with an empty body, and says which methods the path takes. */
export function sendAllow(exchange: Exchange, allow: readonly string[]): void {
  exchange.response
    .writeHead(200, {
      ...answerHeaders(exchange),
      Allow: allow.join(', '),
      'Content-Length': 0,
    })
    .end();
}

/** Who may list nothing is told so, as who may list something is told what. */
const filterHeader = ({ route }: Exchange, status: number): Record<string, string> =>
  status === 403 && route?.isList === true ? { 'X-Tenure-Policy-Filter': 'none' } : {};

/**
 * Ends an answer whose request is still arriving. Closing at once would reset the connection, and the client
 * might never read the answer; so the rest is thrown away for a moment first.
 */
function endLingering({ request, response }: Exchange, waitMs: number): void {
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > LINGER_BYTES) end();
  });
  request.once('end', end).once('error', end).once('close', end);
  request.pause();
  setTimeout(() => request.resume(), waitMs);
}
