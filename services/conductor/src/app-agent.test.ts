import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { type Response } from 'supertest';
import { ConductorHarness } from './testing/conductor-harness.js';
import { aNode } from './testing/nodes.js';
import { faultOf, SignedCalls } from './testing/signed-calls.js';

let harness: ConductorHarness;
let call: SignedCalls['call'];

beforeEach(() => {
  harness = new ConductorHarness();
  ({ call } = new SignedCalls(harness));
});

afterEach(async () => {
  await harness.close();
});

const MAC = '52:54:00:00:00:12';
const MISSING = '99999999-9999-4999-8999-999999999999';
const LATEST = { api_version: '1.65' };

const waiting = (fields: Partial<NodeRecord> = {}): NodeRecord => {
  const node = harness.inventory.put(aNode({ provision_state: 'clean wait', ...fields }));
  harness.parts.put('ports', node.uuid, { address: MAC });
  return node;
};

const lookup = (query: string): Promise<Response> => call('get', `/v1/lookup?${query}`, null);

interface Found {
  readonly node: Readonly<Record<string, unknown>>;
  readonly config: { readonly agent_token: string };
}

const tokenOf = async (): Promise<string> =>
  ((await lookup(`addresses=${MAC}`)).body as Found).config.agent_token;

/** Status, body and headers, but for the moment. */
const shown = ({ status, text, headers }: Response): unknown => {
  const lasting = Object.entries(headers as Record<string, string>).filter(
    ([name]) => name !== 'date',
  );
  return { status, text, headers: Object.fromEntries(lasting) };
};

describe('GET /v1/lookup', () => {
  it('finds a node by its addresses, and gives the token once', async () => {
    const node = waiting({
      instance_info: { image_source: 'http://images.example/a', configdrive: 'AAAA' },
      driver_internal_info: { admin_password: 'hidden', clean_steps: 1 },
    });
    const first = await lookup(`addresses=aa:bb:cc:dd:ee:ff,${MAC.toUpperCase()},nonsense`);
    expect(first.status).toBe(200);
    const { agent_token: token } = (first.body as Found).config;
    expect(token).toMatch(/^[\w-]{43}$/u);
    expect(first.body).toEqual({
      node: {
        uuid: node.uuid,
        properties: {},
        instance_info: { image_source: 'http://images.example/a', configdrive: '******' },
        driver_internal_info: { admin_password: '******', clean_steps: 1 },
      },
      config: { heartbeat_timeout: 300, agent_token: token, agent_token_required: true },
    });
    const second = await lookup(`node_uuid=${node.uuid}`);
    expect(second.body).toMatchObject({
      node: { driver_internal_info: { agent_secret_token: '******' } },
      config: { agent_token: '******' },
    });
    expect(second.text).not.toContain(token);
    expect(harness.inventory.node(node.uuid).reservation).toBeNull();
  });

  it.each([
    'enroll',
    'manageable',
    'available',
    'active',
    'deploy failed',
    'clean failed',
    'deleting',
    'verifying',
    'rescue',
  ])('answers for a node in %s as for none', async (state) => {
    const node = waiting({ provision_state: state });
    const none = shown(await lookup(`node_uuid=${MISSING}`));
    expect(none).toMatchObject({ status: 404 });
    expect(shown(await lookup(`node_uuid=${node.uuid}`))).toEqual(none);
    expect(shown(await lookup(`addresses=${MAC}`))).toEqual(none);
    expect(harness.inventory.writes).toEqual([]);
  });

  it.each([
    'deploying',
    'wait call-back',
    'cleaning',
    'clean wait',
    'inspecting',
    'inspect wait',
    'rescuing',
    'rescue wait',
    'servicing',
    'service wait',
  ])('answers for a node in %s', async (state) => {
    waiting({ provision_state: state });
    expect((await lookup(`addresses=${MAC}`)).status).toBe(200);
  });

  it('answers for addresses of several nodes as for none', async () => {
    waiting();
    waiting();
    expect((await lookup(`addresses=${MAC}`)).status).toBe(404);
  });

  it.each([
    'foo=1',
    'addresses=',
    'addresses=nonsense',
    'node_uuid=rack-1',
    'addresses=a&addresses=b',
  ])('refuses the query %j', async (query) => {
    waiting();
    expect((await lookup(query)).status).toBe(400);
  });

  it('takes at most 64 addresses', async () => {
    const macs = Array.from(
      { length: 65 },
      (_, i) => `52:54:00:00:01:${i.toString(16).padStart(2, '0')}`,
    );
    expect((await lookup(`addresses=${macs.join(',')}`)).status).toBe(400);
  });

  it('does not say who works on the node', async () => {
    waiting({ reservation: 'conductor-2' });
    const response = await lookup(`addresses=${MAC}`);
    expect(response.status).toBe(409);
    expect(response.text).not.toContain('conductor-2');
  });

  it('gives one token to two that ask at once', async () => {
    waiting();
    const answers = await Promise.all([lookup(`addresses=${MAC}`), lookup(`addresses=${MAC}`)]);
    const tokens = answers
      .filter(({ status }) => status === 200)
      .map(({ body }) => (body as Found).config.agent_token)
      .filter((token) => token !== '******');
    expect(tokens).toHaveLength(1);
  });
});

