import { mkdtempSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CallContext,
  ConflictError,
  NO_OBLIGATIONS,
  TenancyChangedError,
  UnavailableError,
} from '@tenure/contracts';
import { createLogger } from '@tenure/process';
import { type ContextKeys, loadContextKeys, signContext } from '@tenure/signed-context';
import { Router } from 'express';
import { type Listener, startListener } from './listener.js';
import { contextOf, createServiceApp, onlyFrom } from './service-app.js';
import { createServiceClient, type ServiceClient } from './service-client.js';

const KEY = Buffer.alloc(32, 7).toString('base64url');

function keysOf(
  self: 'gateway' | 'conductor' | 'inventory',
  pairs: readonly string[],
): ContextKeys {
  const dir = mkdtempSync(path.join(tmpdir(), 'service-app-'));
  for (const pair of pairs) writeFileSync(path.join(dir, `${pair}.key`), KEY);
  return loadContextKeys(dir, self);
}

const context: CallContext = {
  request_id: 'req-1',
  subject: null,
  action: 'baremetal:node:get',
  decision_id: null,
  api_version: '1.65',
  public_base: '',
  resources: [],
  obligations: {
    ...NO_OBLIGATIONS,
    filter: { mode: 'none', predicates: [] },
    fields: { masked: [], read_only: [] },
  },
};

function routes(): Router {
  const router = Router();
  router.post('/internal/echo', (request, response) => {
    response.json({ body: request.body as unknown, caller: contextOf(request).iss });
  });
  router.get('/internal/gateway-only', onlyFrom('gateway'), (_request, response) => {
    response.json({ ok: true });
  });
  router.get('/v1/broken', () => {
    throw new Error('password=hunter2');
  });
  router.get('/internal/stale', () => {
    throw new TenancyChangedError();
  });
  router.get('/internal/locked', () => {
    throw new ConflictError('node_locked', 'Node n1 is locked.');
  });
  router.get('/v1/locked', () => {
    throw new ConflictError('node_locked', 'Node n1 is locked by host c1.');
  });
  router.get('/v1/stale', () => {
    throw new TenancyChangedError();
  });
  router.get('/v1/unserved', () => {
    throw new UnavailableError('No conductor serves the node.', { cause: new Error('timeout') });
  });
  router.get('/internal/silent', () => undefined);
  return router;
}

const lines: string[] = [];
let listener: Listener;
let base: string;
let client: ServiceClient;
const gateway = keysOf('gateway', ['gateway--inventory']);

/** For calls that succeed, however busy the machine is. */
const LONG_DEADLINE_MS = 15_000;

beforeAll(async () => {
  const app = createServiceApp({
    keys: keysOf('inventory', ['gateway--inventory', 'conductor--inventory']),
    logger: createLogger('test', 'warn', {
      write: (line: string) => {
        lines.push(line);
      },
    }),
    bodyLimit: 1000,
    routers: [routes()],
  });
  listener = await startListener(app, { host: '127.0.0.1', port: 0, drainMs: 100 });
  base = `http://127.0.0.1:${String(listener.port)}`;
  client = createServiceClient({
    part: 'inventory',
    baseUrl: base,
    keys: gateway,
    deadlineMs: LONG_DEADLINE_MS,
  });
});

afterAll(async () => {
  await client.close();
  await listener.stop();
});

const signed = (method: string, target: string, body = ''): Record<string, string> => ({
  'x-tenure-context': signContext(
    gateway,
    { ...context, aud: 'inventory', method, target },
    Buffer.from(body),
  ),
});

