import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { faultOf } from '@tenure/testing';
import { uuidOf } from './testing/fixtures.js';
import { macOf, replacing, resourceCalls } from './testing/resource-calls.js';
import { seesOwn, startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
const { add, addNode, create, on, stored } = resourceCalls(() => app);

const asOwner = { obligations: seesOwn('p-a') };
const patch = (number: number, body: unknown, context = {}) =>
  on('ports', number, { method: 'PATCH', body, context });
const remove = (number: number, context = {}) => on('ports', number, { method: 'DELETE', context });

async function changeNode(number: number, values: Readonly<Record<string, unknown>>) {
  const node = await app.stores.nodes.findBy('uuid', uuidOf(number));
  if (node === undefined) throw new Error('no node');
  await app.stores.nodes.swap({ ...node, ...values, revision: node.revision + 1 }, node.revision);
}

beforeEach(async () => {
  app = await startTestApp();
  await addNode(1, { owner: 'p-a', provision_state: 'manageable' });
  await addNode(2, { owner: 'p-a', provision_state: 'manageable' });
  await addNode(3, { owner: 'p-b', provision_state: 'manageable' });
  await add('ports', 11, { node_uuid: uuidOf(1), address: macOf(11) });
});
afterEach(() => app.close());

const WHOLE = {
  uuid: uuidOf(11),
  created_at: '2026-11-21T07:10:57+00:00',
  updated_at: null,
  address: macOf(11),
  extra: {},
  internal_info: {},
  is_smartnic: false,
  local_link_connection: {},
  physical_network: null,
  pxe_enabled: true,
  node_uuid: uuidOf(1),
  name: null,
  description: null,
  vendor: null,
  category: null,
  available_for_dynamic_portgroup: true,
  links: [
    { href: `http://127.0.0.1:6385/v1/ports/${uuidOf(11)}`, rel: 'self' },
    { href: `http://127.0.0.1:6385/ports/${uuidOf(11)}`, rel: 'bookmark' },
  ],
  portgroup_uuid: null,
};

describe('one port', () => {
  it('is returned whole, in the order of its members', async () => {
    const { body } = await on('ports', 11);
    expect(body).toEqual(WHOLE);
    expect(Object.keys(body as object)).toEqual(Object.keys(WHOLE));
  });

  it.each([
    ['1.1', ['uuid', 'created_at', 'updated_at', 'address', 'extra', 'node_uuid', 'links']],
    [
      '1.65',
      [
        'uuid',
        'created_at',
        'updated_at',
        'address',
        'extra',
        'internal_info',
        'is_smartnic',
        'local_link_connection',
        'physical_network',
        'pxe_enabled',
        'node_uuid',
        'links',
        'portgroup_uuid',
      ],
    ],
  ])('is returned as it was at %s', async (version, members) => {
    const { body } = await on('ports', 11, { context: { api_version: version } });
    expect(Object.keys(body as object)).toEqual(members);
  });

  it('is returned in part with fields=', async () => {
    const { body } = await on('ports', 11, { below: '?fields=address' });
    expect(body).toEqual({ address: macOf(11), links: WHOLE.links });
  });

  it('is the one that the context names, and only in a context that names one', async () => {
    const resources = [
      { type: 'port', uuid: uuidOf(11), tenancy_revision: 1 },
      { type: 'node', uuid: uuidOf(1), tenancy_revision: 1 },
    ];
    const call = { from: 'gateway', target: '/v1/ports/other' } as const;
    expect((await app.call({ ...call, context: { resources } })).body).toMatchObject({
      uuid: uuidOf(11),
    });
    const [, node] = resources;
    if (node === undefined) throw new Error('no node');
    expect((await app.call({ ...call, context: { resources: [node] } })).status).toBe(401);
  });
});

describe('a decision about a port is stale', () => {
  const resources = (node: number, revision: number) => [
    { type: 'port', uuid: uuidOf(11), tenancy_revision: revision },
    { type: 'node', uuid: uuidOf(node), tenancy_revision: revision },
  ];

  it.each([
    ['the port hangs on another node', resources(2, 1)],
    ['its node changed hands', resources(1, 7)],
    ['it names no node', resources(1, 1).slice(0, 1)],
  ])('when %s', async (_, named) => {
    const context = { resources: named };
    for (const call of [
      {},
      { method: 'DELETE' },
      { method: 'PATCH', body: replacing('/extra', {}) },
    ]) {
      const answer = await on('ports', 11, { ...call, context });
      expect([answer.status, answer.headers.get('x-tenure-stale')]).toEqual([412, 'tenancy']);
    }
    expect(await stored('ports', 11)).toMatchObject({ revision: 1 });
  });
});

describe('a new port', () => {
  it('is answered whole, with its place, and is stored', async () => {
    const body = {
      uuid: uuidOf(12),
      node_uuid: uuidOf(1),
      address: macOf(12).toUpperCase(),
      local_link_connection: { switch_id: '0A:1b:2c:3d:4e:5f', port_id: 'Ethernet3/1' },
      physical_network: 'physnet1',
      pxe_enabled: false,
      extra: { a: 1 },
    };
    const answer = await create('ports', 1, body, asOwner);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`http://127.0.0.1:6385/v1/ports/${uuidOf(12)}`);
    const expected = { ...body, address: macOf(12), created_at: '2026-11-21T08:00:00+00:00' };
    expect(answer.body).toMatchObject(expected);
    expect(await stored('ports', 12)).toMatchObject({ ...expected, internal_info: {} });
  });

  it.each([
    [{}, "Schema error for port: 'address' is a required property"],
    [{ address: macOf(12) }, "Schema error for port: 'node_uuid' is a required property"],
    [{ address: 'x' }, "Schema error for port: 'node_uuid' is a required property"],
    [{ address: 'x', node_uuid: uuidOf(1) }, 'Invalid input for field/attribute address.'],
    [
      { address: macOf(12), node_uuid: uuidOf(1), bogus: 1 },
      "Schema error for port: Additional properties are not allowed ('bogus' was unexpected)",
    ],
    [
      { address: macOf(12), node_uuid: uuidOf(1), internal_info: {} },
      "Schema error for port: Additional properties are not allowed ('internal_info' was unexpected)",
    ],
    [
      { address: macOf(12), node_uuid: uuidOf(1), pxe_enabled: 'perhaps' },
      'Invalid input for field/attribute pxe_enabled.',
    ],
    [
      { address: macOf(12), node_uuid: uuidOf(1), local_link_connection: { switch_id: macOf(1) } },
      'Missing mandatory keys in local_link_connection: port_id',
    ],
    [
      {
        address: macOf(12),
        node_uuid: uuidOf(1),
        local_link_connection: { switch_id: 'x', port_id: 'y' },
      },
      'Invalid switch_id in local_link_connection: it must be a MAC address or an OpenFlow datapath ID.',
    ],
    [
      {
        address: macOf(12),
        node_uuid: uuidOf(1),
        portgroup_uuid: uuidOf(77),
      },
      'Unable to apply the requested portgroup_uuid. Requested value was invalid.',
    ],
  ])('%j is refused', async (body, fault) => {
    const answer = await create('ports', 1, body);
    expect([answer.status, faultOf(answer)]).toEqual([400, fault]);
  });

  it.each([
    [{ pxe_enabled: true }, '1.18'],
    [{ physical_network: 'x' }, '1.33'],
    [{ is_smartnic: true }, '1.52'],
    [{ name: 'x' }, '1.87'],
    [{ portgroup_uuid: uuidOf(1) }, '1.23'],
  ])('with %j is not acceptable at %s', async (field, version) => {
    const body = { address: macOf(12), node_uuid: uuidOf(1), ...field };
    expect((await create('ports', 1, body, { api_version: version })).status).toBe(406);
  });

  it('needs a node: one that is missing is 400, one that the decision was not made on is stale', async () => {
    const body = { address: macOf(12), node_uuid: uuidOf(77) };
    const missing = await create('ports', null, body);
    expect([missing.status, faultOf(missing)]).toEqual([
      400,
      `Node ${uuidOf(77)} could not be found.`,
    ]);
    expect((await create('ports', 1, body)).status).toBe(412);
    const stale = { resources: [{ type: 'node', uuid: uuidOf(1), tenancy_revision: 7 }] };
    expect((await create('ports', 1, { ...body, node_uuid: uuidOf(1) }, stale)).status).toBe(412);
  });

  it('may name its node by name from 1.94 on', async () => {
    const body = { uuid: uuidOf(12), address: macOf(12), node_uuid: 'n1' };
    expect((await create('ports', 1, body, { api_version: '1.93' })).status).toBe(400);
    expect((await create('ports', 1, body)).body).toMatchObject({ node_uuid: uuidOf(1) });
    const other = { ...body, uuid: uuidOf(13), address: macOf(13), node_uuid: 'n2' };
    expect((await create('ports', 1, other)).status).toBe(412);
  });

  it.each([
    [{ address: macOf(11) }, `A port with MAC address ${macOf(11)} already exists.`],
    [{ address: macOf(12), uuid: uuidOf(11) }, `A port with UUID ${uuidOf(11)} already exists.`],
    [{ address: macOf(12), name: 'eth0' }, 'A port with name eth0 already exists.'],
  ])('like another (%j) is 409', async (body, fault) => {
    await add('ports', 14, { node_uuid: uuidOf(2), address: macOf(14), name: 'eth0' });
    const answer = await create('ports', 1, { node_uuid: uuidOf(1), ...body });
    expect([answer.status, faultOf(answer)]).toEqual([409, fault]);
  });

  it('waits for a node that is locked, and does not reveal by whom', async () => {
    await changeNode(1, { reservation: 'conductor-1' });
    const answer = await create('ports', 1, { address: macOf(12), node_uuid: uuidOf(1) });
    expect([answer.status, faultOf(answer)]).toEqual([
      409,
      `Node ${uuidOf(1)} is locked, please retry after the current operation is completed.`,
    ]);
  });
});

