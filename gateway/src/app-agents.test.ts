import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createAgentLimits } from './application/rate-limit/agent-limits.js';
import { json } from './testing/fakes.js';
import { startTestGateway, type TestGateway, type TestOptions } from './testing/test-gateway.js';

const NODE = 'ed836491-07b5-49e8-95fc-6a53acab893b';
const HEARTBEAT = { callback_url: 'https://192.0.2.1:9999', agent_token: 't' };
const FINDINGS = { inventory: { interfaces: [] } };
const QUESTION = '/internal/agent-token';
const NOT_FOUND = { type: 'about:blank', title: 'x', status: 404, detail: 'no', code: 'not_found' };
const MESSAGE = 'Resource could not be found.';

let gateway: TestGateway;
async function start(options: TestOptions = {}): Promise<void> {
  gateway = await startTestGateway(options);
}

afterEach(() => gateway.stop());

const basic = (user: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

const post = (target: string, body: unknown, headers = {}): Promise<Response> =>
  fetch(`${gateway.url}${target}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const heartbeat = (body: unknown, headers = {}): Promise<Response> =>
  post('/v1/heartbeat/node-1', body, { 'x-openstack-ironic-api-version': '1.68', ...headers });

const targets = (): readonly string[] => gateway.conductor.received.map(({ target }) => target);

/** The conductor knows one token. */
function knowsTokens(): void {
  gateway.conductor.answer = (request, response): void => {
    if (request.target !== QUESTION) {
      response.writeHead(202).end();
      return;
    }
    const { agent_credentials: credentials } = gateway.contextOf('conductor', request);
    if (credentials?.token === 'boot-secret') response.writeHead(204).end();
    else json(response, 404, NOT_FOUND, { 'Content-Type': 'application/problem+json' });
  };
}

async function faultOf(response: Response): Promise<unknown> {
  const { error_message: text } = (await response.json()) as { error_message: string };
  return (JSON.parse(text) as { faultstring: string }).faultstring;
}

describe('an agent', () => {
  it('is named to the conductor by the address that it comes from', async () => {
    await start({ trustedProxies: ['127.0.0.0/8'] });
    await heartbeat(HEARTBEAT, { 'x-forwarded-for': '192.0.2.66, 198.51.100.7' });
    await fetch(`${gateway.url}/v1/lookup?node_uuid=${NODE}`, {
      headers: { 'x-openstack-ironic-api-version': '1.22', 'x-forwarded-for': '2001:DB8:0::9' },
    });
    const claims = gateway.conductor.received.map((one) => gateway.contextOf('conductor', one));
    expect(claims.map((one) => one.client_address)).toEqual(['198.51.100.7', '2001:db8::9']);
    expect(claims.map((one) => one.agent_credentials)).toEqual([undefined, undefined]);
  });

  it('is the only caller whose address is passed on', async () => {
    await start();
    await gateway.fetch('/v1/nodes');
    const [listed] = gateway.inventory.received.filter(({ target }) => target === '/v1/nodes');
    if (listed === undefined) throw new Error('nothing was forwarded');
    expect(gateway.contextOf('inventory', listed)).not.toHaveProperty('client_address');
  });

  it.each([
    [{ callback_url: 'https://192.0.2.1:9999' }],
    [{ callback_url: 'https://192.0.2.1:9999', agent_token: '' }],
    [{ callback_url: 'https://192.0.2.1:9999', agent_token: null }],
  ])('that reports without a token (%j) is refused before any other call', async (body) => {
    await start();
    const response = await heartbeat(body, basic(NODE, 'boot-secret'));
    expect([response.status, await faultOf(response)]).toEqual([404, MESSAGE]);
    expect(targets()).toEqual([]);
  });

  it('over the size limit are refused', async () => {
    await start();
    const body = { ...HEARTBEAT, agent_verify_ca: 'x'.repeat(70_000) };
    expect((await heartbeat(body)).status).toBe(413);
    expect(targets()).toEqual([]);
  });
});

describe('inspection reports', () => {
  const LARGE = { ...FINDINGS, logs: 'x'.repeat(300_000) };

  it('are read in full once the conductor has verified the token in the header', async () => {
    await start();
    knowsTokens();
    const response = await post('/v1/continue_inspection', LARGE, basic(NODE, 'boot-secret'));
    expect(response.status).toBe(202);
    expect(targets()).toEqual([QUESTION, '/v1/continue_inspection']);
    for (const request of gateway.conductor.received) {
      expect(gateway.contextOf('conductor', request)).toMatchObject({
        subject: null,
        action: 'baremetal:driver:ipa_continue_inspection',
        client_address: '127.0.0.1',
        agent_credentials: { node_uuid: NODE, token: 'boot-secret' },
      });
      expect(request.headers).not.toHaveProperty('authorization');
    }
  });

  it('are accepted with the token in a small body', async () => {
    await start();
    const response = await post('/v1/continue_inspection', { ...FINDINGS, agent_token: 't' });
    expect(response.status).toBe(202);
    expect(targets()).toEqual(['/v1/continue_inspection']);
  });

  it.each([
    ['no token', {}, FINDINGS],
    ['no token in a large body', {}, LARGE],
    ['a token in a body that is too large for one', {}, { ...LARGE, agent_token: 'boot-secret' }],
    ['a wrong token', basic(NODE, 'wrong'), FINDINGS],
    ['a wrong token and a large body', basic(NODE, 'wrong'), LARGE],
    ['a user who is no machine', basic('ada', 'boot-secret'), FINDINGS],
    ['an empty token', basic(NODE, ''), FINDINGS],
    ['credentials that are none', { authorization: 'Basic ====' }, LARGE],
    ['another scheme', { authorization: 'Digest x' }, FINDINGS],
    ['a token of the API', { 'x-auth-token': 'x.y.z' }, LARGE],
  ])('with %s are refused in one way', async (_what, headers, body) => {
    await start();
    knowsTokens();
    const response = await post('/v1/continue_inspection', body, headers);
    expect([response.status, await faultOf(response)]).toEqual([404, MESSAGE]);
    expect(response.headers.get('www-authenticate')).toBeNull();
    expect(targets().filter((target) => target !== QUESTION)).toEqual([]);
  });

  it.each([
    ['Content-Length: 4000000\r\n', ''],
    ['Transfer-Encoding: chunked\r\n', `${(70_000).toString(16)}\r\n${'x'.repeat(70_000)}`],
  ])('of a caller without a token are not waited for (%j)', async (framing, sent) => {
    await start();
    const socket = connect(gateway.port, '127.0.0.1');
    socket.setEncoding('latin1');
    let answer = '';
    socket.on('data', (text: string) => (answer += text));
    socket.write(
      `POST /v1/continue_inspection HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${framing}\r\n${sent}`,
    );
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 404 /u);
    expect(targets()).toEqual([]);
  });

  it.each([
    ['does not answer', (): void => undefined],
    [
      'fails',
      (_request: unknown, response: Parameters<typeof json>[0]): void => {
        json(response, 500, {});
      },
    ],
  ])('are not read while the conductor %s: 503', async (_what, answer) => {
    await start({ agentTokenDeadlineMs: 100 });
    gateway.conductor.answer = answer;
    const headers = basic(NODE, 'boot-secret');
    expect((await post('/v1/continue_inspection', LARGE, headers)).status).toBe(503);
    expect(targets().filter((target) => target !== QUESTION)).toEqual([]);
  });
});

describe('a network with repeated failures', () => {
  const limits = () =>
    createAgentLimits({ perSecond: 1000, failuresPerMinute: 10, onLimited: () => undefined });
  const from = (address: string) => ({
    'x-forwarded-for': address,
    'x-openstack-ironic-api-version': '1.22',
  });
  const lookup = async (address: string, macs: number): Promise<Response> => {
    const addresses = Array.from({ length: macs }, (_, i) => `52:54:00:00:00:${10 + i}`).join(',');
    return fetch(`${gateway.url}/v1/lookup?addresses=${addresses}`, { headers: from(address) });
  };

  it('is refused before anything is looked up, by the number of addresses that it tried', async () => {
    await start({ agentLimits: limits(), trustedProxies: ['127.0.0.0/8'] });
    gateway.conductor.answer = (_request, response): void => {
      json(response, 404, {});
    };
    expect((await lookup('198.51.100.7', 12)).status).toBe(404);
    const refused = await lookup('198.51.100.8', 1);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await heartbeat(HEARTBEAT, from('198.51.100.9'))).status).toBe(429);
    expect(gateway.conductor.received).toHaveLength(1);
    expect((await lookup('203.0.113.7', 1)).status).toBe(404);
  });

  it('does not count requests that succeed or find a busy node', async () => {
    await start({ agentLimits: limits(), trustedProxies: ['127.0.0.0/8'] });
    for (const status of [202, 409, 503]) {
      gateway.conductor.answer = (_request, response): void => {
        json(response, status, {});
      };
      expect((await lookup('198.51.100.7', 64)).status).toBe(status);
    }
    expect((await lookup('198.51.100.7', 1)).status).toBe(503);
  });
});

describe('with a listener of their own, agents', () => {
  const status = async (target: string, init: RequestInit = {}): Promise<number> =>
    (
      await fetch(`${gateway.url}${target}`, {
        headers: { 'x-openstack-ironic-api-version': '1.22' },
        ...init,
      })
    ).status;

  it('are served there, besides only the version documents', async () => {
    await start({ surface: 'agents' });
    gateway.inventory.answer = (_request, response): void => {
      json(response, 200, {});
    };
    expect(await status(`/v1/lookup?node_uuid=${NODE}`)).toBe(202);
    expect((await heartbeat(HEARTBEAT)).status).toBe(202);
    expect([await status('/'), await status('/v1'), await status('/v1/')]).toEqual([200, 200, 200]);
    const headers = { 'x-auth-token': gateway.token };
    for (const target of ['/v1/nodes', '/v1/nodes/node-1', '/v2.1', '/v1/openapi.json', '/x'])
      expect([target, await status(target, { headers })]).toEqual([target, 404]);
    expect(await status('/v1/nodes', { headers: basic('ada', 'password') })).toBe(404);
    expect(await status('/v1/heartbeat/node-1', { method: 'OPTIONS' })).toBe(404);
    expect(gateway.pdp.received).toEqual([]);
  });

  it('are not served anywhere else: their paths are as unknown as any', async () => {
    await start({ surface: 'tenants' });
    gateway.inventory.answer = (_request, response): void => {
      json(response, 200, {});
    };
    const unknown = async (target: string, init: RequestInit = {}): Promise<unknown> => {
      const response = await fetch(`${gateway.url}${target}`, init);
      return [response.status, await faultOf(response)];
    };
    const headers = { 'x-auth-token': gateway.token };
    const withToken = await unknown('/v1/nonsense', { headers });
    expect(withToken).toEqual([404, 'The resource could not be found.']);
    expect(await unknown(`/v1/lookup?node_uuid=${NODE}`, { headers })).toEqual(withToken);
    const without = await unknown('/v1/nonsense');
    expect(await unknown(`/v1/lookup?node_uuid=${NODE}`)).toEqual(without);
    expect((await heartbeat(HEARTBEAT)).status).toBe(401);
    expect(targets()).toEqual([]);
    expect((await gateway.fetch('/v1/nodes')).status).toBe(200);
  });
});
