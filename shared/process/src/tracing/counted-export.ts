import { ExportResultCode } from '@opentelemetry/core';
import { type ReadableSpan, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';
import { createOutage } from '../concurrency/outage.js';
import { type Logger } from '../logger.js';
import { metersOn, type Registry } from '../metrics.js';

/** Counts of spans, by outcome. */
export interface SpanCount {
  readonly ended: () => void;
  readonly dropped: () => void;
  readonly sent: (count: number) => void;
  readonly lost: (count: number, error: Error | undefined) => void;
  /** Spans that wait, or are on their way. */
  readonly pending: () => number;
}

/** Counts spans, and says once when the collector goes away and once when it is back. */
export function countSpans(registry: Registry, logger: Logger): SpanCount {
  let pending = 0;
  const outage = createOutage({
    began: (error) => {
      const reason = error instanceof Error ? error.name : undefined;
      logger.warn({ reason }, 'the collector does not take traces; they are lost');
    },
    ended: () => {
      logger.info('the collector takes traces again');
    },
  });
  const { adding, reading } = metersOn(registry);
  const spans = adding(
    'tenure_trace_spans_total',
    'Spans by outcome: exported, failed (the collector refused them) or dropped (the queue was full).',
    'outcome',
  );
  for (const outcome of ['exported', 'failed', 'dropped']) spans(0, outcome);
  reading(
    'tenure_trace_spans_pending',
    'Spans that are queued for the trace collector, or being sent to it.',
    () => pending,
  );
  return {
    ended: () => {
      pending += 1;
    },
    dropped: () => {
      spans(1, 'dropped');
    },
    sent: (count) => {
      pending -= count;
      spans(count, 'exported');
      outage.succeeded();
    },
    lost: (count, error) => {
      pending -= count;
      spans(count, 'failed');
      outage.failed(error);
    },
    pending: () => pending,
  };
}

/** An exporter whose successes and failures are counted. */
export const countedExporter = (exporter: SpanExporter, count: SpanCount): SpanExporter => ({
  export: (spans, done) => {
    exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) count.sent(spans.length);
      else count.lost(spans.length, result.error);
      done(result);
    });
  },
  shutdown: () => exporter.shutdown(),
  ...(exporter.forceFlush !== undefined && {
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  }),
});

/** Passes on as many spans as may wait, and counts those above the limit, which the processor itself does not report. */
export const boundedProcessor = (
  processor: SpanProcessor,
  count: SpanCount,
  limit: number,
): SpanProcessor => ({
  onStart: (span, context) => {
    processor.onStart(span, context);
  },
  onEnd: (span: ReadableSpan) => {
    if (count.pending() >= limit) {
      count.dropped();
      return;
    }
    count.ended();
    processor.onEnd(span);
  },
  forceFlush: () => processor.forceFlush(),
  shutdown: () => processor.shutdown(),
});