describe('a patch of a port', () => {
  it('changes it, and what it is not about stays', async () => {
    const answer = await patch(11, [
      { op: 'add', path: '/extra/vif', value: 'x' },
      { op: 'replace', path: '/pxe_enabled', value: 'false' },
    ]);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        ...WHOLE,
        extra: { vif: 'x' },
        pxe_enabled: false,
        updated_at: '2026-11-21T08:00:00+00:00',
      },
    ]);
    expect(await stored('ports', 11)).toMatchObject({ extra: { vif: 'x' }, revision: 2 });
  });

  it.each([
    [replacing('/uuid', uuidOf(9)), 400],
    [replacing('/internal_info', {}), 400],
    [replacing('/internal_info/tenant_vif_port_id', 'x'), 400],
    [replacing('/address', 'x'), 400],
    [replacing('/address', null), 400],
    [replacing('/node_uuid', null), 400],
    [[{ op: 'remove', path: '/address' }], 400],
    [[{ op: 'remove', path: '/extra/none' }], 400],
    [replacing('/local_link_connection', { port_id: 'x' }), 400],
  ])('%j is refused', async (body, status) => {
    expect((await patch(11, body)).status).toBe(status);
    expect(await stored('ports', 11)).toMatchObject({ revision: 1 });
  });

  it('of no operation shows the port as it is', async () => {
    const answer = await patch(11, []);
    expect([answer.status, answer.body]).toMatchObject([200, { uuid: uuidOf(11) }]);
  });

  it('of a field that is too new is not acceptable', async () => {
    const context = { api_version: '1.52' };
    expect((await patch(11, replacing('/is_smartnic', true), context)).status).toBe(406);
  });

  it('to another port’s address is 409', async () => {
    await add('ports', 12, { node_uuid: uuidOf(2), address: macOf(12) });
    const answer = await patch(11, replacing('/address', macOf(12)));
    expect([answer.status, faultOf(answer)]).toEqual([
      409,
      `A port with MAC address ${macOf(12)} already exists.`,
    ]);
  });

  it('waits for a node that is locked', async () => {
    await changeNode(1, { reservation: 'conductor-1' });
    expect((await patch(11, replacing('/extra', {}))).status).toBe(409);
    expect((await remove(11)).status).toBe(409);
  });

  it('of a node with an instance leaves its address alone, but in maintenance', async () => {
    await changeNode(1, { instance_uuid: uuidOf(50), provision_state: 'active' });
    expect((await patch(11, replacing('/address', macOf(12)))).status).toBe(409);
    expect((await patch(11, replacing('/node_uuid', uuidOf(2)))).status).toBe(409);
    expect((await patch(11, replacing('/pxe_enabled', false))).status).toBe(409);
    expect((await patch(11, replacing('/extra', { a: 1 }))).status).toBe(200);
    await changeNode(1, { maintenance: true });
    expect((await patch(11, replacing('/address', macOf(12)))).status).toBe(200);
  });

  it('moves it to a node of the same owner that the caller may see', async () => {
    const { status, body } = await patch(11, replacing('/node_uuid', uuidOf(2)), asOwner);
    expect([status, body]).toEqual([200, expect.objectContaining({ node_uuid: uuidOf(2) })]);
  });

  it('to a node that is missing, unseen or of another owner has one answer', async () => {
    await addNode(4, { owner: 'p-b', lessee: 'p-a' });
    const answers = [];
    for (const target of [77, 3, 4]) {
      const answer = await patch(11, replacing('/node_uuid', uuidOf(target)), asOwner);
      answers.push([answer.status, faultOf(answer), [...answer.headers.keys()]]);
    }
    expect(answers[0]?.slice(0, 2)).toEqual([
      400,
      'Unable to apply the requested node_uuid. Requested value was invalid.',
    ]);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    const system = await patch(11, replacing('/node_uuid', uuidOf(3)));
    expect(system.status).toBe(400);
    expect(await stored('ports', 11)).toMatchObject({ node_uuid: uuidOf(1) });
  });
});

