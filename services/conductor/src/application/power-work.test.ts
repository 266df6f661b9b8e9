import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aNode } from '@tenure/testing';
import { ConductorHarness, HOST } from '../testing/conductor-harness.js';
import { aRedfishNode } from '../testing/nodes.js';

let harness: ConductorHarness;

beforeEach(() => {
  harness = new ConductorHarness();
});

afterEach(async () => {
  await harness.close();
});

describe('a power command', () => {
  it('is persisted together with the lock, in one reservation', async () => {
    const node = harness.inventory.put(
      aNode({ last_error: 'an old one', driver_info: { fake_delay_ms: 50 } }),
    );
    await harness.accept(node, 'power on');
    expect(harness.inventory.writes.map(({ set }) => set)).toEqual([
      { target_power_state: 'power on', last_error: null },
    ]);
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      reservation: HOST,
      target_power_state: 'power on',
      power_state: 'power off',
    });
    expect(await harness.completed(node)).toMatchObject({
      power_state: 'power on',
      target_power_state: null,
      reservation: null,
      last_error: null,
    });
    expect(harness.outcomes).toEqual(['fake-hardware done']);
  });

  it('notes when the power changed', async () => {
    const node = harness.inventory.put(aNode());
    await harness.accept(node, 'power on');
    expect((await harness.completed(node)).driver_internal_info).toEqual({
      last_power_state_change: expect.stringMatching(/^2\d{3}-/u),
    });
  });

  it.each([
    ['power off', 'power off'],
    ['soft power off', 'power off'],
    ['rebooting', 'power on'],
    ['soft rebooting', 'power on'],
  ])('%s leaves a node %s', async (target, state) => {
    const node = harness.inventory.put(aNode({ power_state: 'power on' }));
    await harness.accept(node, target);
    expect(await harness.completed(node)).toMatchObject({
      power_state: state,
      target_power_state: null,
      reservation: null,
      last_error: null,
    });
  });

  it('persists the details that target_power_state cannot express before it is acknowledged', async () => {
    const node = harness.inventory.put(
      aNode({ power_state: 'power on', driver_info: { fake_delay_ms: 50 } }),
    );
    await harness.accept(node, 'rebooting', 30);
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      target_power_state: 'power on',
      driver_internal_info: { pending_power: { target: 'rebooting', timeout: 30, steps_done: 0 } },
    });
    expect((await harness.completed(node)).driver_internal_info).not.toHaveProperty(
      'pending_power',
    );
  });

  it('does not go on with a command that interrupted work left behind', async () => {
    const pending_power = { target: 'power on', timeout: null, steps_done: 0, sent: true };
    const node = harness.inventory.put(
      aNode({
        driver_internal_info: { pending_power, other: 1 },
        driver_info: { fake_delay_ms: 50 },
      }),
    );
    await harness.accept(node, 'power on');
    expect(harness.inventory.node(node.uuid).driver_internal_info).toEqual({ other: 1 });
    await harness.idle();
  });

  it('that is soft is persisted in one write, for a resume of half of it would be a hard one', async () => {
    const node = harness.inventory.put(aNode({ power_state: 'power on' }));
    await harness.accept(node, 'soft power off');
    const ofTarget = harness.inventory.writes.filter(({ set }) => 'target_power_state' in set);
    expect(ofTarget[0]?.set).toMatchObject({
      target_power_state: 'power off',
      driver_internal_info: { pending_power: { target: 'soft power off', steps_done: 0 } },
    });
  });

  it('reboots a machine by switching it off and on, each read back', async () => {
    const bmc = await harness.openBmc();
    bmc.power = 'On';
    const node = harness.inventory.put(aRedfishNode(bmc, {}, { power_state: 'power on' }));
    await harness.accept(node, 'rebooting');
    expect(await harness.completed(node)).toMatchObject({
      power_state: 'power on',
      last_error: null,
    });
    expect(bmc.resets).toEqual(['ForceOff', 'On']);
  });

  it('carries the caller to the inventory', async () => {
    const node = harness.inventory.put(aNode());
    await harness.accept(node, 'power on');
    await harness.completed(node);
    for (const { context } of harness.inventory.writes)
      expect(context).toMatchObject({
        action: 'baremetal:node:set_power_state',
        resources: [{ type: 'node', uuid: node.uuid, tenancy_revision: 1 }],
      });
  });

  it('ends in the true state with a safe last_error when the machine does not react', async () => {
    const bmc = await harness.openBmc();
    bmc.faults.resetIgnored = true;
    const node = harness.inventory.put(aRedfishNode(bmc, {}, { power_state: null }));
    await harness.accept(node, 'power on');
    expect(await harness.completed(node)).toMatchObject({
      power_state: 'power off',
      target_power_state: null,
      reservation: null,
      last_error:
        "Failed to change power state to 'power on'. Error: the BMC took the command, but the node did not reach 'power on' in time.",
    });
    expect(harness.outcomes).toEqual(['redfish failed']);
  });

  it('never shows or logs the password', async () => {
    const bmc = await harness.openBmc();
    bmc.faults.empty = { GET: 500 };
    const node = harness.inventory.put(aRedfishNode(bmc));
    await harness.accept(node, 'power on');
    const after = await harness.completed(node);
    expect(after.last_error).toBe(
      "Failed to change power state to 'power on'. Error: the answer of the BMC was not Redfish.",
    );
    expect(harness.lines.join('')).not.toContain(bmc.password);
  });

  it('completes on a healthy node while others hang', async () => {
    harness = new ConductorHarness(undefined, undefined, { bmcCallMs: 1200 });
    const hung = await Promise.all(Array.from({ length: 20 }, () => harness.openBmc()));
    for (const stub of hung) stub.faults.hang = true;
    const stuck = hung.map((stub) => harness.inventory.put(aRedfishNode(stub)));
    const bmc = await harness.openBmc();
    const healthy = harness.inventory.put(aRedfishNode(bmc));
    await Promise.all(stuck.map((node) => harness.accept(node, 'power on')));
    await harness.accept(healthy, 'power on');
    while (harness.inventory.node(healthy.uuid).reservation !== null)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(harness.inventory.node(healthy.uuid)).toMatchObject({
      power_state: 'power on',
      last_error: null,
    });
    expect(
      stuck.filter(({ uuid }) => harness.inventory.node(uuid).reservation !== null),
    ).toHaveLength(20);
    await harness.conductor.power.idle();
    for (const { uuid } of stuck)
      expect(harness.inventory.node(uuid)).toMatchObject({
        reservation: null,
        last_error: "Failed to change power state to 'power on'. Error: the BMC is unreachable.",
      });
  });
});

