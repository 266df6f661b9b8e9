import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '@tenure/process';
import { KEYSTONE_VARIABLES } from './credential.js';
import { CINDER, NEUTRON, openResourceOwners, type ResourceOwners } from './owners.js';

const ID = 'abcdefab-2222-4333-8444-000000000001';
const HOUR_MS = 3_600_000;

type Reply = readonly [status: number, body: unknown];

let requests: string[];
let logins: number;
/** Long, for the machine may be busy; short where nobody answers. */
let deadlineMs: number;
let reply: (request: IncomingMessage) => Reply | undefined;
let url: string;
let opened: ResourceOwners[] = [];

function send(response: ServerResponse, [status, body]: Reply, headers = {}): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json', ...headers })
    .end(JSON.stringify(body));
}

const server = createServer((request, response) => {
  if (request.url?.startsWith('/v3/auth/tokens') === true) {
    logins += 1;
    const [issued_at, expires_at] = [Date.now(), Date.now() + HOUR_MS].map((ms) =>
      new Date(ms).toISOString(),
    );
    const token = { issued_at, expires_at };
    send(response, [201, { token }], { 'X-Subject-Token': `token-${String(logins)}` });
    return;
  }
  requests.push(`${String(request.headers['x-auth-token'])} ${String(request.url)}`);
  const answer = reply(request);
  if (answer !== undefined) send(response, answer);
});

beforeEach(async () => {
  requests = [];
  logins = 0;
  deadlineMs = 10_000;
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterEach(async () => {
  await Promise.all(opened.map(({ close }) => close()));
  opened = [];
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
});

const settings = (env: Readonly<Record<string, string>> = {}) => ({
  ...loadConfig(KEYSTONE_VARIABLES, {
    KEYSTONE_URL: `${url}/v3`,
    KEYSTONE_USERNAME: 'tenure',
    KEYSTONE_PASSWORD: 'secret',
    ...env,
  }),
  openstackDeadlineMs: deadlineMs,
});

function open(form = NEUTRON, base = url): ResourceOwners {
  const owners = openResourceOwners({ form, url: base, env: 'NEUTRON_URL', config: settings() });
  if (owners === undefined) throw new Error('nothing was opened');
  opened.push(owners);
  return owners;
}

const port = (values: object = {}): Reply => [
  200,
  { port: { id: ID, project_id: 'p-a', ...values } },
];

describe('the project of a port', () => {
  it('is read from Neutron with a token of our own', async () => {
    reply = () => port();
    expect(await open().projectOf(ID)).toBe('p-a');
    expect(requests).toEqual([`token-1 /v2.0/ports/${ID}?fields=id&fields=project_id`]);
  });

  it('is requested below the version in the configured URL', async () => {
    reply = () => port();
    await open(NEUTRON, `${url}/network/v2.0/`).projectOf(ID);
    expect(requests).toEqual([`token-1 /network/v2.0/ports/${ID}?fields=id&fields=project_id`]);
  });

  it('is undefined when Neutron has no such port, and nothing is requested for an id that is no UUID', async () => {
    reply = () => [404, { NeutronError: {} }];
    expect(await open().projectOf(ID)).toBeUndefined();
    expect(await open().projectOf('../networks')).toBeUndefined();
    expect(requests).toHaveLength(1);
  });

  it('is requested again with a new token when the first is rejected', async () => {
    reply = ({ headers }) => (headers['x-auth-token'] === 'token-1' ? [401, {}] : port());
    expect(await open().projectOf(ID)).toBe('p-a');
    expect([logins, requests.length]).toEqual([2, 2]);
  });

  it.each([
    ['fails', () => [500, {}] as const],
    ['refuses', () => [403, {}] as const],
    [
      'answers about another port',
      () => port({ id: ID.replace('1', '2').replace('000001', '000002') }),
    ],
    ['does not say whose it is', () => port({ project_id: null })],
  ])('is unavailable when Neutron %s', async (_what, answer) => {
    reply = answer;
    await expect(open().projectOf(ID)).rejects.toMatchObject({ status: 503 });
  });

  it('is unavailable when Neutron does not answer within the deadline', async () => {
    reply = () => undefined;
    deadlineMs = 200;
    await expect(open().projectOf(ID)).rejects.toMatchObject({ status: 503 });
  });

  it('is unavailable when Neutron is unreachable', async () => {
    await expect(open(NEUTRON, 'http://127.0.0.1:9').projectOf(ID)).rejects.toMatchObject({
      status: 503,
    });
  });
});

describe('the project of a volume', () => {
  it('is read from Cinder', async () => {
    reply = () => [200, { volume: { id: ID, 'os-vol-tenant-attr:tenant_id': 'p-b' } }];
    expect(await open(CINDER).projectOf(ID)).toBe('p-b');
    expect(await open(CINDER, `${url}/v3/0f0f0f`).projectOf(ID)).toBe('p-b');
    expect(requests).toEqual([`token-1 /v3/volumes/${ID}`, `token-2 /v3/0f0f0f/volumes/${ID}`]);
  });

  it('is unavailable when Cinder hides the project from us', async () => {
    reply = () => [200, { volume: { id: ID } }];
    await expect(open(CINDER).projectOf(ID)).rejects.toMatchObject({ status: 503 });
  });
});

describe('a service that resolves the owners of resources', () => {
  it('is not called where it is not configured', () => {
    const config = settings();
    expect(
      openResourceOwners({ form: CINDER, url: '', env: 'CINDER_URL', config }),
    ).toBeUndefined();
  });

  it.each([
    ['Keystone', { KEYSTONE_URL: '' }, 'CINDER_URL needs KEYSTONE_URL'],
    ['a password', { KEYSTONE_PASSWORD: '' }, 'KEYSTONE_URL needs either'],
  ])('is refused without %s', (_what, env, message) => {
    const config = settings(env);
    expect(() => openResourceOwners({ form: CINDER, url, env: 'CINDER_URL', config })).toThrow(
      message,
    );
  });
});
