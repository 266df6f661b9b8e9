import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { aNode, faultOf } from '@tenure/testing';
import { type Response } from 'supertest';
import { ConductorHarness } from './testing/conductor-harness.js';
import { SignedCalls } from './testing/signed-calls.js';

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
const LATEST = { api_version: '1.72' };

function waiting(fields: Partial<NodeRecord> = {}): NodeRecord {
  const node = harness.inventory.put(aNode({ provision_state: 'clean wait', ...fields }));
  harness.parts.put('ports', node.uuid, { address: MAC });
  return node;
}

/** Where machines boot by network. */
const NEAR = '127.0.0.9';
const FAR = '198.51.100.9';

const lookup = (query: string, from: string | undefined = NEAR): Promise<Response> =>
  call('get', `/v1/lookup?${query}`, null, { client_address: from });

const PREGENERATED = {
  agent_secret_token: 'boot-secret',
  agent_secret_token_pregenerated: true,
  agent_boot: {
    id: 'boot-1',
    work: 'inspect',
    tenancy_revision: 1,
    started_at: '2026-01-01T00:00:00Z',
    image: '00'.repeat(32),
  },
};

interface Found {
  readonly node: Readonly<Record<string, unknown>>;
  readonly config: { readonly agent_token: string };
}

const tokenOf = async (): Promise<string> =>
  ((await lookup(`addresses=${MAC}`)).body as Found).config.agent_token;

