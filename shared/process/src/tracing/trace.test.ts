import { afterEach, describe, expect, it } from '@jest/globals';
import { type TracePlace } from './trace-place.js';
import {
  currentSpan,
  isTracing,
  type SpanOptions,
  startSpan,
  traced,
  traceFields,
  traceHeaders,
  type Tracer,
  useTracer,
} from './trace.js';

interface Made {
  readonly name: string;
  readonly options: SpanOptions;
  readonly above: string | undefined;
  readonly said: string[];
}

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

/** Numbers its spans from 1, and remembers what was said of each. */
function remembering(): { readonly tracer: Tracer; readonly made: Made[] } {
  const made: Made[] = [];
  const start = (name: string, options: SpanOptions, above: TracePlace | undefined) => {
    const said: string[] = [];
    made.push({ name, options, above: above?.spanId, said });
    return {
      place: { traceId: TRACE_ID, spanId: String(made.length).padStart(16, '0'), isSampled: true },
      rename: (to: string) => said.push(`renamed ${to}`),
      setAttributes: () => undefined,
      failed: (why: string) => said.push(`failed ${why}`),
      end: () => said.push('ended'),
    };
  };
  return { tracer: { start }, made };
}

afterEach(() => {
  useTracer(undefined);
});

describe('while tracing is disabled', () => {
  it('no span is created, and the traced work runs', async () => {
    const result = await traced('work', (span) => Promise.resolve([span, currentSpan()]));
    expect(result).toEqual([undefined, undefined]);
    expect(isTracing()).toBe(false);
    expect(startSpan('work')).toBeUndefined();
    expect(traceHeaders()).toEqual({});
    expect(traceFields()).toEqual({});
  });
});

describe('a span', () => {
  it('is below the one in which it begins, also after a wait, and ends with its work', async () => {
    const { tracer, made } = remembering();
    useTracer(tracer);
    await traced('outer', async () => {
      await Promise.resolve();
      await traced('inner', () => Promise.resolve());
    });
    expect(made.map(({ name, above, said }) => [name, above, said])).toEqual([
      ['outer', undefined, ['ended']],
      ['inner', '0000000000000001', ['ended']],
    ]);
  });

  it('is marked as failed with a code, and the error is thrown on', async () => {
    const { tracer, made } = remembering();
    useTracer(tracer);
    const error = Object.assign(new Error('of a secret'), { code: 'node_locked' });
    await expect(traced('work', () => Promise.reject(error))).rejects.toBe(error);
    expect(made[0]?.said).toEqual(['failed node_locked', 'ended']);
  });

  it('passes its position in the trace to the calls that it makes', async () => {
    const { tracer } = remembering();
    useTracer(tracer);
    const fields = await traced('work', () => Promise.resolve([traceHeaders(), traceFields()]));
    expect(fields).toEqual([
      { traceparent: `00-${TRACE_ID}-0000000000000001-01` },
      { trace_id: TRACE_ID, span_id: '0000000000000001' },
    ]);
  });

  it('of a call begins no trace: a call outside of any trace has no span', async () => {
    const { tracer, made } = remembering();
    useTracer(tracer);
    await traced('heartbeat', () => Promise.resolve(), { kind: 'client' });
    expect(made).toEqual([]);
  });
});