describe('a power command that is refused', () => {
  it('leaves a locked node alone', async () => {
    const node = harness.inventory.put(aNode({ reservation: 'conductor-2' }));
    await expect(harness.accept(node, 'power on')).rejects.toMatchObject({
      status: 409,
      code: 'node_locked',
    });
    expect(harness.inventory.writes).toEqual([]);
  });

  it('names target and state when the target is unknown', async () => {
    const node = harness.inventory.put(aNode());
    await expect(harness.accept(node, 'bogus')).rejects.toMatchObject({
      status: 400,
      message: `The requested action "bogus" can not be performed on node "${node.uuid}" while it is in state "power off".`,
    });
  });

  it('does not disturb a node that is being cleaned', async () => {
    const node = harness.inventory.put(aNode({ provision_state: 'cleaning' }));
    await expect(harness.accept(node, 'power off')).rejects.toMatchObject({ status: 400 });
    expect(harness.inventory.writes).toEqual([]);
  });

  it('leaves a node whose settings are wrong as it was', async () => {
    const node = harness.inventory.put(
      aNode({
        driver: 'redfish',
        last_error: 'an old one',
        driver_info: { redfish_password: 'secret' },
      }),
    );
    await expect(harness.accept(node, 'power on')).rejects.toMatchObject({ status: 400 });
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      reservation: null,
      target_power_state: null,
      last_error: 'an old one',
    });
  });

  it('is refused with a decision on another tenancy', async () => {
    const node = harness.inventory.put(aNode());
    harness.inventory.put({ ...node, tenancy_revision: 2 });
    await expect(harness.accept(node, 'power on')).rejects.toMatchObject({
      status: 412,
      code: 'tenancy_changed',
      headers: { 'X-Tenure-Stale': 'tenancy' },
    });
  });
});
