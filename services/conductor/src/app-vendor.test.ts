import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { aNode, type FakeInventory, faultOf } from '@tenure/testing';
import { type Response } from 'supertest';
import { ConductorHarness } from './testing/conductor-harness.js';
import { aRedfishNode } from './testing/nodes.js';
import { SignedCalls } from './testing/signed-calls.js';

let harness: ConductorHarness;
let inventory: FakeInventory;
let call: SignedCalls['call'];

beforeEach(() => {
  harness = new ConductorHarness();
  ({ inventory } = harness);
  ({ call } = new SignedCalls(harness));
});

afterEach(async () => {
  await harness.close();
});

const keysOf = (response: Response): readonly string[] => Object.keys(response.body as object);

const passthru = (node: NodeRecord, query: string): string =>
  `/v1/nodes/${node.uuid}/vendor_passthru${query}`;

describe('vendor_passthru/methods', () => {
  it('are returned in the shape of Ironic', async () => {
    const node = inventory.put(aNode());
    const response = await call('get', passthru(node, '/methods'), node);
    expect(keysOf(response)).toEqual([
      'first_method',
      'fourth_method_shared_lock',
      'power_summary',
      'second_method',
      'third_method_sync',
    ]);
    expect((response.body as Record<string, unknown>)['fourth_method_shared_lock']).toEqual({
      http_methods: ['POST'],
      async: true,
      description: 'Returns whether bar is woof.',
      attach: false,
      require_exclusive_lock: false,
    });
  });

  it('are those of redfish for a redfish node', async () => {
    const node = inventory.put(aRedfishNode(await harness.openBmc()));
    const response = await call('get', passthru(node, '/methods'), node);
    expect(keysOf(response)).toEqual([
      'clear_event_log',
      'create_subscription',
      'delete_subscription',
      'eject_vmedia',
      'get_all_subscriptions',
      'get_event_log',
      'get_subscription',
    ]);
  });

  it('are a 400 where the interface is switched off', async () => {
    const node = inventory.put(aNode({ vendor_interface: 'no-vendor' }));
    const response = await call('get', passthru(node, '/methods'), node);
    expect([response.status, faultOf(response)]).toEqual([
      400,
      'Driver fake-hardware does not support vendor (disabled or not implemented).',
    ]);
  });
});

