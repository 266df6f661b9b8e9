import { isJsonObject, type JsonObject } from '@tenure/contracts';
import { type PlaceGuard, untilAborted } from '@tenure/http';
import { type Deadline, deadlineWithin, isOver, remainingMs, traced } from '@tenure/process';
import { Pool } from 'undici';
import { type BmcMethod, type ObserveBmcCall } from '../../ports/bmc-observer.js';
import { BmcCallFailure, fromStatus, fromTransport, notRedfish } from './bmc-error.js';
import { CONCURRENT_PER_BMC } from './bmc-limits.js';
import { guardedConnector } from './guarded-connector.js';
import { linkOf, pathOf } from './json.js';
import { type OpenSockets } from './open-sockets.js';
import { type TlsTrust } from './trust.js';

/** Limits of every conversation with a BMC. */
export interface BmcLimits {
  readonly connectMs: number;
  readonly callMs: number;
  readonly maxAnswerBytes: number;
}

export const BMC_LIMITS: BmcLimits = {
  connectMs: 5000,
  callMs: 10_000,
  maxAnswerBytes: 4 * 1024 * 1024,
};

export interface BmcRequest {
  readonly method: BmcMethod;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface BmcAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON object; empty when the body was. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Connections to one BMC. No authentication, no retries: one call, one answer or one failure. */
export interface BmcTransport {
  readonly call: (request: BmcRequest, deadline: Deadline) => Promise<BmcAnswer>;
  readonly close: () => Promise<void>;
}

const MAX_REDIRECTS = 3;
const KEEP_ALIVE_MS = 60_000;

/** Settings of calls to a BMC. */
export interface BmcWay {
  readonly trust: TlsTrust;
  /** Decides which addresses may be called. */
  readonly guard: PlaceGuard;
  /** The connections to all BMCs. */
  readonly sockets: OpenSockets;
  readonly limits: BmcLimits;
  readonly observe: ObserveBmcCall;
}

/** Opens (lazily) the connections to the BMC at `origin`. */
export function createBmcTransport(origin: string, way: BmcWay): BmcTransport {
  const { limits, observe, sockets } = way;
  const pool = openPool(origin, way);
  const { hostname } = new URL(origin);
  const untraced = async (request: BmcRequest, deadline: Deadline): Promise<BmcAnswer> => {
    const callMs = Math.min(limits.callMs, remainingMs(deadline));
    if (isOver(deadline))
      throw new BmcCallFailure('timeout', 'no time was left to ask the BMC', { maybeSent: false });
    const late = AbortSignal.timeout(Math.max(1, Math.ceil(callMs)));
    const started = performance.now();
    let outcome = 'failed';
    try {
      const signal = AbortSignal.any([deadline.signal, late]);
      const answer = await exchange(pool, request, { signal, reset: sockets.isFull() });
      outcome = `${String(Math.floor(answer.status / 100))}xx`;
      return answer;
    } catch (error) {
      const failure = error instanceof BmcCallFailure ? error : fromTransport(error, callMs);
      outcome = failure.kind;
      throw failure;
    } finally {
      observe(request.method, outcome, (performance.now() - started) / 1000);
    }
  };
  // The path without a query: Redfish has no secrets there, and a body is never traced.
  const once = (request: BmcRequest, deadline: Deadline): Promise<BmcAnswer> =>
    traced(
      `${request.method} redfish`,
      async (span) => {
        const answer = await untraced(request, deadline);
        span?.setAttributes({ 'http.response.status_code': answer.status });
        return answer;
      },
      {
        kind: 'client',
        attributes: {
          'http.request.method': request.method,
          'server.address': hostname,
          'url.path': request.path.split('?')[0],
        },
      },
    );
  const call = async (request: BmcRequest, deadline: Deadline): Promise<BmcAnswer> => {
    const whole = deadlineWithin(deadline, limits.callMs);
    let { path } = request;
    let answer = await once(request, whole);
    for (let hop = 0; request.method === 'GET' && hop < MAX_REDIRECTS; hop += 1) {
      const next = redirectOf(origin, path, answer);
      if (next === undefined) break;
      path = next;
      answer = await once({ ...request, path }, whole);
    }
    return answer;
  };
  return { call, close: () => pool.destroy() };
}

/** An answer that must be a success. */
export function succeeded(answer: BmcAnswer): BmcAnswer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw fromStatus(answer.status, answer.data);
}

/** The path of the resource that a POST created, from its response. */
export function createdAt({ headers, data }: BmcAnswer): string | undefined {
  const { location } = headers;
  const path = location === undefined ? undefined : URL.parse(location, 'http://bmc')?.pathname;
  return pathOf(path) ?? linkOf(data);
}

const openPool = (origin: string, { trust, limits, guard, sockets }: BmcWay): Pool =>
  new Pool(origin, {
    connections: CONCURRENT_PER_BMC,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: limits.callMs,
    bodyTimeout: limits.callMs,
    maxResponseSize: limits.maxAnswerBytes,
    connect: guardedConnector(
      origin,
      { guard, sockets },
      {
        timeout: limits.connectMs,
        rejectUnauthorized: trust.rejectUnauthorized,
        ...(trust.ca !== undefined && { ca: [...trust.ca] }),
      },
    ),
  });

async function exchange(
  pool: Pool,
  request: BmcRequest,
  { signal, reset }: { readonly signal: AbortSignal; readonly reset: boolean },
): Promise<BmcAnswer> {
  const { method, path, body } = request;
  const answering = pool.request({
    method,
    path,
    headers: {
      accept: 'application/json',
      'odata-version': '4.0',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...request.headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal,
    reset,
  });
  const response = await untilAborted(answering, signal);
  const text = await response.body.text();
  const status = response.statusCode;
  return { status, headers: firstOf(response.headers), data: parsed(text, status) };
}

function redirectOf(origin: string, path: string, answer: BmcAnswer): string | undefined {
  const location = answer.headers['location'];
  if (answer.status < 300 || answer.status >= 400 || location === undefined) return undefined;
  const target = URL.parse(location, `${origin}${path}`);
  return target?.origin === origin ? `${target.pathname}${target.search}` : undefined;
}

const firstOf = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value;
      return first === undefined ? [] : [[name, first]];
    }),
  );

function parsed(text: string, status: number): JsonObject {
  if (text.trim() === '') return {};
  try {
    const data: unknown = JSON.parse(text);
    if (isJsonObject(data)) return data;
  } catch {
    // an error page in HTML: its status says enough
  }
  if (status >= 300) return {};
  throw notRedfish('malformed', 'the answer was not a JSON object', { maybeSent: true, status });
}