describe('the log of a service', () => {
  const linesOf = async (target: string): Promise<readonly Record<string, unknown>[]> => {
    lines.length = 0;
    await fetch(`${base}${target}`, { headers: signed('GET', target) });
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it('warns of a refusal with its message and cause, and without a stack', async () => {
    const [line, ...others] = await linesOf('/v1/unserved');
    expect(others).toEqual([]);
    expect(line).toMatchObject({
      level: 'warn',
      status: 503,
      code: 'unavailable',
      msg: 'No conductor serves the node.',
      cause: 'timeout',
      path: '/v1/unserved',
      request_id: 'req-1',
    });
    expect(line).not.toHaveProperty('err');
  });

  it('has the stack of an unexpected error', async () => {
    const [line] = await linesOf('/v1/broken');
    expect(line).toMatchObject({ level: 'error', status: 500 });
    expect(JSON.stringify(line?.['err'])).toContain('service-app.test.ts');
  });

  it('has no line of its own for a refusal that is the caller’s doing', async () => {
    expect(await linesOf('/internal/locked')).toEqual([]);
  });
});

describe('a service', () => {
  it.each(['/v1/nodes', '/internal/echo', '/no/such/path'])(
    'answers 401 without a context, even for %s',
    async (target) => {
      expect((await fetch(`${base}${target}`)).status).toBe(401);
    },
  );

  it('answers 401 to a context that was made for another body', async () => {
    const headers = signed('POST', '/internal/echo', '{"a":1}');
    const response = await fetch(`${base}/internal/echo`, {
      method: 'POST',
      headers,
      body: '{"a":2}',
    });
    expect(response.status).toBe(401);
  });

  it('takes a good context and the body that it was made for', async () => {
    const headers = signed('POST', '/internal/echo', '{"a":1}');
    const response = await fetch(`${base}/internal/echo`, {
      method: 'POST',
      headers,
      body: '{"a":1}',
    });
    expect(await response.json()).toEqual({ body: { a: 1 }, caller: 'gateway' });
  });

  it('answers 401 to a body over the limit with a bad context, and reads none of it', async () => {
    const [head, payload] = signed('POST', '/internal/echo')['x-tenure-context']?.split('.') ?? [];
    const response = await fetch(`${base}/internal/echo`, {
      method: 'POST',
      headers: { 'x-tenure-context': `${String(head)}.${String(payload)}.${'A'.repeat(43)}` },
      body: 'x'.repeat(2000),
    });
    expect(response.status).toBe(401);
  });

  it('answers 404 to a path that it does not have only with a valid context', async () => {
    const response = await fetch(`${base}/internal/nothing`, {
      headers: signed('GET', '/internal/nothing'),
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
    ]);
  });

  it('answers 413 to a body over the limit', async () => {
    const body = JSON.stringify('x'.repeat(1000));
    const response = await fetch(`${base}/internal/echo`, {
      method: 'POST',
      headers: signed('POST', '/internal/echo', body),
      body,
    });
    expect(response.status).toBe(413);
  });

  it('does not reveal an unexpected error in the body that Ironic clients parse', async () => {
    const response = await fetch(`${base}/v1/broken`, { headers: signed('GET', '/v1/broken') });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      500,
      'application/json',
    ]);
    expect(await response.json()).toEqual({
      error_message:
        '{"faultcode":"Server","faultstring":"An unexpected error happened.","debuginfo":null}',
    });
  });
});

describe('a malformed context', () => {
  const target = '/internal/echo';
  /** The status of a request over a raw socket, so that its header may contain any byte. */
  const statusOf = (...values: readonly (string | Buffer)[]): Promise<number> =>
    new Promise((resolve, reject) => {
      const socket = net.connect(listener.port, '127.0.0.1', () => {
        socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`);
        for (const value of values) {
          socket.write('X-Tenure-Context: ');
          socket.write(value);
          socket.write('\r\n');
        }
        socket.write('\r\n');
      });
      socket.once('data', (chunk) => {
        resolve(Number(chunk.toString().split(' ')[1]));
        socket.destroy();
      });
      socket.once('error', reject);
    });
  const honest = signed('GET', target)['x-tenure-context'] ?? '';
  const [head = '', payload = '', mac = ''] = honest.split('.');

  it.each([['A'], ['.'], ['=']])('is 401 with %s in the place of any character', async (wrong) => {
    const positions = Array.from(honest).flatMap((character, at) =>
      character === wrong ? [] : [at],
    );
    const statuses = new Set<number>();
    for (const at of positions)
      statuses.add(await statusOf(honest.slice(0, at) + wrong + honest.slice(at + 1)));
    expect([...statuses]).toEqual([401]);
  });

  it.each<readonly [string, ...(string | Buffer)[]]>([
    ['empty', ''],
    ['cut', honest.slice(0, -1)],
    ['doubled', honest + honest],
    ['given in two headers', honest, honest],
    ['a list', `${honest}, ${honest}`],
    ['padded', `${honest}=`],
    ['percent-encoded', honest.replaceAll('.', '%2E')],
    ['broken by a blank', `${head}. ${payload}.${mac}`],
    ['of bytes that are no UTF-8', Buffer.from([0xff, 0xfe, 0xc0, 0x80])],
    ['of UTF-8', 'é😀.é.é'],
    [
      'with a payload that is no JSON',
      `${head}.${Buffer.from('{"iss":').toString('base64url')}.${mac}`,
    ],
    ['as long as headers may be', 'A'.repeat(15_000)],
  ])('is 401 when it is %s', async (_what, ...values) => {
    expect(await statusOf(...values)).toBe(401);
  });

  it('is refused by the parser when HTTP forbids the byte, and the service continues', async () => {
    expect(await statusOf(`${head}\u0000.${payload}.${mac}`)).toBe(400);
    expect(await statusOf('A'.repeat(20_000))).toBe(400);
    const response = await fetch(`${base}/internal/gateway-only`, {
      headers: signed('GET', '/internal/gateway-only'),
    });
    expect(response.status).toBe(200);
  });
});

describe('a replayed context', () => {
  const sendEcho = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${base}/internal/echo`, { method: 'POST', headers, body: '{"a":1}' });

  it('changes nothing a second time, and is logged', async () => {
    const headers = signed('POST', '/internal/echo', '{"a":1}');
    expect((await sendEcho(headers)).status).toBe(200);
    lines.length = 0;
    const again = await sendEcho(headers);
    expect([again.status, await again.json()]).toEqual([
      401,
      {
        type: 'about:blank',
        title: 'Unauthorized',
        status: 401,
        detail: 'The signed context was used before.',
        code: 'context_replayed',
      },
    ]);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 'warn', code: 'context_replayed', request_id: 'req-1', path: '/internal/echo' },
    ]);
  });

  it('permits one of several simultaneous requests', async () => {
    const headers = signed('POST', '/internal/echo', '{"a":1}');
    const answers = await Promise.all(Array.from({ length: 20 }, () => sendEcho(headers)));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 401)]);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('is refused for %s', async (method) => {
    const headers = signed(method, '/no/such/path');
    const statuses: number[] = [];
    for (let time = 0; time < 2; time += 1)
      statuses.push((await fetch(`${base}/no/such/path`, { method, headers })).status);
    expect(statuses).toEqual([404, 401]);
  });

  it('may read again: a list is passed to a reader and back', async () => {
    const headers = signed('GET', '/internal/gateway-only');
    for (let time = 0; time < 3; time += 1)
      expect((await fetch(`${base}/internal/gateway-only`, { headers })).status).toBe(200);
  });
});

