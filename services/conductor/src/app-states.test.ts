import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { aNode, type FakeInventory, faultOf } from '@tenure/testing';
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

const states = (node: NodeRecord, what: string): string => `/v1/nodes/${node.uuid}/states/${what}`;

describe('PUT states/raid', () => {
  const config = { logical_disks: [{ raid_level: '1', size_gb: 'MAX', is_root_volume: true }] };

  it('stores the configuration and releases the lock', async () => {
    const node = inventory.put(aNode());
    const response = await call('put', states(node, 'raid'), node, { body: config });
    expect([response.status, response.text]).toEqual([204, '']);
    expect(inventory.node(node.uuid)).toMatchObject({
      target_raid_config: config,
      reservation: null,
    });
  });

  it('takes an empty configuration', async () => {
    const node = inventory.put(aNode({ target_raid_config: config }));
    expect((await call('put', states(node, 'raid'), node, { body: {} })).status).toBe(204);
    expect(inventory.node(node.uuid).target_raid_config).toEqual({});
  });

  it.each([
    [{ logical_disks: [] }],
    [{ logical_disks: [{ raid_level: '1' }] }],
    [{ logical_disks: [{ raid_level: '7', size_gb: 10 }] }],
    [{ logical_disks: [{ raid_level: '1', size_gb: 0 }] }],
    [{ logical_disks: [{ raid_level: '1', size_gb: 10, colour: 'red' }] }],
    [{ logical_disks: [{ raid_level: '1', size_gb: 10, physical_disks: ['a'] }] }],
    [{ disks: [] }],
    [[]],
  ])('refuses %j', async (body) => {
    const node = inventory.put(aNode());
    expect((await call('put', states(node, 'raid'), node, { body })).status).toBe(400);
    expect(inventory.writes).toEqual([]);
  });

  it('is a relayed 404 where RAID is switched off', async () => {
    const node = inventory.put(aNode({ raid_interface: 'no-raid' }));
    const response = await call('put', states(node, 'raid'), node, { body: config });
    expect(response.status).toBe(404);
    expect(response.headers['x-tenure-missing']).toBe('part');
    expect(faultOf(response)).toBe(
      'Driver fake-hardware does not support raid (disabled or not implemented).',
    );
    expect(inventory.writes).toEqual([]);
  });

  it('waits for the lock', async () => {
    const node = inventory.put(aNode({ reservation: 'other' }));
    expect((await call('put', states(node, 'raid'), node, { body: config })).status).toBe(409);
  });
});

