import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode, nodeOf } from '../support/fleet.js';
import { type Answer, ask, askLatest } from '../support/http-client.js';
import { newMac, type Part, portOn } from '../support/node-parts.js';
import { inProject, newProject, systemAdmin } from '../support/personas.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';
import { seenIn } from './noninterference/probe.js';

// Nothing here has a token of the API, unless it says so.

const project = newProject('agent');

let tenure: Tenure;

beforeAll(async () => {
  tenure = await startTenure('agent', { CONDUCTOR_AGENT_NETWORKS: '127.0.0.0/8,192.0.2.0/24' });
});

afterAll(() => tenure.stop());

interface Machine {
  readonly node: FleetNode;
  readonly port: Part;
  readonly mac: string;
}

async function machine(state: string, fields = {}): Promise<Machine> {
  const mac = newMac();
  const node = availableNode(newProject('agent'), {
    owner: project,
    provision_state: state,
    ...fields,
  });
  const port = portOn(node, { address: mac });
  await tenure.importDocument({ nodes: [node], ports: [port] });
  return { node, port, mac };
}

const lookup = (addresses: string): Promise<Answer> =>
  askLatest(tenure, null, `GET /v1/lookup?addresses=${addresses}`);

const heartbeat = (ident: string, body: object): Promise<Answer> =>
  askLatest(tenure, null, `POST /v1/heartbeat/${ident}`, {
    callback_url: 'https://192.0.2.20:9999',
    agent_version: '9.11.0',
    ...body,
  });

const tokenIn = ({ json }: Answer): string =>
  (json as { config: { agent_token: string } }).config.agent_token; // what a lookup answers

const WAITING = ['wait call-back', 'clean wait', 'inspect wait', 'rescue wait', 'service wait'];
const NOT_WAITING = ['available', 'active', 'enroll', 'manageable', 'inspect failed', 'error'];

describe('a lookup', () => {
  it.each(WAITING)('finds the node that is in "%s"', async (state) => {
    const { node, mac } = await machine(state);
    const answer = await lookup(`02:00:00:00:00:01,${mac.toUpperCase()}`);
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        node: {
          uuid: node.uuid,
          properties: {},
          instance_info: {},
          driver_internal_info: {},
        },
        config: {
          heartbeat_timeout: 300,
          agent_token: expect.stringMatching(/^[\w-]{43}$/u),
          agent_token_required: true,
        },
      },
    ]);
  });

  it.each(NOT_WAITING)('finds a node in "%s" no more than one that is missing', async (state) => {
    const { node, mac } = await machine(state);
    const [nobodys, nowhere] = [newMac(), randomUUID()];
    const missing = await lookup(nobodys);
    expect(missing.status).toBe(404);
    expect(seenIn(await lookup(mac), mac)).toEqual(seenIn(missing, nobodys));
    const byUuid = (uuid: string): Promise<Answer> =>
      askLatest(tenure, null, `GET /v1/lookup?node_uuid=${uuid}`);
    expect(seenIn(await byUuid(node.uuid), node.uuid)).toEqual(seenIn(missing, nobodys));
    expect(seenIn(await byUuid(nowhere), nowhere)).toEqual(seenIn(missing, nobodys));
  });

  it('finds nothing by addresses of two nodes', async () => {
    const [one, two] = [await machine('inspect wait'), await machine('inspect wait')];
    expect((await lookup(`${one.mac},${two.mac}`)).status).toBe(404);
  });

  it('gives the agent’s token once', async () => {
    const { mac } = await machine('inspect wait');
    expect(tokenIn(await lookup(mac))).toMatch(/^[\w-]{43}$/u);
    expect(tokenIn(await lookup(mac))).toBe('******');
  });

  it('gives the token to one of several that ask at once', async () => {
    const { mac } = await machine('inspect wait');
    const answers = await Promise.all([1, 2, 3, 4].map(() => lookup(mac)));
    const given = answers.filter((answer) => answer.status === 200 && tokenIn(answer) !== '******');
    expect(given).toHaveLength(1);
  });

  it('reveals no secrets', async () => {
    const { mac } = await machine('inspect wait', {
      driver_info: { redfish_password: 'hunter2' },
      instance_info: { image_source: 'http://192.0.2.1/image', ssh_password: 'hunter2' },
      driver_internal_info: { agent_secret_token: 'hunter2', deploy_password: 'hunter2' },
    });
    const answer = await lookup(mac);
    expect(answer.status).toBe(200);
    expect(answer.text).not.toMatch(/hunter2|password|192\.0\.2\.1/u);
  });

  it('asks for something to look for', async () => {
    expect((await askLatest(tenure, null, 'GET /v1/lookup')).status).toBe(400);
  });

  it('is not there before 1.22', async () => {
    const { mac } = await machine('inspect wait');
    const answer = await ask(tenure, null, `GET /v1/lookup?addresses=${mac}`, { version: '1.21' });
    expect(answer.status).toBe(404);
  });
});