describe('a service client', () => {
  it('reaches a route that is for it', async () => {
    await expect(
      client.call({ method: 'GET', target: '/internal/gateway-only', context }),
    ).resolves.toEqual({ ok: true });
  });

  it('is refused on a route that is for another caller', async () => {
    const conductor = createServiceClient({
      part: 'inventory',
      baseUrl: base,
      keys: keysOf('conductor', ['conductor--inventory']),
      deadlineMs: LONG_DEADLINE_MS,
    });
    await expect(
      conductor.call({ method: 'GET', target: '/internal/gateway-only', context }),
    ).rejects.toMatchObject({ status: 403 });
    await conductor.close();
  });

  it('passes on the code, status and stale mark of a problem', async () => {
    await expect(
      client.call({ method: 'GET', target: '/internal/locked', context }),
    ).rejects.toMatchObject({
      code: 'node_locked',
      status: 409,
      message: 'Node n1 is locked.',
    });
    await expect(
      client.call({ method: 'GET', target: '/internal/stale', context }),
    ).rejects.toMatchObject({
      code: 'tenancy_changed',
      status: 412,
      headers: { 'X-Tenure-Stale': 'tenancy' },
    });
  });

  it('reads the refusal of a public route, which has Ironic’s body', async () => {
    await expect(
      client.call({ method: 'GET', target: '/v1/locked', context }),
    ).rejects.toMatchObject({
      code: 'refused',
      status: 409,
      message: 'Node n1 is locked by host c1.',
    });
    await expect(
      client.call({ method: 'GET', target: '/v1/stale', context }),
    ).rejects.toMatchObject({
      code: 'tenancy_changed',
      status: 412,
      headers: { 'X-Tenure-Stale': 'tenancy' },
    });
    await expect(
      client.call({ method: 'GET', target: '/v1/unserved', context }),
    ).rejects.toMatchObject({ code: 'unavailable', status: 503 });
  });

  it('calls a service that does not answer in time, or is not there, unavailable', async () => {
    const impatient = createServiceClient({
      part: 'inventory',
      baseUrl: base,
      keys: gateway,
      deadlineMs: 300,
    });
    await expect(
      impatient.call({ method: 'GET', target: '/internal/silent', context }),
    ).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    await impatient.close();
    const nowhere = createServiceClient({
      part: 'inventory',
      baseUrl: 'http://127.0.0.1:1',
      keys: gateway,
      deadlineMs: 300,
    });
    await expect(nowhere.call({ method: 'GET', target: '/', context })).rejects.toMatchObject({
      status: 503,
    });
    await nowhere.close();
  });
});

describe('a listener', () => {
  it('answers once, and closes, when the HTTP parser refuses a request', async () => {
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = net.connect(listener.port, '127.0.0.1', () =>
        socket.write(
          'GET / HTTP/1.1\r\nHost: a\r\nBad Header: x\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
        ),
      );
      socket.on('data', (chunk) => {
        text += chunk.toString();
      });
      socket.on('close', () => {
        resolve(text);
      });
    });
    expect(answer.match(/HTTP\/1\.1 /gu)).toHaveLength(1);
    expect(answer).toContain('400 Bad Request');
  });
});
