import { AsyncLocalStorage } from 'node:async_hooks';
import { type TracePlace, traceparentOf } from './trace-place.js';

/** Attributes of a span: ids, names and numbers, never a secret, a body or a query. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  /** `server` for a request that came, `client` for one that goes out. */
  readonly kind?: 'server' | 'client';
  /** In place of the current span; null begins a trace. */
  readonly parent?: TracePlace | null | undefined;
  /** Of other traces, or of work that has ended before. */
  readonly links?: readonly TracePlace[] | undefined;
  readonly attributes?: SpanAttributes;
  /** Milliseconds since 1970, when the work began before the span was created. */
  readonly startedAt?: number;
}

/** A piece of work in a trace. Nothing here throws, and nothing waits. */
export interface Span {
  readonly place: TracePlace;
  readonly rename: (name: string) => void;
  readonly setAttributes: (attributes: SpanAttributes) => void;
  /** Marks it as failed; `why` is a word or a code, not a message. */
  readonly failed: (why: string) => void;
  /** Exactly once. */
  readonly end: () => void;
}

/** Creates and exports spans: the port for OpenTelemetry. */
export interface Tracer {
  readonly start: (name: string, options: SpanOptions, current: TracePlace | undefined) => Span;
}

const current = new AsyncLocalStorage<Span>();
/** Of this process; undefined while tracing is disabled, and then nothing below does any work. */
const live: { tracer: Tracer | undefined } = { tracer: undefined };

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

/** Enables or disables tracing for this process. */
export function useTracer(tracer: Tracer | undefined): void {
  live.tracer = tracer;
}

/** Whether tracing is enabled: checked before anything is computed for traces only. */
export const isTracing = (): boolean => live.tracer !== undefined;

/** The span in which this code runs. */
export const currentSpan = (): Span | undefined =>
  live.tracer === undefined ? undefined : current.getStore();

/**
 * Begins a span below the current one; undefined while tracing is disabled. The caller ends the span. A call to another part
 * never begins a trace: otherwise each heartbeat and poll would be a trace of its own.
 */
export function startSpan(name: string, options: SpanOptions = {}): Span | undefined {
  if (live.tracer === undefined) return undefined;
  const above = current.getStore()?.place;
  if (options.kind === 'client' && above === undefined) return undefined;
  return live.tracer.start(name, options, above);
}

/** Runs something in a span, which it does not end. */
export const inSpan = <T>(span: Span | undefined, run: () => T): T =>
  span === undefined ? run() : current.run(span, run);

/** Runs something in a span of its own, which ends with it, and fails when it throws. */
export function traced<T>(
  name: string,
  run: (span: Span | undefined) => Promise<T>,
  options?: SpanOptions,
): Promise<T> {
  const span = startSpan(name, options);
  return span === undefined ? run(undefined) : within(span, run);
}

/** The headers by which another part joins the trace: of a span, or of the current one. */
export function traceHeaders(span = currentSpan()): Readonly<Record<string, string>> {
  if (span === undefined) return NO_HEADERS;
  const { place } = span;
  return {
    traceparent: traceparentOf(place),
    ...(place.state !== undefined && { tracestate: place.state }),
  };
}

/** Names the trace in a line of a log. */
export const traceFields = (span = currentSpan()): Readonly<Record<string, string>> =>
  span === undefined ? {} : { trace_id: span.place.traceId, span_id: span.place.spanId };

async function within<T>(span: Span, run: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await current.run(span, run, span);
  } catch (error) {
    span.failed(whyOf(error));
    throw error;
  } finally {
    span.end();
  }
}

function whyOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'error';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.name : 'error';
}