describe('a heartbeat', () => {
  it('is taken from the agent that has the token, and from the same address only', async () => {
    const { node, mac } = await machine('inspect wait');
    const token = tokenIn(await lookup(mac));
    const body = { agent_token: token };
    expect((await heartbeat(node.uuid, body)).status).toBe(202);
    expect((await heartbeat(node.uuid, body)).status).toBe(202);
    const moved = await heartbeat(node.uuid, { ...body, callback_url: 'https://192.0.2.66:9999' });
    expect(moved.status).toBe(400);
    const after = await nodeOf(tenure, node.uuid);
    expect(after).toMatchObject({
      driver_internal_info: {
        agent_url: 'https://192.0.2.20:9999',
        agent_version: '9.11.0',
        agent_secret_token: '******',
      },
    });
    expect(JSON.stringify(after)).not.toContain(token);
  });

  it('answers alike for a missing node, the wrong state, and a wrong or missing token', async () => {
    const waiting = await machine('inspect wait');
    const token = tokenIn(await lookup(waiting.mac));
    const unasked = await machine('inspect wait');
    const idle = await machine('available');
    const seen = async (ident: string, body: object) => seenIn(await heartbeat(ident, body), ident);
    const missing = await seen(randomUUID(), { agent_token: token });
    expect(missing.status).toBe(404);
    expect(await seen(waiting.node.uuid, { agent_token: `${token.slice(1)}A` })).toEqual(missing);
    expect(await seen(waiting.node.uuid, { agent_token: '' })).toEqual(missing);
    expect(await seen(waiting.node.uuid, { agent_token: '******' })).toEqual(missing);
    expect(await seen(waiting.node.uuid, {})).toEqual(missing);
    expect(await seen(unasked.node.uuid, { agent_token: '' })).toEqual(missing);
    expect(await seen(unasked.node.uuid, { agent_token: token })).toEqual(missing);
    expect(await seen(idle.node.uuid, { agent_token: token })).toEqual(missing);
    expect(await seen(waiting.node.name, { agent_token: 'x' })).toEqual(missing);
  });
});

describe('a node that is being worked on', () => {
  it('is still no node to an agent without the right token', async () => {
    const { node } = await machine('inspect wait', { reservation: 'elsewhere.test' });
    const ident = randomUUID();
    const token = { agent_token: 'x'.repeat(43) };
    const missing = seenIn(await heartbeat(ident, token), ident);
    expect(missing.status).toBe(404);
    expect(seenIn(await heartbeat(node.uuid, token), node.uuid)).toEqual(missing);
  });

  it('does not name its conductor to who looks it up', async () => {
    const { mac } = await machine('inspect wait', { reservation: 'elsewhere.test' });
    const answer = await lookup(mac);
    expect(answer.status).toBe(409);
    expect(answer.text).not.toContain('elsewhere.test');
  });
});

const FINDINGS = (mac: string) => ({
  inventory: {
    interfaces: [{ name: 'eth0', mac_address: mac }],
    cpu: { count: 48, architecture: 'x86_64' },
    memory: { physical_mb: 131_072 },
    disks: [{ name: '/dev/sda', size: 480 * 1024 ** 3 }],
  },
  configuration: { collectors: ['default'] },
});

describe('an inspection by the agent', () => {
  const begun = async (): Promise<Machine> => {
    const made = await machine('manageable', { inspect_interface: 'agent', properties: {} });
    const { uuid } = made.node;
    const started = await askLatest(tenure, systemAdmin, `PUT /v1/nodes/${uuid}/states/provision`, {
      target: 'inspect',
    });
    expect(started.status).toBe(202);
    await eventually(
      () => nodeOf(tenure, uuid),
      ({ provision_state: state }) => state === 'inspect wait',
    );
    return made;
  };
  const handIn = (mac: string, agent_token: string): Promise<Answer> =>
    askLatest(tenure, null, 'POST /v1/continue_inspection', { ...FINDINGS(mac), agent_token });

  it('goes from lookup to heartbeat to findings', async () => {
    const { node, mac } = await begun();
    const token = tokenIn(await lookup(mac));
    expect((await heartbeat(node.uuid, { agent_token: token })).status).toBe(202);
    const taken = await handIn(mac, token);
    expect([taken.status, taken.json]).toEqual([202, { uuid: node.uuid }]);
    const after = await nodeOf(tenure, node.uuid);
    expect(after).toMatchObject({
      provision_state: 'manageable',
      target_provision_state: null,
      inspection_finished_at: expect.stringMatching(/^20/u),
      properties: { cpus: 48, cpu_arch: 'x86_64', memory_mb: 131_072 },
    });
    // the agent's right ended with its work
    expect(after['driver_internal_info']).not.toHaveProperty('agent_secret_token');
    expect((await heartbeat(node.uuid, { agent_token: token })).status).toBe(404);
    const inventory = await askLatest(
      tenure,
      inProject(project, 'reader'),
      `GET /v1/nodes/${node.uuid}/inventory`,
    );
    expect(inventory.json).toMatchObject({
      inventory: { cpu: { count: 48 } },
      plugin_data: { configuration: { collectors: ['default'] } },
    });
  });

  it('takes findings while it waits for them, and never else', async () => {
    const { mac } = await begun();
    const token = tokenIn(await lookup(mac));
    const idle = await machine('manageable');
    const nobodys = newMac();
    const missing = await handIn(nobodys, token);
    expect(missing.status).toBe(404);
    expect(seenIn(await handIn(idle.mac, token), idle.mac)).toEqual(seenIn(missing, nobodys));
    expect(seenIn(await handIn(mac, 'x'), mac)).toEqual(seenIn(missing, nobodys));
    expect((await handIn(mac, token)).status).toBe(202);
    expect(seenIn(await handIn(mac, token), mac)).toEqual(seenIn(missing, nobodys));
  });
});
