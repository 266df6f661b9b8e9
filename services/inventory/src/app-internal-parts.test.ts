import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { makeNode, uuidOf } from './testing/fixtures.js';
import { startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await startTestApp();
  await add(1);
  await add(2);
});
afterEach(() => app.close());

type Values = Readonly<Record<string, unknown>>;

const add = (number: number, values: Values = {}) =>
  app.stores.nodes.insert((epoch) =>
    makeNode({ uuid: uuidOf(number), name: `n${String(number)}`, ...values }, epoch),
  );
const stored = (number: number) => app.stores.nodes.findBy('uuid', uuidOf(number));
const addPort = (number: number, node: number, address: string, section = 'ports') =>
  app.call({
    from: 'cli',
    method: 'POST',
    target: '/internal/import',
    body: { [section]: [{ uuid: uuidOf(number), node_uuid: uuidOf(node), address }] },
  });
const ask = (method: string, target: string, body?: unknown) =>
  app.call({
    from: 'conductor',
    method,
    target: `/internal${target}`,
    ...(body !== undefined && { body }),
  });
async function reserve(number: number, body: Values = { holder: 'c1' }) {
  const node = await stored(number);
  return app.call({
    from: 'conductor',
    method: 'POST',
    target: `/internal/nodes/${uuidOf(number)}/reservation`,
    body,
    context: {
      resources: [
        { type: 'node', uuid: uuidOf(number), tenancy_revision: node?.tenancy_revision ?? 0 },
      ],
    },
  });
}

describe('who may call', () => {
  it.each([
    ['GET', `/nodes/${uuidOf(1)}/ports`],
    ['GET', `/nodes/${uuidOf(1)}/portgroups`],
    ['POST', `/nodes/${uuidOf(1)}/ports`],
    ['PATCH', `/nodes/${uuidOf(1)}/ports/${uuidOf(11)}`],
    ['PATCH', `/nodes/${uuidOf(1)}/portgroups/${uuidOf(11)}`],
    ['GET', `/nodes/${uuidOf(1)}/documents/bios`],
    ['PUT', `/nodes/${uuidOf(1)}/documents/bios`],
    ['GET', '/lookup?addresses=x'],
  ])('%s %s: a conductor, and nobody else', async (method, target) => {
    for (const from of ['gateway', 'allocation', 'cli'] as const)
      expect((await app.call({ from, method, target: `/internal${target}` })).status).toBe(403);
  });
});

describe('ports that a conductor found', () => {
  const create = (node: number, body: Values) => ask('POST', `/nodes/${uuidOf(node)}/ports`, body);
  const found = { holder: 'c1', address: '52:54:00:AA:00:01', pxe_enabled: true };
  const fenceOf = async (node: number): Promise<number> =>
    ((await reserve(node)).body as { readonly fence: number }).fence;
  const portsOf = async (node: number): Promise<readonly unknown[]> =>
    ((await ask('GET', `/nodes/${uuidOf(node)}/ports`)).body as { readonly ports: unknown[] })
      .ports;

  it('are created under the lock of their node', async () => {
    const fence = await fenceOf(1);
    expect(await create(1, { ...found, fence })).toMatchObject({
      status: 201,
      body: {
        address: '52:54:00:aa:00:01',
        node_uuid: uuidOf(1),
        pxe_enabled: true,
        portgroup_uuid: null,
        extra: {},
        internal_info: {},
        local_link_connection: {},
        created_at: '2026-11-21T08:00:00+00:00',
        updated_at: null,
      },
    });
    expect(await portsOf(1)).toHaveLength(1);
  });

  it('are not created twice, on whatever node', async () => {
    const [first, second] = [await fenceOf(1), await fenceOf(2)];
    expect((await create(1, { ...found, fence: first })).status).toBe(201);
    for (const [node, fence] of [
      [1, first],
      [2, second],
    ] as const)
      expect(await create(node, { ...found, fence })).toMatchObject({
        status: 409,
        body: { code: 'duplicate' },
      });
    expect(await portsOf(2)).toEqual([]);
  });

  it('are not created without the lock', async () => {
    const fence = await fenceOf(1);
    for (const lock of [{ fence: fence + 1 }, { fence, holder: 'c2' }])
      expect(await create(1, { ...found, ...lock })).toMatchObject({
        status: 409,
        body: { code: 'lock_lost' },
      });
    expect((await create(9, { ...found, fence })).status).toBe(404);
    expect(await portsOf(1)).toEqual([]);
  });

  it.each([
    [{ address: '52:54:00:aa:00:0g' }],
    [{ address: 'x' }],
    [{ pxe_enabled: 'yes' }],
    [{ node_uuid: uuidOf(2) }],
  ])('%j is refused', async (wrong) => {
    const fence = await fenceOf(1);
    expect((await create(1, { ...found, fence, ...wrong })).status).toBe(400);
    expect(await portsOf(1)).toEqual([]);
  });
});

