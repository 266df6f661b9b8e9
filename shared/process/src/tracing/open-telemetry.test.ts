import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '../logger.js';
import { createRegistry } from '../metrics.js';
import { startTracing } from './start-tracing.js';
import { isTracing, startSpan, traceHeaders } from './trace.js';

const servers: Server[] = [];

/** A collector that keeps what it gets. */
async function collector() {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      bodies.push(text);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { bodies, url: `http://127.0.0.1:${String(port)}/v1/traces` };
}

async function start(env: Readonly<Record<string, string>>) {
  const registry = createRegistry('test');
  const tracing = await startTracing('test', env, registry, createLogger('test', 'silent'));
  const counted = async (outcome: string): Promise<number | undefined> => {
    const metric = await registry.getSingleMetric('tenure_trace_spans_total')?.get();
    return metric?.values.find(({ labels }) => labels['outcome'] === outcome)?.value;
  };
  return { tracing, counted };
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

describe('tracing', () => {
  it('is off without a collector', async () => {
    const { tracing } = await start({});
    expect(isTracing()).toBe(false);
    await tracing.stop();
  });

  it('is off when it is turned off, whatever the endpoint', async () => {
    const { tracing } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_SDK_DISABLED: 'true',
    });
    expect(isTracing()).toBe(false);
    await tracing.stop();
  });

  it('refuses an encoding that it does not speak', async () => {
    await expect(
      start({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      }),
    ).rejects.toThrow('OTEL_EXPORTER_OTLP_PROTOCOL must be: http/json');
  });

  it('flushes its spans when the part stops', async () => {
    const { bodies, url } = await collector();
    const { tracing, counted } = await start({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url });
    startSpan('work', { attributes: { 'tenure.node': 'n-1', left: undefined } })?.end();
    await tracing.stop();
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toContain('"tenure-test"');
    expect(bodies[0]).toContain('"work"');
    expect(await counted('exported')).toBe(1);
    expect(isTracing()).toBe(false);
  });

  it('drops and counts the spans that exceed the queue', async () => {
    const { bodies, url } = await collector();
    const { tracing, counted } = await start({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url,
      OTEL_BSP_MAX_QUEUE_SIZE: '3',
      OTEL_BSP_SCHEDULE_DELAY: '60000',
    });
    for (let count = 0; count < 5; count += 1) startSpan('work')?.end();
    expect(await counted('dropped')).toBeGreaterThan(0);
    await tracing.stop();
    expect(bodies.join('')).toContain('"work"');
    const counts = [await counted('exported'), await counted('dropped')];
    expect(counts.reduce<number>((sum, value) => sum + (value ?? 0), 0)).toBe(5);
  });

  it('samples its own traces, and follows the sampling decision of a parent', async () => {
    const { url } = await collector();
    const { tracing } = await start({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url,
      OTEL_TRACES_SAMPLER_ARG: '0',
    });
    const own = startSpan('own');
    const place = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true };
    const theirs = startSpan('theirs', { parent: place });
    expect(own?.place.isSampled).toBe(false);
    expect(traceHeaders(own)['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/u);
    expect(theirs?.place).toMatchObject({ traceId: 'a'.repeat(32), isSampled: true });
    for (const span of [own, theirs]) span?.end();
    await tracing.stop();
  });
});
