import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bootedWith } from '../support/agent-boot.js';
import { availableNode, type FleetNode, nodeOf } from '../support/fleet.js';
import { type Answer, ask } from '../support/http-client.js';
import { newMac, portOn } from '../support/node-parts.js';
import { newProject } from '../support/personas.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { seenIn } from './noninterference/probe.js';

// An attacker without a token of the API, somewhere in the network, against machines that wait for their agents.

const project = newProject('custody-agents');
const SECRET = 'a-secret-of-this-boot-that-is-long-enough';
const CANARY = 'CANARY-OF-THE-TENANT';
/** A machine in the network that the operator names. */
const MACHINE = '198.51.100.7';

let tenure: Tenure;

beforeAll(async () => {
  tenure = await startTenure('custody-agents', {
    CONDUCTOR_AGENT_NETWORKS: '198.51.100.0/24',
    // So that a request says here where it comes from.
    GATEWAY_TRUSTED_PROXIES: '127.0.0.0/8',
  });
});

afterAll(() => tenure.stop());

interface Machine {
  readonly node: FleetNode;
  readonly mac: string;
}

async function waiting(
  state: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Machine> {
  const mac = newMac();
  const node = availableNode(newProject('machine'), {
    owner: project,
    provision_state: state,
    instance_info: { image_source: `http://${CANARY}/a.img`, configdrive: CANARY },
    extra: { note: CANARY },
    ...fields,
  });
  await tenure.importDocument({ nodes: [node], ports: [portOn(node, { address: mac })] });
  return { node, mac };
}

const booted = (state: string, fields = {}): Promise<Machine> =>
  waiting(state, { driver_internal_info: bootedWith(SECRET, 'deploy'), ...fields });

let networks = 0;
/** An address of a network from which nothing came before: each has a share of failures. */
const stranger = (): string => `203.0.${(networks += 1)}.66`;

interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const from = (address: string, line: string, { body, headers }: Sent = {}): Promise<Answer> =>
  ask(tenure, null, line, {
    version: line.includes('continue_inspection') ? '1.1' : '1.72',
    headers: { 'X-Forwarded-For': address, ...headers },
    ...(body !== undefined && { body }),
  });

const heartbeat = (
  address: string,
  ident: string,
  { headers, ...body }: Readonly<Record<string, unknown>> & Pick<Sent, 'headers'>,
): Promise<Answer> =>
  from(address, `POST /v1/heartbeat/${ident}`, {
    body: { callback_url: `http://${address}:9999`, agent_version: '9', ...body },
    ...(headers && { headers }),
  });

const basic = (user: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

async function agentOf(uuid: string): Promise<unknown> {
  const { driver_internal_info: info } = await nodeOf(tenure, uuid);
  return (info as Readonly<Record<string, unknown>>)['agent_url'];
}

describe('impersonation of an agent', () => {
  it('by uuid or address gets no token of a machine that boots by network', async () => {
    const { node, mac } = await waiting('wait call-back');
    const attacker = stranger();
    const missing = randomUUID();
    const nobodys = seenIn(await from(attacker, `GET /v1/lookup?node_uuid=${missing}`), missing);
    expect(nobodys.status).toBe(404);
    const byUuid = await from(attacker, `GET /v1/lookup?node_uuid=${node.uuid}`);
    const byMac = await from(attacker, `GET /v1/lookup?addresses=${mac}`);
    expect([seenIn(byUuid, node.uuid), seenIn(byMac, mac)]).toEqual([nobodys, nobodys]);
    // The machine itself is not kept from its work.
    const genuine = await from(MACHINE, `GET /v1/lookup?addresses=${mac}`);
    expect(genuine.json).toMatchObject({
      config: { agent_token: expect.stringMatching(/^[\w-]{43}$/u) },
    });
  });

  it.each(['wait call-back', 'clean wait', 'inspect wait', 'rescue wait', 'service wait'])(
    'learns neither secret nor tenant of a machine in "%s" that boots from its own medium',
    async (state) => {
      const { node, mac } = await booted(state);
      for (const address of [stranger(), MACHINE])
        for (const query of [`node_uuid=${node.uuid}`, `addresses=${mac}`]) {
          const { status, text, json } = await from(address, `GET /v1/lookup?${query}`);
          expect([status, json]).toMatchObject([200, { config: { agent_token: '******' } }]);
          for (const secret of [SECRET, CANARY, project]) expect(text).not.toContain(secret);
        }
    },
  );

  it('learns of no address, whether a machine has it that does not wait, or one that boots by network', async () => {
    const attacker = stranger();
    const { node, mac } = await booted('wait call-back');
    const [idle, byNetwork] = [await waiting('available'), await waiting('inspect wait')];
    for (const address of [newMac(), idle.mac, byNetwork.mac]) {
      const answer = await from(attacker, `GET /v1/lookup?addresses=${mac},${address}`);
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(node.uuid)]);
    }
  });

  it('by a sweep of addresses is stopped, for its own network alone', async () => {
    const { mac } = await waiting('wait call-back');
    const attacker = stranger();
    const sweep = (): Promise<Answer> => {
      const macs = [...Array.from({ length: 63 }, newMac), mac];
      return from(attacker, `GET /v1/lookup?addresses=${macs.join(',')}`);
    };
    const statuses: number[] = [];
    for (let round = 0; round < 12; round += 1) statuses.push((await sweep()).status);
    expect(statuses.slice(0, 9)).toEqual(Array<number>(9).fill(404));
    expect(statuses.slice(-2)).toEqual([429, 429]);
    const neighbour = attacker.replace(/66$/u, '99');
    const refused = await heartbeat(neighbour, randomUUID(), { agent_token: 'x' });
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
    expect((await from(MACHINE, `GET /v1/lookup?addresses=${mac}`)).status).toBe(200);
  });
});