describe('states/console', () => {
  it('is switched on, returned and switched off', async () => {
    const node = inventory.put(aNode());
    const target = states(node, 'console');
    expect((await call('get', target, node)).body).toEqual({
      console_enabled: false,
      console_info: null,
    });
    const on = await call('put', target, node, { body: { enabled: true } });
    expect([on.status, on.text]).toEqual([202, '']);
    expect(on.headers).toMatchObject({
      'content-length': '0',
      location: `http://tenure.example:6385${target}`,
    });
    await harness.idle();
    expect(inventory.node(node.uuid)).toMatchObject({
      console_enabled: true,
      reservation: null,
      last_error: null,
      driver_internal_info: {},
    });
    expect((await call('get', target, node)).body).toEqual({
      console_enabled: true,
      console_info: { type: 'fake', url: `fake://${node.uuid}/console` },
    });
    await call('put', target, node, { body: { enabled: 'false' } });
    await harness.idle();
    expect(inventory.node(node.uuid).console_enabled).toBe(false);
  });

  it('is persisted with the lock before it is acknowledged', async () => {
    const node = inventory.put(aNode({ driver_info: { fake_delay_ms: 50 } }));
    await call('put', states(node, 'console'), node, { body: { enabled: true } });
    expect(inventory.node(node.uuid)).toMatchObject({
      reservation: 'conductor-1',
      driver_internal_info: { pending_change: { kind: 'console', enabled: true } },
    });
    await harness.idle();
  });

  it('says in last_error why it failed', async () => {
    const node = inventory.put(aNode({ driver_info: { fake_failure: 'console' } }));
    await call('put', states(node, 'console'), node, { body: { enabled: true } });
    await harness.idle();
    expect(inventory.node(node.uuid)).toMatchObject({
      reservation: null,
      driver_internal_info: {},
      last_error:
        'Error enabling the console. Reason: the simulated hardware failed, as fake_failure asks.',
    });
    expect(inventory.node(node.uuid).console_enabled).toBe(false);
  });

  it('follows what the BMC says of a redfish node', async () => {
    const bmc = await harness.openBmc();
    bmc.machine.serialConsole = { SSH: { ServiceEnabled: false, Port: 2200 } };
    const node = inventory.put(aRedfishNode(bmc, {}, { console_interface: 'redfish-serial' }));
    const target = states(node, 'console');
    await call('put', target, node, { body: { enabled: true } });
    await harness.idle();
    expect(inventory.node(node.uuid)).toMatchObject({ console_enabled: true, last_error: null });
    expect((await call('get', target, node)).body).toEqual({
      console_enabled: true,
      console_info: { type: 'ssh', url: 'ssh://127.0.0.1:2200' },
    });
    bmc.machine.serialConsole = { SSH: { ServiceEnabled: false, Port: 2200 } };
    expect((await call('get', target, node)).body).toEqual({
      console_enabled: false,
      console_info: null,
    });
    await call('put', target, node, { body: { enabled: true } });
    await harness.idle();
    expect(bmc.machine.serialConsole).toMatchObject({ SSH: { ServiceEnabled: true } });
  });

  it('says in last_error that the hardware has none', async () => {
    const bmc = await harness.openBmc();
    const node = inventory.put(aRedfishNode(bmc, {}, { console_interface: 'redfish-serial' }));
    await call('put', states(node, 'console'), node, { body: { enabled: true } });
    await harness.idle();
    expect(inventory.node(node.uuid)).toMatchObject({
      reservation: null,
      last_error:
        'Error enabling the console. Reason: Driver redfish does not support console (the BMC offers no serial console over SSH).',
    });
    expect(inventory.node(node.uuid).console_enabled).toBe(false);
  });

  it.each([
    ['a redfish node that names no console', { driver: 'redfish' }, 'redfish'],
    [
      'a redfish node whose console is switched off',
      { driver: 'redfish', console_interface: 'no-console' },
      'redfish',
    ],
    ['a node whose console is switched off', { console_interface: 'no-console' }, 'fake-hardware'],
  ])('is a 400 for %s', async (_what, fields, driver) => {
    const bmc = await harness.openBmc();
    const { driver_info: info } = aRedfishNode(bmc);
    const node = inventory.put(aNode({ driver_info: info, ...fields }));
    const sentence = `Driver ${driver} does not support console (disabled or not implemented).`;
    const view = await call('get', states(node, 'console'), node);
    const set = await call('put', states(node, 'console'), node, { body: { enabled: true } });
    expect([view.status, faultOf(view)]).toEqual([400, sentence]);
    expect([set.status, faultOf(set)]).toEqual([400, sentence]);
    expect(inventory.writes).toEqual([]);
  });

  it.each([[{}], [{ enabled: 'perhaps' }], [{ enabled: 1 }], [{ enabled: true, x: 1 }]])(
    'refuses %j',
    async (body) => {
      const node = inventory.put(aNode());
      expect((await call('put', states(node, 'console'), node, { body })).status).toBe(400);
      expect(inventory.writes).toEqual([]);
    },
  );

  it('waits for the lock', async () => {
    const node = inventory.put(aNode({ reservation: 'other', last_error: 'before' }));
    const response = await call('put', states(node, 'console'), node, { body: { enabled: true } });
    expect(response.status).toBe(409);
    expect(inventory.node(node.uuid).last_error).toBe('before');
  });

  it('sends a stale decision back to the gateway', async () => {
    const node = inventory.put(aNode());
    inventory.put({ ...node, tenancy_revision: 2 });
    const response = await call('put', states(node, 'console'), node, { body: { enabled: true } });
    expect(response.status).toBe(412);
  });
});

