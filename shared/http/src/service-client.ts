import { type Static, type TSchema, Type } from '@sinclair/typebox';
import {
  AppError,
  type CallContext,
  CONTEXT_HEADER,
  type ContextClaims,
  matches,
  type PartName,
  TenancyChangedError,
  UnavailableError,
} from '@tenure/contracts';
import {
  KEPT_IDLE_MS,
  type ObserveDependency,
  observed,
  traced,
  traceHeaders,
} from '@tenure/process';
import { type ContextKeys, signContext } from '@tenure/signed-context';
import { Pool } from 'undici';
import { repeatOnFailedConnection } from './repeat.js';
import { untilAborted } from './until-aborted.js';

export interface ServiceClientOptions {
  /** The part that it calls. */
  readonly part: PartName;
  /** For example `http://127.0.0.1:8182`. */
  readonly baseUrl: string;
  readonly keys: ContextKeys;
  /** Milliseconds until an unanswered call counts as failed. */
  readonly deadlineMs: number;
  /** Connections kept to the service. */
  readonly connections?: number;
  /** Called with the outcome of each call. */
  readonly observe?: ObserveDependency | undefined;
}

/** One call. Its method, target and body are signed together with its context. */
export interface ServiceCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly target: string;
  readonly body?: unknown;
  readonly context: CallContext & Pick<ContextClaims, 'client_address' | 'agent_credentials'>;
}

export interface ServiceClient {
  /**
   * The parsed JSON answer, or undefined for an empty one.
   * @throws TenancyChangedError when the decision of the context is stale
   * @throws AppError with the service's own code and status for what else it refuses with 4xx
   * @throws UnavailableError when the service does not answer in time, or with anything unexpected
   */
  readonly call: (call: ServiceCall) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const ProblemShape = Type.Object({
  code: Type.String(),
  detail: Type.String(),
  status: Type.Integer(),
});
/** A public route of another part says its errors as Ironic does: a JSON text in a JSON text. */
const IronicShape = Type.Object({ error_message: Type.String() });
const IronicFault = Type.Object({ faultstring: Type.String() });
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
/** Calls that may wait for a connection. Those given up stay among them until one comes about or fails. */
const MAX_WAITING = 1024;

interface Refusal {
  readonly code: string;
  readonly detail: string;
}

/** An answer as the schema's type. @throws UnavailableError: a part that answers with anything else is as good as none */
export function expectAnswer<S extends TSchema>(
  schema: S,
  answer: unknown,
  service: PartName = 'inventory',
): Static<S> {
  if (!matches(schema, answer)) throw unusable(service);
  return answer;
}

/** A call whose answer must have the schema. @throws as `call` and `expectAnswer` */
export const callFor = async <S extends TSchema>(
  client: Pick<ServiceClient, 'call'>,
  schema: S,
  call: ServiceCall,
): Promise<Static<S>> => expectAnswer(schema, await client.call(call));

/**
 * A page of a list. The query requested one row more than the page has, which shows whether there are more.
 * @param more says the service, whose pages are also bounded in bytes
 */
export const pageOf = <Row>(
  rows: readonly Row[],
  limit: number,
  more = false,
): { readonly rows: readonly Row[]; readonly more: boolean } => ({
  rows: rows.slice(0, limit),
  more: more || rows.length > limit,
});

/** A client to another part: one pool, a signed context on every call, a deadline on every call. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { part } = options;
  const pool = new Pool(options.baseUrl, {
    connections: options.connections ?? 32,
    headersTimeout: options.deadlineMs,
    bodyTimeout: options.deadlineMs,
    connect: { timeout: Math.min(options.deadlineMs, 2000) },
    keepAliveTimeout: KEPT_IDLE_MS,
    // Overrides the service's `Keep-Alive` header: the service keeps connections for longer than that.
    keepAliveMaxTimeout: KEPT_IDLE_MS,
    maxResponseSize: MAX_ANSWER_BYTES,
  });
  const send = async ({ method, target, body, context }: ServiceCall): Promise<unknown> => {
    if (pool.stats.queued >= MAX_WAITING)
      throw new UnavailableError(`Too many calls wait for the ${part} service.`);
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const signed = signContext(options.keys, { ...context, aud: part, method, target }, bytes);
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(options.deadlineMs);
    const ask = async (): Promise<{ readonly status: number; readonly text: string }> => {
      const request = pool.request({
        method,
        path: target,
        headers: {
          [CONTEXT_HEADER]: signed,
          ...traceHeaders(),
          ...(bytes.length > 0 && { 'content-type': 'application/json' }),
        },
        body: bytes.length > 0 ? bytes : null,
        signal,
      });
      const response = await untilAborted(request, signal);
      return { status: response.statusCode, text: await response.body.text() };
    };
    const { status, text } = await repeatOnFailedConnection(ask, method === 'GET').catch(
      (error: unknown) => {
        throw new UnavailableError(`The ${part} service did not answer.`, {
          cause: error,
        });
      },
    );
    // A process that was frozen finds the answer before its timers run: what it says may be over, a lock for example.
    if (performance.now() - startedAt > options.deadlineMs)
      throw new UnavailableError(`The ${part} service answered too late.`);
    const answer = parseAnswer(text, part);
    if (status >= 200 && status < 300) return answer;
    throw failureOf(status, answer, part);
  };
  const call = (request: ServiceCall): Promise<unknown> => {
    const { method } = request;
    return traced(
      `${method} ${part}`,
      () => observed(options.observe, part, () => send(request), outcomeOf),
      {
        kind: 'client',
        attributes: { 'http.request.method': method, 'peer.service': `tenure-${part}` },
      },
    );
  };
  return { call, close: () => pool.close() };
}

const unusable = (service: PartName, cause?: unknown): UnavailableError =>
  new UnavailableError(`The ${service} service gave an unusable answer.`, { cause });

function parseAnswer(text: string, service: PartName): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unusable(service, error);
  }
}

function failureOf(status: number, answer: unknown, service: PartName): AppError {
  const refusal = refusalIn(status, answer);
  // A 401 between parts is our own misconfiguration, not the caller's fault.
  if (status < 400 || status >= 500 || status === 401 || refusal === undefined)
    return new UnavailableError(`The ${service} service could not answer.`, { cause: { status } });
  return refusal.code === 'tenancy_changed'
    ? new TenancyChangedError()
    : new AppError(refusal.code, status, refusal.detail);
}

const outcomeOf = (error: unknown): 'refused' | 'failed' =>
  error instanceof AppError && error.status < 500 ? 'refused' : 'failed';

/** Why it was refused; undefined when the answer has none of the supported bodies. */
function refusalIn(status: number, answer: unknown): Refusal | undefined {
  if (matches(ProblemShape, answer)) return answer;
  if (!matches(IronicShape, answer)) return undefined;
  const fault = jsonIn(answer.error_message);
  if (!matches(IronicFault, fault)) return undefined;
  return { code: status === 412 ? 'tenancy_changed' : 'refused', detail: fault.faultstring };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
