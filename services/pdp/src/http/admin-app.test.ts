import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@tenure/process';
import { type Outcome } from '../application/activation/state.js';
import { type AdminAppOptions, createAdminApp } from './admin-app.js';
import { createClientCheck } from './client-tokens.js';

const REVISION = `sha256:${'a'.repeat(64)}`;
const TOKEN = 'a-token-of-twenty-char';

let outcome: Outcome | Error;
let calls: string[];
let server: Server;

function say(what: string): Promise<Outcome> {
  calls.push(what);
  return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
}

async function serve(changes: Partial<AdminAppOptions> = {}): Promise<void> {
  server = createServer(
    createAdminApp({
      activator: {
        reload: (trigger) => say(`reload ${String(trigger)}`),
        rollBack: (revision) => say(`roll back ${revision}`),
      },
      shadow: undefined,
      status: () => ({ status: 'ok' }),
      isAdmin: createClientCheck(TOKEN),
      logger: createLogger('test', 'fatal', { write: () => undefined }),
      ...changes,
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

beforeEach(async () => {
  outcome = { outcome: 'activated', revision: REVISION };
  calls = [];
  await serve();
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function ask(line: string, body?: string, headers: Record<string, string> = {}) {
  const [method = '', path = ''] = line.split(' ');
  const { port } = server.address() as AddressInfo; // a listening TCP server's address is an AddressInfo
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
  });
}

describe('the admin listener', () => {
  it('returns the status, not to be cached', async () => {
    const response = await ask('GET /v1/policy/status?x=1');
    expect(await response.json()).toEqual({ status: 'ok' });
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('passes commands on', async () => {
    for (const line of ['POST /v1/policy/bundle/reload', 'POST /v1/policy/unpin'])
      expect(await (await ask(line)).json()).toEqual({ outcome: 'activated', revision: REVISION });
    await ask('POST /v1/policy/rollback', JSON.stringify({ revision: REVISION }));
    expect(calls).toEqual(['reload push', 'reload unpin', `roll back ${REVISION}`]);
  });

  it.each<[number, Outcome['outcome']]>([
    [200, 'unchanged'],
    [422, 'refused'],
    [404, 'unknown'],
    [502, 'away'],
  ])('answers %d when the outcome is %s', async (status, what) => {
    outcome = { outcome: what, revision: REVISION, reason: 'bad', failingCase: 'owners see' };
    const response = await ask('POST /v1/policy/bundle/reload');
    expect([response.status, await response.json()]).toEqual([
      status,
      { outcome: what, revision: REVISION, reason: 'bad', failing_case: 'owners see' },
    ]);
  });

  it.each([
    ['GET /v1/policy/other', {}, 404],
    ['GET /v1/policy/shadow', {}, 404],
    ['DELETE /v1/policy/status', {}, 405],
    ['GET /v1/policy/status', { authorization: 'Bearer another-token-of-twenty' }, 401],
    ['POST /v1/policy/bundle/reload', { authorization: '' }, 401],
    ['POST /v1/policy/bundle/reload', { origin: 'http://evil.example' }, 403],
  ])('refuses %s with %j', async (line, headers, status) => {
    const response = await ask(line, undefined, headers);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      status,
      'application/problem+json',
    ]);
    expect(calls).toEqual([]);
  });

  it('names the scheme of its tokens and the allowed methods', async () => {
    const stranger = await ask('GET /v1/policy/status', undefined, { authorization: '' });
    expect(stranger.headers.get('www-authenticate')).toBe('Bearer');
    expect((await ask('DELETE /v1/policy/status')).headers.get('allow')).toBe('GET');
  });

  it.each([
    ['{"revision": "latest"}', {}, 400],
    ['{}', {}, 400],
    ['nonsense', {}, 400],
    [`{"revision": "${REVISION}", "force": true}`, {}, 400],
    ['{}', { 'content-type': 'text/plain' }, 415],
    [JSON.stringify({ revision: 'x'.repeat(5000) }), {}, 413],
  ])('refuses to roll back to %s', async (body, headers, status) => {
    const response = await ask('POST /v1/policy/rollback', body, headers);
    expect(response.status).toBe(status);
    expect(calls).toEqual([]);
  });

  it('does not reveal internal errors', async () => {
    outcome = new Error('the disk is full of secrets');
    const response = await ask('POST /v1/policy/bundle/reload');
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secrets');
  });

  it('shows the shadow where there is one', async () => {
    server.close();
    const status = {
      state: 'active',
      source: 's',
      share: 1,
      revision: REVISION,
      reason: undefined,
      ...{ evaluated: 1, dropped: 0, failed: 0, differences: {} },
    } as const;
    await serve({ shadow: { status: () => status, samples: () => [] } });
    expect(await (await ask('GET /v1/policy/shadow')).json()).toMatchObject({
      state: 'active',
      samples: [],
    });
  });
});