describe('vendor_passthru', () => {
  it.each([
    ['meow', true],
    ['woof', false],
  ])('answers a synchronous method with its value (%s)', async (bar, value) => {
    const node = inventory.put(aNode());
    const response = await call('post', passthru(node, '?method=third_method_sync'), node, {
      body: { bar },
    });
    expect([response.status, response.body]).toEqual([200, value]);
    expect(inventory.node(node.uuid)).toMatchObject({ reservation: null, fence: 1 });
  });

  it('takes the name of the method in the path as well', async () => {
    const node = inventory.put(aNode());
    const response = await call('post', passthru(node, '/third_method_sync'), node, {
      body: { bar: 'meow' },
    });
    expect([response.status, response.body]).toEqual([200, true]);
  });

  it('answers an asynchronous method before it is done, and holds the lock for it', async () => {
    const node = inventory.put(aNode({ driver_info: { fake_delay_ms: 50 } }));
    const response = await call('post', passthru(node, '?method=second_method'), node, {
      body: { bar: 'kazoo' },
    });
    expect([response.status, response.text]).toEqual([202, '']);
    expect(inventory.node(node.uuid)).toMatchObject({
      reservation: 'conductor-1',
      driver_internal_info: { pending_change: { kind: 'vendor', method: 'second_method' } },
    });
    await harness.idle();
    expect(inventory.node(node.uuid)).toMatchObject({
      reservation: null,
      driver_internal_info: {},
      last_error: null,
    });
  });

  it('says in last_error that an asynchronous method failed', async () => {
    const node = inventory.put(aNode({ driver_info: { fake_failure: 'vendor' } }));
    await call('post', passthru(node, '?method=second_method'), node, { body: { bar: 'x' } });
    await harness.idle();
    expect(inventory.node(node.uuid).last_error).toBe(
      "The vendor method 'second_method' failed. Error: the simulated hardware failed, as fake_failure asks.",
    );
  });

  it('needs no lock for a method that shares it', async () => {
    const node = inventory.put(aNode({ reservation: 'other' }));
    const shared = await call('post', passthru(node, '?method=fourth_method_shared_lock'), node, {
      body: { bar: 'woof' },
    });
    const exclusive = await call('post', passthru(node, '?method=third_method_sync'), node, {
      body: { bar: 'meow' },
    });
    expect([shared.status, exclusive.status]).toEqual([202, 409]);
    expect((await call('get', passthru(node, '?method=power_summary'), node)).body).toEqual({
      power_state: 'power off',
    });
  });

  it.each([
    ['post', '', { bar: 'x' }, 'Method not specified'],
    ['post', '?method=no_such', { bar: 'x' }, 'No handler for method no_such'],
    ['post', '/no_such', { bar: 'x' }, 'No handler for method no_such'],
    ['post', '?method=constructor', {}, 'No handler for method constructor'],
    [
      'get',
      '?method=second_method',
      undefined,
      'The method second_method does not support HTTP GET',
    ],
  ] as const)("%s %s answers 400 with Ironic's message", async (verb, query, body, sentence) => {
    const node = inventory.put(aNode());
    const response = await call(verb, passthru(node, query), node, { body });
    expect([response.status, faultOf(response)]).toEqual([400, sentence]);
    expect(inventory.writes).toEqual([]);
  });

  it('checks arguments before it acknowledges anything', async () => {
    const node = inventory.put(aNode());
    for (const method of ['second_method', 'third_method_sync', 'fourth_method_shared_lock'])
      expect((await call('post', passthru(node, `?method=${method}`), node)).status).toBe(400);
    expect(inventory.writes).toEqual([]);
  });

  it('takes arguments of GET and DELETE from the query as well as from the body', async () => {
    const bmc = await harness.openBmc();
    const node = inventory.put(aRedfishNode(bmc));
    const created = await call('post', passthru(node, '?method=create_subscription'), node, {
      body: { Destination: 'https://events.example/hook' },
    });
    expect([created.status, (created.body as { Id: string }).Id]).toEqual([200, '1']);
    const one = { Id: '1', Destination: 'https://events.example/hook' };
    const byQuery = await call('get', passthru(node, '?method=get_subscription&id=1'), node);
    expect(byQuery.body).toMatchObject(one);
    const byBody = await call('get', passthru(node, '?method=get_subscription'), node, {
      body: { id: '1' },
    });
    expect(byBody.body).toMatchObject(one);
    const deleted = await call('delete', passthru(node, '?method=delete_subscription'), node, {
      body: { id: '1' },
    });
    expect([deleted.status, deleted.text]).toEqual([200, '']);
    const again = await call('delete', passthru(node, '?method=delete_subscription&id=1'), node);
    expect([again.status, again.headers['x-tenure-missing']]).toEqual([404, 'part']);
  });
});

describe('drivers', () => {
  it('return their properties', async () => {
    const response = await call('get', '/v1/drivers/redfish/properties', null);
    expect(keysOf(response)).toEqual([
      'deploy_iso',
      'redfish_address',
      'redfish_auth_type',
      'redfish_password',
      'redfish_system_id',
      'redfish_username',
      'redfish_verify_ca',
    ]);
  });

  it('return the properties of a logical disk', async () => {
    const target = '/v1/drivers/fake-hardware/raid/logical_disk_properties';
    expect(keysOf(await call('get', target, null))).toEqual([
      'controller',
      'disk_type',
      'interface_type',
      'is_root_volume',
      'number_of_physical_disks',
      'physical_disks',
      'raid_level',
      'share_physical_disks',
      'size_gb',
      'volume_name',
    ]);
  });

  it('have no vendor methods of their own', async () => {
    const target = '/v1/drivers/fake-hardware/vendor_passthru';
    expect((await call('get', `${target}/methods`, null)).body).toEqual({});
    const response = await call('post', `${target}?method=x`, null, { body: {} });
    expect([response.status, faultOf(response)]).toEqual([400, 'No handler for method x']);
    expect((await call('post', target, null, { body: {} })).status).toBe(400);
    expect(faultOf(await call('post', `${target}/x`, null, { body: {} }))).toBe(
      'No handler for method x',
    );
  });

  it.each(['properties', 'raid/logical_disk_properties', 'vendor_passthru/methods'])(
    'that there are not have no %s',
    async (what) => {
      const response = await call('get', `/v1/drivers/ipmi/${what}`, null);
      expect([response.status, faultOf(response)]).toEqual([
        404,
        'Could not find the following driver(s) or hardware type(s): ipmi.',
      ]);
    },
  );
});