describe('POST /v1/heartbeat', () => {
  const beat = (ident: string, body: unknown): Promise<Response> =>
    call('post', `/v1/heartbeat/${ident}`, null, { body, ...LATEST });
  const URL = 'http://192.0.2.7:9999';

  it('is noted for the agent that has the token', async () => {
    const node = waiting();
    const agent_token = await tokenOf();
    const body = { callback_url: URL, agent_version: '9.1', agent_token };
    const response = await beat(node.uuid, body);
    expect([response.status, response.text]).toEqual([202, '']);
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      reservation: null,
      driver_internal_info: {
        agent_url: URL,
        agent_version: '9.1',
        agent_last_heartbeat: expect.stringMatching(/^2/u),
      },
    });
  });

  it('is refused in one way, whatever is wrong', async () => {
    const node = waiting();
    const agent_token = await tokenOf();
    const idle = harness.inventory.put(
      aNode({ driver_internal_info: harness.inventory.node(node.uuid).driver_internal_info }),
    );
    const tokenless = harness.inventory.put(aNode({ provision_state: 'clean wait' }));
    const before = harness.inventory.writes.length;
    const answers = [
      await beat(node.uuid, { callback_url: URL, agent_token: 'wrong' }),
      await beat(node.uuid, { callback_url: URL, agent_token: '' }),
      await beat(node.uuid, { callback_url: URL, agent_token: '******' }),
      await beat(node.uuid, { callback_url: URL, agent_token: null }),
      await beat(node.uuid, { callback_url: URL }),
      await beat(idle.uuid, { callback_url: URL, agent_token }),
      await beat(tokenless.uuid, { callback_url: URL, agent_token: '' }),
      await beat(MISSING, { callback_url: URL, agent_token }),
      await beat('rack-1', { callback_url: URL, agent_token }),
    ].map(shown);
    expect(answers[0]).toMatchObject({ status: 404 });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(harness.inventory.writes).toHaveLength(before);
  });

  it('is refused when another address reports with the same token', async () => {
    const node = waiting();
    const agent_token = await tokenOf();
    await beat(node.uuid, { callback_url: URL, agent_token });
    const response = await beat(node.uuid, { callback_url: 'http://192.0.2.8:9999', agent_token });
    expect(response.status).toBe(400);
    expect(faultOf(response)).toBe('Detected change in ramdisk provided "callback_url".');
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      reservation: null,
      driver_internal_info: { agent_url: URL },
    });
  });

  it.each([
    [{}],
    [{ callback_url: 'ftp://192.0.2.7' }],
    [{ callback_url: 'file:///etc/passwd' }],
    [{ callback_url: 'http://user:pw@192.0.2.7/' }],
    [{ callback_url: `http://${'x'.repeat(2048)}` }],
    [{ callback_url: URL, agent_token: 7 }],
    [{ callback_url: URL, agent_token: 'x'.repeat(256) }],
    [{ callback_url: URL, extra: 1 }],
  ])('refuses %j', async (body) => {
    const node = waiting();
    expect((await beat(node.uuid, body)).status).toBe(400);
  });

  it('does not know members of later versions', async () => {
    const node = waiting();
    const at = (api_version: string, body: unknown): Promise<Response> =>
      call('post', `/v1/heartbeat/${node.uuid}`, null, { body, api_version });
    const certificate = { callback_url: URL, agent_verify_ca: 'PEM' };
    expect((await at('1.61', { callback_url: URL, agent_token: 'x' })).status).toBe(406);
    expect((await at('1.65', certificate)).status).toBe(406);
    expect((await at('1.35', { callback_url: URL, agent_version: '9' })).status).toBe(406);
  });

  it('says that the node is being worked on to the genuine agent only', async () => {
    const node = waiting();
    const agent_token = await tokenOf();
    harness.inventory.put({ ...harness.inventory.node(node.uuid), reservation: 'conductor-2' });
    const genuine = await beat(node.uuid, { callback_url: URL, agent_token });
    expect(genuine.status).toBe(409);
    expect(genuine.text).not.toContain('conductor-2');
    expect((await beat(node.uuid, { callback_url: URL, agent_token: 'x' })).status).toBe(404);
  });
});

describe('POST /v1/continue_inspection', () => {
  const finding = (mac = MAC) => ({
    inventory: {
      interfaces: [{ name: 'eth0', mac_address: mac }],
      cpu: { count: 48, architecture: 'x86_64' },
      memory: { physical_mb: 65_536 },
      disks: [{ name: '/dev/sda', size: 500_107_862_016 }],
    },
    root_disk: { name: '/dev/sda' },
  });
  const send = (body: unknown, query = ''): Promise<Response> =>
    call('post', `/v1/continue_inspection${query}`, null, { body });

  it('ends the inspection that waits for it', async () => {
    const node = waiting({
      provision_state: 'inspect wait',
      target_provision_state: 'manageable',
      properties: { rack: 1 },
    });
    const response = await send(finding());
    expect([response.status, response.body]).toEqual([202, { uuid: node.uuid }]);
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      provision_state: 'manageable',
      target_provision_state: null,
      reservation: null,
      inspection_finished_at: expect.stringMatching(/^2/u),
      properties: { rack: 1, cpus: 48, cpu_arch: 'x86_64', memory_mb: 65_536, local_gb: 464 },
    });
    expect(harness.inventory.documents.get(`inventory of ${node.uuid}`)).toEqual({
      inventory: finding().inventory,
      plugin_data: { root_disk: { name: '/dev/sda' } },
    });
  });

  it('knows no other node', async () => {
    const node = waiting({ provision_state: 'clean wait' });
    const none = shown(await send(finding('52:54:00:00:00:99')));
    expect(none).toMatchObject({ status: 404 });
    expect(shown(await send(finding()))).toEqual(none);
    expect(shown(await send(finding(), `?node_uuid=${node.uuid}`))).toEqual(none);
    expect(harness.inventory.writes).toEqual([]);
  });

  it.each([[{}], [{ inventory: 'x' }], [{ inventory: {} }], [[]]])('refuses %j', async (body) => {
    expect((await send(body)).status).toBe(400);
  });
});