/** Status, body and headers without the date and the time spent, which the gateway does not relay. */
function view({ status, text, headers }: Response): unknown {
  const lasting = Object.entries(headers as Record<string, string>).filter(
    ([name]) => name !== 'date' && name !== 'x-tenure-spent',
  );
  return { status, text, headers: Object.fromEntries(lasting) };
}

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
        instance_info: {},
        driver_internal_info: {},
      },
      config: { heartbeat_timeout: 300, agent_token: token, agent_token_required: true },
    });
    const second = await lookup(`node_uuid=${node.uuid}`);
    expect(second.body).toMatchObject({ config: { agent_token: '******' } });
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
    const none = view(await lookup(`node_uuid=${MISSING}`));
    expect(none).toMatchObject({ status: 404 });
    expect(view(await lookup(`node_uuid=${node.uuid}`))).toEqual(none);
    expect(view(await lookup(`addresses=${MAC}`))).toEqual(none);
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

  it.each([FAR, '::ffff:198.51.100.9', '2001:db8::9', '', 'nonsense', undefined])(
    'answers %s, which is no network of agents, as for no node',
    async (from) => {
      const node = waiting();
      const none = view(await call('get', `/v1/lookup?node_uuid=${MISSING}`, null));
      const claims = from === undefined ? {} : { client_address: from };
      expect(none).toMatchObject({ status: 404 });
      for (const query of [`addresses=${MAC}`, `node_uuid=${node.uuid}`])
        expect(view(await call('get', `/v1/lookup?${query}`, null, claims))).toEqual(none);
      expect(harness.inventory.writes).toEqual([]);
    },
  );

  it.each([NEAR, FAR])(
    'never gives the token of a boot that has one of its own, to %s',
    async (from) => {
      const node = waiting({
        driver_internal_info: PREGENERATED,
        instance_info: { configdrive: 'AAAA', image_source: 'http://images.example/a' },
      });
      const response = await lookup(`addresses=${MAC}`, from);
      expect([response.status, response.body]).toEqual([
        200,
        {
          node: { uuid: node.uuid, properties: {}, instance_info: {}, driver_internal_info: {} },
          config: { heartbeat_timeout: 300, agent_token: '******', agent_token_required: true },
        },
      ]);
      expect(harness.inventory.writes).toEqual([]);
    },
  );

  it('answers for a boot with a token of its own only while the node waits for its agent', async () => {
    waiting({ provision_state: 'active', driver_internal_info: PREGENERATED });
    const none = view(await lookup(`node_uuid=${MISSING}`));
    expect(view(await lookup(`addresses=${MAC}`))).toEqual(none);
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
  const URL = 'http://192.0.2.7:9999';
  const beat = (ident: string, body: unknown, from = '192.0.2.7'): Promise<Response> =>
    call('post', `/v1/heartbeat/${ident}`, null, { body, client_address: from, ...LATEST });

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
        agent_address: '192.0.2.7',
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
    ].map(view);
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
    ['http://192.0.2.66:9999', '192.0.2.7'],
    ['http://192.0.2.7:9999', '192.0.2.66'],
    ['http://agent.invalid:9999', '192.0.2.66'],
    ['http://169.254.169.254/', '169.254.169.254'],
  ])('is refused for the callback to %s when it came from %s', async (callback_url, from) => {
    const node = waiting();
    const agent_token = await tokenOf();
    const response = await beat(node.uuid, { callback_url, agent_token }, from);
    expect([response.status, faultOf(response)]).toEqual([
      400,
      'The "callback_url" is not an address of an agent.',
    ]);
    expect(harness.inventory.node(node.uuid).driver_internal_info).not.toHaveProperty('agent_url');
  });

  it.each([
    ['http://127.0.0.7:9999', '127.0.0.7'],
    ['http://localhost:9999', expect.stringMatching(/^127\.|^::1$/u)],
  ])('is taken with the callback to %s in a named network, from anywhere', async (url, pinned) => {
    const node = waiting();
    const agent_token = await tokenOf();
    expect((await beat(node.uuid, { callback_url: url, agent_token }, FAR)).status).toBe(202);
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      driver_internal_info: { agent_url: url, agent_address: pinned },
    });
  });

  it('keeps the address and the certificate of the first one', async () => {
    const node = waiting();
    const agent_token = await tokenOf();
    const first = { callback_url: URL, agent_token, agent_verify_ca: 'PEM 1' };
    expect((await beat(node.uuid, first)).status).toBe(202);
    const other = await beat(node.uuid, { ...first, agent_verify_ca: 'PEM 2' });
    expect([other.status, faultOf(other)]).toEqual([
      400,
      'Detected change in ramdisk provided "agent_verify_ca".',
    ]);
    for (const agent_verify_ca of [undefined, null, '', 'PEM 1'])
      expect((await beat(node.uuid, { ...first, agent_verify_ca }, FAR)).status).toBe(202);
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      reservation: null,
      driver_internal_info: { agent_verify_ca: 'PEM 1', agent_address: '192.0.2.7' },
    });
  });

  it('takes no certificate later from an agent that had none', async () => {
    const node = waiting();
    const agent_token = await tokenOf();
    const first = { callback_url: URL, agent_token };
    expect((await beat(node.uuid, first)).status).toBe(202);
    expect((await beat(node.uuid, { ...first, agent_verify_ca: 'PEM' })).status).toBe(400);
  });

  it('is taken with the token that a boot brought with it', async () => {
    const node = waiting({ driver_internal_info: PREGENERATED });
    const body = { callback_url: URL, agent_token: 'boot-secret' };
    expect((await beat(node.uuid, body)).status).toBe(202);
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
  const WAITING = { provision_state: 'inspect wait', driver_internal_info: PREGENERATED };
  const credentials = (node: NodeRecord, token = 'boot-secret') => ({
    agent_credentials: { node_uuid: node.uuid.toUpperCase(), token },
  });
  const send = (body: unknown, query = '', claims = {}): Promise<Response> =>
    call('post', `/v1/continue_inspection${query}`, null, { body, ...claims });

  it.each([
    ['in the header', credentials, {}],
    ['in the body', () => ({}), { agent_token: 'boot-secret' }],
  ])('ends the inspection that waits for it, with the token %s', async (_where, claims, extra) => {
    const node = waiting({
      ...WAITING,
      target_provision_state: 'manageable',
      properties: { rack: 1 },
    });
    const response = await send({ ...finding(), ...extra }, '', claims(node));
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

  it('is refused in one way, whatever is wrong', async () => {
    const node = waiting(WAITING);
    const cleaning = harness.inventory.put(aNode({ ...WAITING, provision_state: 'clean wait' }));
    const tokenless = harness.inventory.put(aNode({ provision_state: 'inspect wait' }));
    const missing = { ...node, uuid: MISSING };
    const inBody = { ...finding(), agent_token: 'boot-secret' };
    const answers = [
      await send(finding('52:54:00:00:00:99')),
      await send(finding()),
      await send(finding(), `?node_uuid=${node.uuid}`),
      await send({ ...inBody, agent_token: 'wrong' }),
      await send({ ...inBody, agent_token: null }),
      await send(inBody, `?node_uuid=${cleaning.uuid}`),
      await send(inBody, `?node_uuid=${MISSING}`),
      await send({ ...inBody, agent_token: '' }, `?node_uuid=${tokenless.uuid}`),
      await send(finding(), '', credentials(node, 'wrong')),
      await send(finding(), '', credentials(cleaning)),
      await send(finding(), '', credentials(missing)),
      await send(inBody, '', credentials(node, 'wrong')),
      await send(finding(), `?node_uuid=${cleaning.uuid}`, credentials(node)),
    ].map(view);
    expect(answers[0]).toMatchObject({ status: 404 });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(harness.inventory.writes).toEqual([]);
  });

  it.each([[{}], [{ inventory: 'x' }], [{ inventory: {} }], [[]]])('refuses %j', async (body) => {
    expect((await send(body)).status).toBe(400);
  });
});

describe('GET /internal/agent-token', () => {
  const ask = (agent_credentials?: { node_uuid: string; token: string }): Promise<Response> =>
    call('get', '/internal/agent-token', null, agent_credentials && { agent_credentials });

  it('knows the credentials of an agent whose findings a node waits for, and no others', async () => {
    const state = { provision_state: 'inspect wait', driver_internal_info: PREGENERATED };
    const node = waiting(state);
    const cleaning = waiting({ ...state, provision_state: 'clean wait' });
    const status = async (node_uuid: string, token: string) =>
      (await ask({ node_uuid, token })).status;
    expect(await status(node.uuid, 'boot-secret')).toBe(204);
    expect(await status(node.uuid, 'wrong')).toBe(404);
    expect(await status(cleaning.uuid, 'boot-secret')).toBe(404);
    expect(await status(MISSING, 'boot-secret')).toBe(404);
    expect((await ask()).status).toBe(401);
  });
});
