import { createSecretKey, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type CallContext, NO_OBLIGATIONS } from '@tenure/contracts';
import {
  createLogger,
  createRegistry,
  createRequestMetrics,
  inSpan,
  type Span,
  traceHeaders,
  useTracer,
} from '@tenure/process';
import { type ContextKeys } from '@tenure/signed-context';
import { Router } from 'express';
import { type Listener, startListener } from './listener.js';
import { createServiceApp } from './service-app.js';
import { createServiceClient, type ServiceClient } from './service-client.js';

const KEY = [createSecretKey(randomBytes(32))] as const;
const THEIRS = 'a'.repeat(32);
const OURS = 'f'.repeat(32);

const context: CallContext = {
  request_id: 'req-1',
  subject: null,
  action: 'baremetal:node:get',
  decision_id: null,
  api_version: '1.65',
  public_base: '',
  resources: [],
  obligations: NO_OBLIGATIONS,
};

const registry = createRegistry('inventory');
const ended: string[] = [];
let listener: Listener;
let client: ServiceClient;

function spanIn(traceId: string, begun: string): Span {
  let name = begun;
  return {
    place: { traceId, spanId: 'b'.repeat(16), isSampled: true },
    rename: (to) => {
      name = to;
    },
    setAttributes: () => undefined,
    failed: () => undefined,
    end: () => {
      ended.push(`${traceId.slice(0, 1)} ${name}`);
    },
  };
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setImmediate(resolve));
}

beforeAll(async () => {
  const router = Router();
  router.get('/internal/nodes/:ident', (_request, response) => {
    response.json({ trace: traceHeaders()['traceparent'] ?? null });
  });
  const keys: ContextKeys = {
    self: 'inventory',
    outgoing: new Map(),
    incoming: new Map([['gateway', KEY]]),
  };
  const app = createServiceApp({
    keys,
    logger: createLogger('test', 'silent'),
    bodyLimit: 1000,
    metrics: createRequestMetrics(registry),
    routers: [router],
  });
  listener = await startListener(app, { host: '127.0.0.1', port: 0, drainMs: 100 });
  client = createServiceClient({
    part: 'inventory',
    baseUrl: `http://127.0.0.1:${String(listener.port)}`,
    keys: { self: 'gateway', outgoing: new Map([['inventory', KEY]]), incoming: new Map() },
    deadlineMs: 15_000,
  });
});

afterEach(() => {
  useTracer(undefined);
  ended.length = 0;
});

afterAll(async () => {
  await client.close();
  await listener.stop();
});

const read = (): Promise<unknown> =>
  client.call({ method: 'GET', target: '/internal/nodes/n-1', context });

describe('a request to a service', () => {
  it('has no span while tracing is disabled', async () => {
    expect(await read()).toEqual({ trace: null });
  });

  it('joins the trace of the part that sent it, in a span named by its route', async () => {
    useTracer({
      start: (name, { parent }, above) => spanIn((parent ?? above)?.traceId ?? OURS, name),
    });
    const answer = await inSpan(spanIn(THEIRS, 'outer'), read);
    expect(answer).toEqual({ trace: `00-${THEIRS}-${'b'.repeat(16)}-01` });
    await until(() => ended.length === 2);
    expect(ended.sort()).toEqual(['a GET /internal/nodes/:ident', 'a GET inventory']);
  });

  it('names no trace without a good context', async () => {
    useTracer({ start: (name, { parent }) => spanIn(parent?.traceId ?? OURS, name) });
    const response = await fetch(`http://127.0.0.1:${String(listener.port)}/internal/nodes/n-1`, {
      headers: { traceparent: `00-${THEIRS}-${'b'.repeat(16)}-01` },
    });
    expect(response.status).toBe(401);
    expect(ended).toEqual([]);
  });

  it('is counted by its route and class of status, whoever sent it', async () => {
    registry.resetMetrics();
    await read();
    await (await fetch(`http://127.0.0.1:${String(listener.port)}/internal/nodes/n-2`)).text();
    const text = await registry.metrics();
    const counts = text
      .split('\n')
      .filter((line) => line.startsWith('tenure_http_request_duration_seconds_count'));
    expect(counts.sort()).toEqual([
      'tenure_http_request_duration_seconds_count{part="inventory",method="GET",route="/internal/nodes/:ident",status="2xx"} 1',
      'tenure_http_request_duration_seconds_count{part="inventory",method="GET",route="none",status="4xx"} 1',
    ]);
    expect(text).toContain('tenure_http_requests_in_flight{part="inventory"} 0');
  });
});