describe('a faked heartbeat', () => {
  it('is answered alike for a missing node, one that does not wait, and any wrong token', async () => {
    const { node } = await booted('wait call-back');
    const idle = await booted('active');
    const tokenless = await waiting('clean wait');
    const attacker = stranger();
    const seen = async (uuid: string, body: object) =>
      seenIn(await heartbeat(attacker, uuid, { ...body }), uuid);
    const missing = await seen(randomUUID(), { agent_token: SECRET });
    expect(missing.status).toBe(404);
    for (const body of [
      {},
      ...['', '******', 'x', `${SECRET}x`].map((agent_token) => ({ agent_token })),
    ])
      expect(await seen(node.uuid, body)).toEqual(missing);
    expect(await seen(idle.node.uuid, { agent_token: SECRET })).toEqual(missing);
    expect(await seen(tokenless.node.uuid, { agent_token: '' })).toEqual(missing);
    const bySecretInHeader = await heartbeat(attacker, node.uuid, {
      headers: basic(node.uuid, SECRET),
    });
    expect(seenIn(bySecretInHeader, node.uuid)).toEqual(missing);
    expect(await agentOf(node.uuid)).toBeUndefined();
  });
});

describe('whoever has the secret', () => {
  it.each([
    'http://192.0.2.1:80',
    'http://169.254.169.254/latest',
    'http://127.0.0.1:8183',
    'http://[::1]:8183',
    'http://localhost:8183',
    'http://[::ffff:169.254.169.254]/',
    'http://0.0.0.0:8183',
  ])('does not make the conductor call %s', async (callback_url) => {
    const { node } = await booted('wait call-back');
    const answer = await heartbeat(stranger(), node.uuid, { agent_token: SECRET, callback_url });
    expect(answer.status).toBe(400);
    expect(await agentOf(node.uuid)).toBeUndefined();
  });

  it('is called where it is, or in the networks that are named, and nowhere else later', async () => {
    const { node } = await booted('wait call-back');
    const address = stranger();
    const beat = (callback_url: string): Promise<Answer> =>
      heartbeat(address, node.uuid, { agent_token: SECRET, callback_url });
    expect((await beat(`http://${address}:9999`)).status).toBe(202);
    expect((await beat(`http://${MACHINE}:9999`)).status).toBe(400);
    const other = await booted('wait call-back');
    const near = { agent_token: SECRET, callback_url: `http://${MACHINE}:9999` };
    expect((await heartbeat(stranger(), other.node.uuid, near)).status).toBe(202);
  });

  it('cannot change the certificate of its first heartbeat', async () => {
    const { node } = await booted('clean wait');
    const beat = (agent_verify_ca?: string): Promise<Answer> =>
      heartbeat(MACHINE, node.uuid, { agent_token: SECRET, agent_verify_ca });
    expect((await beat('first')).status).toBe(202);
    expect((await beat('second')).status).toBe(400);
    expect((await beat()).status).toBe(202);
    expect(await nodeOf(tenure, node.uuid)).toMatchObject({
      driver_internal_info: { agent_verify_ca: 'first' },
    });
  });
});