describe.each(['ports', 'portgroups'])('%s of a node', (section) => {
  beforeEach(async () => {
    await addPort(11, 1, '52:54:00:00:00:11', section);
    await addPort(12, 2, '52:54:00:00:00:12', section);
  });
  const change = (node: number, port: number, body: Values) =>
    ask('PATCH', `/nodes/${uuidOf(node)}/${section}/${uuidOf(port)}`, body);

  const fenceOf = async (node: number): Promise<number> =>
    ((await reserve(node)).body as { readonly fence: number }).fence;

  it('are read whole', async () => {
    const { body } = await ask('GET', `/nodes/${uuidOf(1)}/${section}`);
    expect(body).toMatchObject({ [section]: [{ uuid: uuidOf(11), node_uuid: uuidOf(1) }] });
    expect((body as Readonly<Record<string, unknown[]>>)[section]).toHaveLength(1);
    expect((await ask('GET', `/nodes/${uuidOf(9)}/${section}`)).status).toBe(404);
  });

  it('are written under the lock of their node', async () => {
    const { fence } = (await reserve(1)).body as { readonly fence: number };
    const set = { internal_info: { tenant_vif_port_id: 'v1' }, extra: { a: 1 } };
    const answer = await change(1, 11, { holder: 'c1', fence, set });
    expect(answer).toMatchObject({ status: 200, body: { uuid: uuidOf(11), ...set } });
    const { body } = await ask('GET', `/nodes/${uuidOf(1)}/${section}`);
    expect(body).toMatchObject({
      [section]: [{ ...set, updated_at: '2026-11-21T08:00:00+00:00' }],
    });
  });

  it('hold a VIF one at a time, on whatever node', async () => {
    const [first, second] = [await fenceOf(1), await fenceOf(2)];
    const attached = (vif: string | null) => ({
      internal_info: vif === null ? {} : { tenant_vif_port_id: vif },
    });
    const attach = (node: number, fence: number, vif: string | null) =>
      change(node, 10 + node, { holder: 'c1', fence, set: attached(vif) });
    expect((await attach(1, first, 'v1')).status).toBe(200);
    expect((await attach(1, first, 'v1')).status).toBe(200);
    expect(await attach(2, second, 'v1')).toMatchObject({
      status: 409,
      body: { code: 'duplicate' },
    });
    expect((await attach(2, second, 'v2')).status).toBe(200);
    expect((await attach(1, first, null)).status).toBe(200);
    expect((await attach(2, second, 'v1')).status).toBe(200);
    expect(await attach(1, first, 'v1')).toMatchObject({ status: 409 });
  });

  it('hold the VIFs that came with an imported document', async () => {
    const port = { uuid: uuidOf(13), node_uuid: uuidOf(1), address: '52:54:00:00:00:13' };
    const body = { [section]: [{ ...port, internal_info: { tenant_vif_port_id: 'v1' } }] };
    const imported = { from: 'cli', method: 'POST', target: '/internal/import', body } as const;
    expect((await app.call(imported)).status).toBe(200);
    const set = { internal_info: { tenant_vif_port_id: 'v1' } };
    const fence = await fenceOf(2);
    expect((await change(2, 12, { holder: 'c1', fence, set })).status).toBe(409);
  });

  it('never hold one VIF twice, however many ask at once', async () => {
    const [first, second] = [await fenceOf(1), await fenceOf(2)];
    const set = { internal_info: { tenant_vif_port_id: 'v1' } };
    const answers = await Promise.all([
      change(1, 11, { holder: 'c1', fence: first, set }),
      change(2, 12, { holder: 'c1', fence: second, set }),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
  });

  it('are not written by who does not hold the lock, nor of another node', async () => {
    const { fence } = (await reserve(1)).body as { readonly fence: number };
    const set = { extra: { a: 1 } };
    for (const lock of [
      { holder: 'c2', fence },
      { holder: 'c1', fence: fence - 1 },
    ])
      expect((await change(1, 11, { ...lock, set })).body).toMatchObject({
        status: 409,
        code: 'lock_lost',
      });
    expect((await change(1, 12, { holder: 'c1', fence, set })).status).toBe(404);
    expect((await change(1, 19, { holder: 'c1', fence, set })).status).toBe(404);
    expect((await change(2, 12, { holder: 'c1', fence, set })).status).toBe(409);
  });

  it.each([{ address: 'x' }, { node_uuid: uuidOf(2) }, { pxe_enabled: 'yes' }, { extra: null }])(
    'keep what is not a conductor’s to write (%j)',
    async (set) => {
      const { fence } = (await reserve(1)).body as { readonly fence: number };
      expect((await change(1, 11, { holder: 'c1', fence, set })).status).toBe(400);
    },
  );
});

describe('documents', () => {
  const target = `/nodes/${uuidOf(1)}/documents`;

  it('are kept with or without a lock, and given back as they were', async () => {
    expect((await ask('GET', `${target}/bios`)).status).toBe(404);
    const document = { settings: [{ name: 'a.b', value: 1, $x: [null] }] };
    expect(await ask('PUT', `${target}/bios`, { document })).toMatchObject({
      status: 204,
      body: undefined,
    });
    expect((await ask('GET', `${target}/bios`)).body).toEqual(document);
    const { fence } = (await reserve(1)).body as { readonly fence: number };
    const fresh = { settings: [] };
    const locked = { holder: 'c1', fence, document: fresh };
    expect((await ask('PUT', `${target}/bios`, locked)).status).toBe(204);
    expect((await ask('GET', `${target}/bios`)).body).toEqual(fresh);
  });

  it('are not kept by who says to hold a lock and does not', async () => {
    const document = { settings: [] };
    const answer = await ask('PUT', `${target}/bios`, { holder: 'c1', fence: 1, document });
    expect(answer).toMatchObject({ status: 409, body: { code: 'lock_lost' } });
    expect((await ask('GET', `${target}/bios`)).status).toBe(404);
    expect((await ask('PUT', `${target}/bios`, { holder: 'c1', document })).status).toBe(400);
  });

  it.each([
    ['bios', {}],
    ['bios', { settings: [{}] }],
    ['bios', { settings: [], more: 1 }],
    ['firmware', { components: ['bmc'] }],
    ['inventory', { plugin_data: {} }],
    ['inventory', []],
  ])('of kind %s are refused in another form (%#)', async (kind, document) => {
    expect((await ask('PUT', `${target}/${kind}`, { document })).status).toBe(400);
  });

  it('are of a registered kind, and of a node that exists', async () => {
    const document = { settings: [] };
    for (const kind of ['nope', 'toString'])
      expect((await ask('PUT', `${target}/${kind}`, { document })).status).toBe(404);
    expect((await ask('PUT', `/nodes/${uuidOf(9)}/documents/bios`, { document })).status).toBe(404);
  });
});

describe('a lookup', () => {
  beforeEach(async () => {
    await addPort(11, 1, '52:54:00:00:00:11');
    await addPort(12, 1, '52:54:00:00:00:12');
    await addPort(13, 2, '52:54:00:00:00:13');
  });
  const STATES = 'states=manageable,enroll,inspect%20wait';
  const found = async (query: string) => {
    const { status, body } = await ask('GET', `/lookup?${query}`);
    if (status !== 200) return status;
    return (body as { readonly nodes: readonly NodeRecord[] }).nodes.map(({ uuid }) => uuid);
  };

  it.each([
    [`node_uuid=${uuidOf(2)}`, [uuidOf(2)]],
    [`node_uuid=${uuidOf(2)}&addresses=52:54:00:00:00:11`, [uuidOf(2)]],
    ['addresses=52:54:00:00:00:11', [uuidOf(1)]],
    ['addresses=52:54:00:00:00:11,%2052:54:00:00:00:12,52:54:00:00:00:99', [uuidOf(1)]],
    ['addresses=52:54:00:00:00:11,52:54:00:00:00:13', [uuidOf(1), uuidOf(2)]],
    ['addresses=52:54:00:00:00:99', []],
    ['addresses=', []],
    [`node_uuid=${uuidOf(9)}`, []],
    ['node_uuid=n1', []],
    ['', 400],
    [`addresses=${Array.from({ length: 65 }, () => 'a').join(',')}`, 400],
  ])('by %s', async (query, expected) => {
    expect(await found(`${query}&${STATES}`)).toEqual(expected);
  });

  it('gives no node that is in another state', async () => {
    const both = 'addresses=52:54:00:00:00:11,52:54:00:00:00:13';
    expect(await found(`${both}&states=inspect%20wait`)).toEqual([]);
    expect(await found(both)).toBe(400);
  });

  it('gives the whole record', async () => {
    const { body } = await ask('GET', `/lookup?addresses=52:54:00:00:00:11&${STATES}`);
    expect(body).toEqual({ nodes: [await stored(1)] });
  });
});

describe('what a conductor writes of a node', () => {
  const change = (body: Values) => ask('PATCH', `/nodes/${uuidOf(1)}`, body);

  it('is every field that its work is about', async () => {
    const { fence } = (await reserve(1)).body as { readonly fence: number };
    const set = {
      console_enabled: true,
      raid_config: { logical_disks: [] },
      target_raid_config: { logical_disks: [] },
      boot_mode: 'uefi',
      secure_boot: true,
      provision_state: 'active',
      target_provision_state: 'deleted',
      provision_updated_at: '2026-11-21T08:00:00Z',
      clean_step: { step: 'a' },
      deploy_step: { step: 'b' },
      service_step: { step: 'c' },
      inspection_started_at: '2026-11-21T07:00:00Z',
      inspection_finished_at: '2026-11-21T07:30:00Z',
      instance_info: { image_source: 'x' },
      instance_uuid: uuidOf(77),
      driver_internal_info: { agent_url: 'http://10.0.0.9' },
      properties: { cpus: 4 },
      health: 'OK',
      fault: 'power failure',
      maintenance: true,
      maintenance_reason: 'why',
      power_state: 'power on',
      target_power_state: null,
      traits: ['CUSTOM_A'],
    };
    const answer = await change({ holder: 'c1', fence, set });
    expect(answer).toMatchObject({ status: 200, body: { node: set } });
    expect(await stored(1)).toMatchObject(set);
  });

  it('may make somebody its lessee, which ends every decision made before', async () => {
    const { fence, node } = (await reserve(1)).body as {
      readonly fence: number;
      readonly node: { readonly tenancy_revision: number };
    };
    const answer = await change({ holder: 'c1', fence, set: { lessee: 'p-a' }, release: true });
    expect(answer.body).toMatchObject({
      node: { lessee: 'p-a', tenancy_revision: node.tenancy_revision + 1 },
    });
    const { tenancy_revision } = node;
    const resources = [{ type: 'node', uuid: uuidOf(1), tenancy_revision }];
    expect((await app.onNode(uuidOf(1), { context: { resources } })).status).toBe(412);
  });
});

describe('an instance that a conductor removes', () => {
  it('takes its allocation along', async () => {
    const allocation = uuidOf(50);
    const made = {
      uuid: allocation,
      name: 'a1',
      state: 'active',
      node_uuid: uuidOf(1),
      resource_class: 'gold',
    };
    await app.call({
      from: 'cli',
      method: 'POST',
      target: '/internal/import',
      body: { allocations: [made] },
    });
    expect(await stored(1)).toMatchObject({
      allocation_uuid: allocation,
      instance_uuid: allocation,
    });
    const { fence } = (await reserve(1)).body as { readonly fence: number };
    const target = `/nodes/${uuidOf(1)}`;
    await ask('PATCH', target, { holder: 'c1', fence, set: { provision_state: 'cleaning' } });
    expect(await app.stores.allocations.findBy('uuid', allocation)).toBeDefined();
    const set = { instance_uuid: null, instance_info: {} };
    const answer = await ask('PATCH', target, { holder: 'c1', fence, set });
    expect(answer.body).toMatchObject({ node: { allocation_uuid: null, instance_uuid: null } });
    expect(await app.stores.allocations.findBy('uuid', allocation)).toBeUndefined();
  });
});

describe('a failure that a conductor writes', () => {
  const history = async () =>
    (
      (
        await app.onNode(uuidOf(1), {
          below: '/history?detail=true',
          context: { api_version: '1.78' },
        })
      ).body as { readonly history: readonly unknown[] }
    ).history;

  it('is kept in the history of the node, with what was going on and for whom', async () => {
    const set = { target_power_state: 'power on' };
    const { fence } = (await reserve(1, { holder: 'c1', set })).body as { readonly fence: number };
    expect(await history()).toEqual([]);
    const subject = {
      user_id: 'u-1',
      project_id: 'p-a',
      system_scope: null,
      domain_id: null,
      roles: ['member'],
    };
    await app.call({
      from: 'conductor',
      method: 'PATCH',
      target: `/internal/nodes/${uuidOf(1)}`,
      body: {
        holder: 'c1',
        fence,
        set: { last_error: 'The BMC refused.', target_power_state: null },
        release: true,
      },
      context: { subject },
    });
    expect(await history()).toMatchObject([
      {
        created_at: '2026-11-21T08:00:00+00:00',
        severity: 'ERROR',
        event: 'The BMC refused.',
        event_type: 'power',
        conductor: 'c1',
        user: 'u-1',
      },
    ]);
  });

  it.each([
    ['cleaning', 'cleaning'],
    ['wait call-back', 'provisioning'],
    ['deleting', 'unprovisioning'],
    ['inspecting', 'introspection'],
    ['available', null],
  ])('while the node is %s is of type %s', async (provision_state, type) => {
    await add(3, { provision_state });
    await reserve(3, { holder: 'c1', set: { last_error: 'No.' } });
    const { body } = await app.onNode(uuidOf(3), {
      below: '/history?detail=true',
      context: { api_version: '1.78' },
    });
    expect(body).toMatchObject({ history: [{ event: 'No.', event_type: type, user: null }] });
  });

  it('is none when there is no sentence, and none when the lock is lost', async () => {
    const { fence } = (await reserve(1, { holder: 'c1', set: { last_error: null } })).body as {
      readonly fence: number;
    };
    const target = `/nodes/${uuidOf(1)}`;
    await ask('PATCH', target, { holder: 'c1', fence, set: { last_error: '' } });
    const lost = { holder: 'c2', fence, set: { last_error: 'Mine!' } };
    expect((await ask('PATCH', target, lost)).status).toBe(409);
    expect((await reserve(1, { holder: 'c2', set: { last_error: 'Mine!' } })).status).toBe(409);
    expect(await history()).toEqual([]);
  });
});