describe('boot mode and secure boot', () => {
  it('are set over redfish and returned by the node', async () => {
    const bmc = await harness.openBmc();
    const node = inventory.put(aRedfishNode(bmc));
    const mode = await call('put', states(node, 'boot_mode'), node, { body: { target: 'uefi' } });
    expect([mode.status, mode.headers['location']]).toEqual([
      202,
      `http://tenure.example:6385/v1/nodes/${node.uuid}/states`,
    ]);
    await harness.idle();
    const secure = await call('put', states(node, 'secure_boot'), node, {
      body: { target: 'true' },
    });
    expect(secure.status).toBe(202);
    await harness.idle();
    expect(bmc.machine).toMatchObject({ bootMode: 'UEFI', secureBoot: true });
    expect(inventory.node(node.uuid)).toMatchObject({
      boot_mode: 'uefi',
      secure_boot: true,
      last_error: null,
      reservation: null,
    });
  });

  it('say in last_error why they failed, and keep what the node showed', async () => {
    const bmc = await harness.openBmc();
    bmc.machine.secureBoot = undefined;
    const node = inventory.put(aRedfishNode(bmc, {}, { secure_boot: null }));
    await call('put', states(node, 'secure_boot'), node, { body: { target: true } });
    await harness.idle();
    expect(inventory.node(node.uuid)).toMatchObject({
      secure_boot: null,
      reservation: null,
      last_error:
        "Failed to change secure boot state to 'on'. Error: the BMC does not offer secure boot.",
    });
  });

  it.each([
    ['boot_mode', { target: 'cassette' }],
    ['boot_mode', {}],
    ['secure_boot', { target: 'perhaps' }],
    ['secure_boot', { target: null }],
  ])('%s refuses %j', async (what, body) => {
    const node = inventory.put(aNode());
    expect((await call('put', states(node, what), node, { body })).status).toBe(400);
    expect(inventory.writes).toEqual([]);
  });

  it.each(['cleaning', 'deploying', 'wait call-back', 'inspecting'])(
    'are left alone while the node is %s',
    async (state) => {
      const node = inventory.put(aNode({ provision_state: state }));
      for (const what of ['boot_mode', 'secure_boot']) {
        const body = { target: what === 'boot_mode' ? 'uefi' : true };
        expect((await call('put', states(node, what), node, { body })).status).toBe(409);
      }
      expect(inventory.writes).toEqual([]);
    },
  );
});

describe('a conductor that dies in between', () => {
  const left = (pending: Readonly<Record<string, unknown>>): NodeRecord =>
    inventory.put(
      aNode({
        reservation: 'conductor-1',
        driver_internal_info: { kept: 1, pending_change: pending },
      }),
    );

  it('carries out at its next start what it had acknowledged', async () => {
    const node = left({ kind: 'boot_mode', target: 'uefi' });
    await harness.conductor.heartbeat.beat();
    await harness.idle();
    expect(inventory.node(node.uuid)).toMatchObject({
      boot_mode: 'uefi',
      reservation: null,
      driver_internal_info: { kept: 1 },
    });
  });

  it('says of a vendor method that it was interrupted', async () => {
    const node = left({ kind: 'vendor', method: 'second_method' });
    await harness.conductor.heartbeat.beat();
    await harness.idle();
    expect(inventory.node(node.uuid)).toMatchObject({
      reservation: null,
      driver_internal_info: { kept: 1 },
      last_error: "The vendor method 'second_method' failed. Error: it was interrupted.",
    });
  });

  it('does not act on a record that makes no sense', async () => {
    const node = left({ kind: 'boot_mode', target: 'cassette' });
    await harness.conductor.heartbeat.beat();
    await harness.idle();
    expect(inventory.node(node.uuid).reservation).toBeNull();
    expect(inventory.node(node.uuid).boot_mode).toBeNull();
  });
});