describe('a faked inspection', () => {
  const findingsOf = (mac: string) => ({
    inventory: {
      interfaces: [{ mac_address: mac }],
      cpu: { count: 999, architecture: 'evil' },
      memory: { physical_mb: 9_999_999 },
    },
  });
  const LINE = 'POST /v1/continue_inspection';

  it('changes nothing, and is answered alike whatever is wrong', async () => {
    const { node, mac } = await booted('inspect wait');
    const cleaning = await booted('clean wait');
    const attacker = stranger();
    const nobodys = newMac();
    const missing = seenIn(await from(attacker, LINE, { body: findingsOf(nobodys) }), nobodys);
    expect(missing.status).toBe(404);
    const attempts: readonly (Sent & { readonly query?: string })[] = [
      { body: findingsOf(mac) },
      { body: findingsOf(mac), query: `?node_uuid=${node.uuid}` },
      { body: { ...findingsOf(mac), agent_token: 'wrong' } },
      { body: { ...findingsOf(mac), agent_token: '' } },
      { body: { ...findingsOf(cleaning.mac), agent_token: SECRET } },
      { body: findingsOf(mac), headers: basic(node.uuid, 'wrong') },
      { body: findingsOf(mac), headers: basic(cleaning.node.uuid, SECRET) },
      { body: findingsOf(mac), headers: basic(randomUUID(), SECRET) },
      { body: findingsOf(mac), headers: basic('admin', SECRET) },
      { body: { ...findingsOf(mac), logs: 'x'.repeat(200_000) } },
    ];
    for (const { query = '', ...sent } of attempts) {
      const { status, text } = seenIn(await from(attacker, `${LINE}${query}`, sent), mac);
      expect([status, text]).toEqual([404, missing.text]);
    }
    const after = await nodeOf(tenure, node.uuid);
    expect(after).toMatchObject({ provision_state: 'inspect wait' });
    expect(JSON.stringify(after)).not.toContain('evil');
  });

  it.each([
    ['Content-Length: 4000000', ''],
    ['Transfer-Encoding: chunked', `11170\r\n${'x'.repeat(0x11170)}`],
  ])('with a large body (%s) is refused before it is read', async (framing, sent) => {
    const startedAt = performance.now();
    const socket = connect(tenure.ports.gateway, '127.0.0.1');
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: string) => (answer += text));
    socket.write(
      `POST /v1/continue_inspection HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${stranger()}\r\n` +
        `Content-Type: application/json\r\n${framing}\r\n\r\n${sent}`,
    );
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 404 /u);
    // A body that is waited for has five seconds.
    expect(performance.now() - startedAt).toBeLessThan(4000);
  });

  it('does not get in with the secret once the inspection is over', async () => {
    const { node, mac } = await booted('inspect wait', { target_provision_state: 'manageable' });
    const headers = basic(node.uuid, SECRET);
    const sent = { body: findingsOf(mac), headers };
    expect((await from(MACHINE, LINE, sent)).status).toBe(202);
    expect((await from(MACHINE, LINE, sent)).status).toBe(404);
    expect((await heartbeat(MACHINE, node.uuid, { agent_token: SECRET })).status).toBe(404);
    expect(tenure.log()).not.toContain(SECRET);
  });
});
