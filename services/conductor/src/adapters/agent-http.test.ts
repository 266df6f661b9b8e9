import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { addressesIn } from '@tenure/http';
import { deadlineIn } from '@tenure/process';
import { type AgentCallFailure } from '../ports/agent-client.js';
import { createTestCertificate } from '../testing/certificates.js';
import { StubAgent } from '../testing/stub-agent.js';
import { createAgentClient } from './agent-http.js';

jest.setTimeout(30_000);

const LIMITS = { connectMs: 1000, callMs: 5000, waitMs: 5000, maxAnswerBytes: 50_000 };
const COMMAND = { name: 'clean.execute_clean_step', params: { step: {} }, wait: false };
/** Machines of the fleet are in these networks. */
const NETWORKS = ['192.0.2.0/24', '2001:db8::/32', '127.0.0.0/8', '::1', '169.254.0.0/16'];
const OPTIONS = {
  isInNetworks: addressesIn(NETWORKS),
  tlsRequired: false,
  caDirectory: '/no/such/directory',
  limits: LIMITS,
};
const client = createAgentClient({ ...OPTIONS, allowLoopback: true });

let agent: StubAgent;

beforeEach(async () => {
  agent = await new StubAgent().listen();
});

afterEach(async () => {
  await agent.close();
});

const at = (url = agent.url) => ({ url, token: 'very-secret', verifyCa: undefined });

async function failureOf(call: Promise<unknown>): Promise<AgentCallFailure> {
  const [outcome] = await Promise.allSettled([call]);
  if (outcome.status !== 'rejected') throw new Error('it did not fail');
  return outcome.reason as AgentCallFailure; // what the port says
}

describe('the agent’s command API', () => {
  it('sends a command, and returns its status', async () => {
    const given = await client.send(at(), COMMAND, deadlineIn(5000));
    expect(given).toMatchObject({ name: 'execute_clean_step', status: 'RUNNING' });
    agent.end('FAILED', { message: 'no', details: 'at\nall' });
    expect(await client.get(at(), given.id, deadlineIn(5000))).toMatchObject({
      status: 'FAILED',
      error: 'no: at all',
    });
    expect(await client.list(at(), deadlineIn(5000))).toHaveLength(1);
    expect([...agent.tokens]).toEqual(['very-secret']);
  });

  it.each([
    ['hang', true, { kind: 'timeout', maybeSent: true }],
    ['breaksOn', COMMAND.name, { kind: 'unreachable', maybeSent: true }],
    ['redirectTo', 'http://192.0.2.1/', { kind: 'answer', status: 307, maybeSent: false }],
    ['padding', 100_000, { kind: 'too_large', maybeSent: true }],
  ])(
    'that misbehaves (%s) fails, without a word of address or token',
    async (name, value, expected) => {
      Object.assign(agent.faults, { [name]: value });
      const failure = await failureOf(client.send(at(), COMMAND, deadlineIn(5000)));
      expect(failure).toMatchObject(expected);
      const said = JSON.stringify([failure.message, String(failure.cause), failure.stack]);
      expect(said).not.toContain('very-secret');
      expect(said).not.toContain(agent.url);
    },
  );

  it('that is not there was not sent anything', async () => {
    const { url } = agent;
    await agent.close();
    expect(await failureOf(client.send(at(url), COMMAND, deadlineIn(5000)))).toMatchObject({
      kind: 'unreachable',
      maybeSent: false,
    });
    agent = await new StubAgent().listen();
  });

  it('that says that it is busy took nothing', async () => {
    await client.send(at(), COMMAND, deadlineIn(5000));
    expect(await failureOf(client.send(at(), COMMAND, deadlineIn(5000)))).toMatchObject({
      status: 409,
      maybeSent: false,
    });
  });
});