describe('a port in a port group', () => {
  const join = (number: number) => patch(11, replacing('/portgroup_uuid', uuidOf(number)));

  it('is one of the same node', async () => {
    await add('portgroups', 21, { node_uuid: uuidOf(1) });
    await add('portgroups', 22, { node_uuid: uuidOf(2) });
    const answers = [await join(22), await join(77)];
    for (const answer of answers)
      expect([answer.status, faultOf(answer)]).toEqual([
        400,
        'Unable to apply the requested portgroup_uuid. Requested value was invalid.',
      ]);
    expect((await join(21)).status).toBe(200);
    expect((await patch(11, replacing('/node_uuid', uuidOf(2)))).status).toBe(400);
    const both = [
      ...replacing('/node_uuid', uuidOf(2)),
      ...replacing('/portgroup_uuid', uuidOf(22)),
    ];
    expect((await patch(11, both)).status).toBe(200);
  });

  it('does not boot from the network when the group has no standalone ports', async () => {
    await add('portgroups', 21, { node_uuid: uuidOf(1), standalone_ports_supported: false });
    expect((await join(21)).status).toBe(409);
    await patch(11, replacing('/pxe_enabled', false));
    expect((await join(21)).status).toBe(200);
    expect((await patch(11, replacing('/pxe_enabled', true))).status).toBe(409);
  });

  it('carries the network of the others', async () => {
    await add('portgroups', 21, { node_uuid: uuidOf(1) });
    await add('ports', 12, {
      node_uuid: uuidOf(1),
      address: macOf(12),
      portgroup_uuid: uuidOf(21),
      physical_network: 'physnet1',
    });
    expect((await join(21)).status).toBe(409);
    await patch(11, replacing('/physical_network', 'physnet1'));
    expect((await join(21)).status).toBe(200);
  });
});

describe('deleting a port', () => {
  it('removes it', async () => {
    expect((await remove(11)).status).toBe(204);
    expect(await stored('ports', 11)).toBeUndefined();
  });

  it('is refused while a VIF is attached, but in maintenance', async () => {
    await add('ports', 12, {
      node_uuid: uuidOf(1),
      address: macOf(12),
      internal_info: { tenant_vif_port_id: 'vif-1' },
    });
    expect((await remove(12)).status).toBe(409);
    await changeNode(1, { maintenance: true });
    expect((await remove(12)).status).toBe(204);
  });

  it('whose node was removed is visible to callers that see everything', async () => {
    await add('ports', 12, { node_uuid: uuidOf(99), address: macOf(12) });
    expect((await remove(12)).status).toBe(204);
  });
});
