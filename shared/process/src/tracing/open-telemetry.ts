import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { TraceState } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { withoutTrailing } from '@tenure/contracts';
import { inTime } from '../concurrency/in-time.js';
import { type Logger } from '../logger.js';
import { type Registry } from '../metrics.js';
import { boundedProcessor, countedExporter, countSpans } from './counted-export.js';
import { type TracePlace } from './trace-place.js';
import { type Span, type SpanAttributes, type SpanOptions, type Tracer } from './trace.js';
import { type TracingConfig } from './variables.js';

/** Milliseconds in which a part that stops still sends what it has. */
const LAST_EXPORT_MS = 1000;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

/** OpenTelemetry's SDK as the tracer of a part. Only this file uses the SDK, and it is loaded only when tracing is enabled. */
export function openTracer(
  part: string,
  config: TracingConfig,
  registry: Registry,
  logger: Logger,
): { readonly tracer: Tracer; readonly close: () => Promise<void> } {
  const count = countSpans(registry, logger);
  // Headers and certificates for it the exporter reads from the environment by itself.
  const exporter = countedExporter(
    new OTLPTraceExporter({ url: urlOf(config), timeoutMillis: config.timeoutMs }),
    count,
  );
  const batches = new BatchSpanProcessor({
    exporter,
    maxQueueSize: config.queueSize,
    maxExportBatchSize: Math.min(config.batchSize, config.queueSize),
    scheduledDelayMillis: config.delayMs,
    exportTimeoutMillis: config.timeoutMs,
  });
  const provider = new TracerProvider({
    sampler: samplerOf(config),
    resource: resourceFromAttributes({
      'service.name': config.serviceName === '' ? `tenure-${part}` : config.serviceName,
      'service.namespace': 'tenure',
    }),
    spanProcessors: [boundedProcessor(batches, count, config.queueSize)],
  });
  const spans = provider.getTracer('tenure');
  const start = (name: string, options: SpanOptions, current: TracePlace | undefined): Span =>
    wrapped(
      spans.startSpan(
        name,
        {
          kind: options.kind === undefined ? SpanKind.INTERNAL : KINDS[options.kind],
          attributes: definedOnly(options.attributes),
          links: (options.links ?? []).map((place) => ({ context: contextOf(place) })),
          ...(options.startedAt !== undefined && { startTime: options.startedAt }),
        },
        below(options.parent === undefined ? current : options.parent),
      ),
    );
  return {
    tracer: { start },
    close: async () => {
      const closed = provider.shutdown().catch(() => undefined);
      await inTime(LAST_EXPORT_MS, closed, () => undefined);
    },
  };
}

const urlOf = ({ endpoint, tracesEndpoint }: TracingConfig): string =>
  tracesEndpoint === '' ? `${withoutTrailing(endpoint, '/')}/v1/traces` : tracesEndpoint;

function samplerOf({ sampler, ratio }: TracingConfig): Sampler {
  const root = sampler.endsWith('traceidratio')
    ? new TraceIdRatioBasedSampler(ratio)
    : sampler.endsWith('always_on')
      ? new AlwaysOnSampler()
      : new AlwaysOffSampler();
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

const wrapped = (span: OtelSpan): Span => ({
  place: placeIn(span.spanContext()),
  rename: (name) => {
    span.updateName(name);
  },
  setAttributes: (attributes) => {
    span.setAttributes(definedOnly(attributes));
  },
  failed: (why) => {
    span.setAttribute('error.type', why).setStatus({ code: SpanStatusCode.ERROR });
  },
  end: () => {
    span.end();
  },
});

const definedOnly = (attributes: SpanAttributes = {}): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

const contextOf = ({ traceId, spanId, isSampled, state }: TracePlace): SpanContext => ({
  traceId,
  spanId,
  traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: true,
  ...(state !== undefined && { traceState: new TraceState(state) }),
});

const below = (parent: TracePlace | null | undefined): Context =>
  parent === null || parent === undefined
    ? ROOT_CONTEXT
    : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent));

const placeIn = (context: SpanContext): TracePlace => ({
  traceId: context.traceId,
  spanId: context.spanId,
  isSampled: (context.traceFlags & TraceFlags.SAMPLED) !== 0,
  state: context.traceState?.serialize(),
});