describe('an address', () => {
  const strict = createAgentClient({ ...OPTIONS, allowLoopback: false });

  it.each([
    'http://127.0.0.1:9999',
    'http://[::1]:9999',
    'http://[::ffff:127.0.0.1]:9999',
    'http://2130706433:9999',
    'http://0.0.0.0:9999',
    'http://169.254.169.254',
    'http://[fe80::1]:9999',
    'http://[fd00:ec2::254]',
    'http://239.1.1.1',
    'http://user:pw@192.0.2.7',
    'http://198.51.100.7:9999',
    'ftp://192.0.2.7',
    'nonsense',
  ])('%s is not called, whatever the named networks are', async (url) => {
    expect(await strict.addressFor(url, undefined)).toBeUndefined();
    expect(await failureOf(strict.list(at(url), deadlineIn(5000)))).toMatchObject({
      kind: 'settings',
      maybeSent: false,
    });
  });

  it.each([
    ['http://192.0.2.7:9999', '192.0.2.7'],
    ['http://[::ffff:192.0.2.7]:9999', '192.0.2.7'],
    ['https://[2001:DB8:0::7]:9999/agent', '2001:db8::7'],
  ])('%s in a named network may be called', async (url, address) => {
    expect(await strict.addressFor(url, undefined)).toBe(address);
  });

  it.each([
    ['http://198.51.100.7:9999', '198.51.100.7', '198.51.100.7'],
    ['http://198.51.100.7:9999', '::ffff:198.51.100.7', '198.51.100.7'],
    ['http://198.51.100.7:9999', '198.51.100.8', undefined],
    ['http://198.51.100.7:9999', '', undefined],
    ['http://127.0.0.1:9999', '127.0.0.1', undefined],
    ['http://169.254.1.1:9999', '169.254.1.1', undefined],
  ])('%s may be called when the report came from %s: %s', async (url, from, address) => {
    expect(await strict.addressFor(url, from)).toBe(address);
  });

  it('of loopback may be called where tests allow it, by who reports from there', async () => {
    const local = createAgentClient({
      ...OPTIONS,
      isInNetworks: () => false,
      allowLoopback: true,
    });
    expect(await local.addressFor('http://127.0.0.1:9999', '127.0.0.1')).toBe('127.0.0.1');
    expect(await local.addressFor('http://127.0.0.1:9999', '192.0.2.7')).toBeUndefined();
  });

  it('that a name leads to is judged when it is resolved', async () => {
    const url = agent.url.replace('127.0.0.1', 'localhost');
    expect(await strict.addressFor(url, undefined)).toBeUndefined();
    expect(await failureOf(strict.list(at(url), deadlineIn(5000)))).toMatchObject({
      kind: 'unreachable',
      maybeSent: false,
    });
    expect(agent.tokens.size).toBe(0);
  });

  it('that a name leads to when the agent first reports is the one that is called later', async () => {
    const url = agent.url.replace('127.0.0.1', 'agent.invalid');
    await client.list({ ...at(url), pinned: '127.0.0.1' }, deadlineIn(5000));
    expect([...agent.tokens]).toEqual(['very-secret']);
  });

  it.each([
    ['http://192.0.2.7:9999', '192.0.2.8'],
    ['http://agent.invalid:9999', '169.254.169.254'],
    ['http://agent.invalid:9999', 'nonsense'],
  ])('%s is not called at the pinned %s', async (url, pinned) => {
    const failure = await failureOf(strict.list({ ...at(url), pinned }, deadlineIn(5000)));
    expect(failure).toMatchObject({ kind: 'settings', maybeSent: false });
  });

  it('without TLS is not called where TLS is demanded', async () => {
    const tls = createAgentClient({ ...OPTIONS, allowLoopback: false, tlsRequired: true });
    expect(await tls.addressFor('http://192.0.2.7', undefined)).toBeUndefined();
    expect(await tls.addressFor('https://192.0.2.7', undefined)).toBe('192.0.2.7');
  });
});

describe('an agent over TLS', () => {
  const own = createTestCertificate();
  const other = createTestCertificate();
  const directory = mkdtempSync(path.join(os.tmpdir(), 'agent-ca-'));
  const file = (name: string): string => path.join(directory, name);
  const strict = createAgentClient({
    ...OPTIONS,
    allowLoopback: true,
    caDirectory: directory,
  });
  let server: Server;

  beforeAll(async () => {
    writeFileSync(file('own.pem'), own.cert);
    writeFileSync(file('other.pem'), other.cert);
    server = createServer(own, (_request, response) => {
      response.end('{"commands": []}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => {
    server.close();
    server.closeAllConnections();
    rmSync(directory, { recursive: true });
  });

  const list = (trust: { verifyCa?: string | undefined; verifyCaFile?: string }) => {
    const { port } = server.address() as AddressInfo; // a listening TCP server's address
    const url = `https://127.0.0.1:${port}`;
    return strict.list(
      { url, pinned: '127.0.0.1', token: 'very-secret', verifyCa: undefined, ...trust },
      deadlineIn(5000),
    );
  };

  it('is verified with the certificate that it reported first', async () => {
    expect(await list({ verifyCa: own.cert })).toEqual([]);
    expect(await failureOf(list({ verifyCa: other.cert }))).toMatchObject({ kind: 'tls' });
    expect(await failureOf(list({ verifyCa: 'nonsense' }))).toMatchObject({
      kind: 'tls',
      message: 'the agent reported no usable certificate',
    });
    expect(await failureOf(list({}))).toMatchObject({ kind: 'tls' });
  });

  it('is verified with the operator’s file before the certificate that it reported', async () => {
    expect(await list({ verifyCa: other.cert, verifyCaFile: file('own.pem') })).toEqual([]);
    const failure = await failureOf(list({ verifyCa: own.cert, verifyCaFile: file('other.pem') }));
    expect(failure).toMatchObject({ kind: 'tls' });
  });

  it.each(['/etc/hostname', '/nowhere.pem', 'own.pem'])(
    'is not called when the operator’s file is %s',
    async (verifyCaFile) => {
      expect(await failureOf(list({ verifyCa: own.cert, verifyCaFile }))).toMatchObject({
        kind: 'tls',
        message: 'driver_info.agent_verify_ca does not name a usable CA file',
        maybeSent: false,
      });
    },
  );
});
