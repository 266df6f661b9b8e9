import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { ConductorHarness, HOST } from '../testing/conductor-harness.js';
import { aNode, aRedfishNode } from '../testing/nodes.js';
import { createOverdueWatch } from './overdue-watch.js';

let harness: ConductorHarness;

beforeEach(() => {
  harness = new ConductorHarness();
});

afterEach(async () => {
  await harness.close();
});

const accept = (node: NodeRecord, target: string): Promise<void> =>
  harness.provision(node, { target });

const pending = (event: string, stepsDone = 0) => ({
  pending_provision: { event, steps: [], steps_done: stepsDone, requested_at: '2026-11-21' },
});

const left = (fields: Partial<NodeRecord>): NodeRecord =>
  harness.inventory.put(aNode({ reservation: HOST, fence: 3, ...fields }));

const nextLife = async (node: NodeRecord): Promise<NodeRecord> => {
  await harness.conductor.heartbeat.beat();
  return harness.settled(node);
};

describe('after a crash', () => {
  it.each([
    ['verifying', 'manageable', 'manage', 'manageable'],
    ['inspecting', 'manageable', 'inspect', 'manageable'],
    ['cleaning', 'available', 'provide', 'available'],
    ['cleaning', 'manageable', 'clean', 'manageable'],
    ['deploying', 'active', 'deploy', 'active'],
    ['adopting', 'active', 'adopt', 'active'],
    ['rescuing', 'rescue', 'rescue', 'rescue'],
    ['unrescuing', 'active', 'unrescue', 'active'],
    ['servicing', 'active', 'service', 'active'],
    ['deleting', 'available', 'delete', 'available'],
    ['cleaning', 'available', 'delete', 'available'],
  ])('%s towards %s (%s) is resumed and reaches %s', async (state, target, event, reached) => {
    const node = left({
      provision_state: state,
      target_provision_state: target,
      driver_internal_info: pending(event),
    });
    expect(await nextLife(node)).toMatchObject({
      provision_state: reached,
      target_provision_state: null,
      reservation: null,
      last_error: null,
      driver_internal_info: {},
    });
  });

  it.each([
    ['verifying', 'enroll'],
    ['inspecting', 'inspect failed'],
    ['cleaning', 'clean failed'],
    ['deploying', 'deploy failed'],
    ['deleting', 'error'],
    ['adopting', 'adopt failed'],
    ['rescuing', 'rescue failed'],
    ['unrescuing', 'unrescue failed'],
    ['servicing', 'service failed'],
  ])('%s without an order ends in %s', async (state, failed) => {
    const after = await nextLife(left({ provision_state: state }));
    expect(after).toMatchObject({ provision_state: failed, reservation: null });
    expect(after.last_error).toMatch(
      /the conductor was interrupted, and no order was written down/u,
    );
  });

  it('a lock without an order, taken just before, is released', async () => {
    const node = left({ provision_state: 'available' });
    expect(await nextLife(node)).toMatchObject({
      provision_state: 'available',
      reservation: null,
      last_error: null,
    });
  });

  it('a deployment is begun again from a machine that is off', async () => {
    const bmc = await harness.openBmc();
    bmc.power = 'On';
    bmc.machine.drives['Cd'] = {
      types: ['CD'],
      image: 'http://images.example/old.iso',
      inserted: undefined,
    };
    const fields = {
      reservation: HOST,
      provision_state: 'deploying',
      target_provision_state: 'active',
      deploy_interface: 'ramdisk',
      instance_info: { boot_iso: 'http://images.example/live.iso' },
      driver_internal_info: pending('deploy'),
    };
    const node = harness.inventory.put(aRedfishNode(bmc, {}, fields));
    expect(await nextLife(node)).toMatchObject({ provision_state: 'active', reservation: null });
    expect(bmc.resets).toEqual(['ForceOff', 'On']);
    expect(bmc.machine.drives['Cd'].image).toBe('http://images.example/live.iso');
  });

  it('work that a stop interrupted stays reserved and is resumed by the next life', async () => {
    const node = harness.inventory.put(aNode({ driver_info: { fake_delay_ms: 500 } }));
    await accept(node, 'active');
    harness.stop();
    expect(await harness.settled(node)).toMatchObject({
      reservation: HOST,
      provision_state: 'deploying',
    });
    harness = new ConductorHarness(harness.inventory, harness.parts);
    expect(await nextLife(node)).toMatchObject({ provision_state: 'active', reservation: null });
  });

  it("another conductor's node is left alone", async () => {
    const node = left({
      reservation: 'conductor-2',
      provision_state: 'deploying',
      driver_internal_info: pending('deploy'),
    });
    expect(await nextLife(node)).toEqual(node);
  });
});

describe('when the inventory is away', () => {
  it('a result is written as soon as it is back', async () => {
    const node = harness.inventory.put(
      aNode({ provision_state: 'active', driver_info: { fake_delay_ms: 50 } }),
    );
    await accept(node, 'deleted');
    harness.inventory.away = true;
    setTimeout(() => {
      harness.inventory.away = false;
    }, 300);
    expect(await harness.settled(node)).toMatchObject({
      provision_state: 'available',
      reservation: null,
      last_error: null,
    });
  });

  it('nothing is acknowledged', async () => {
    const node = harness.inventory.put(aNode());
    harness.inventory.away = true;
    await expect(accept(node, 'active')).rejects.toMatchObject({ status: 503 });
    harness.inventory.away = false;
    expect(harness.inventory.node(node.uuid)).toEqual(node);
  });
});

describe('when the lock is lost', () => {
  it('nothing more is done', async () => {
    const bmc = await harness.openBmc();
    bmc.power = 'On';
    bmc.faults.transitionMs = 100;
    const node = harness.inventory.put(
      aRedfishNode(
        bmc,
        {},
        {
          deploy_interface: 'ramdisk',
          instance_info: { boot_iso: 'http://images.example/live.iso' },
        },
      ),
    );
    await accept(node, 'active');
    harness.inventory.breakLock(node.uuid);
    await harness.settled(node);
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
    expect(bmc.resets).not.toContain('On');
    expect(harness.outcomes).toEqual(['redfish lock_lost']);
  });
});

describe('a node that nobody works on', () => {
  const SINCE = '2026-11-21T06:00:00+00:00';

  const roundAt = async (time: string): Promise<void> => {
    const { inventory, logger, conductor } = harness;
    const { locks, membership } = conductor;
    const now = (): Date => new Date(time);
    await createOverdueWatch({
      inventory,
      handovers: harness.inventory.handovers,
      locks,
      membership,
      logger,
      now,
    }).round();
  };

  it.each([
    ['wait call-back', 'deploy failed'],
    ['clean wait', 'clean failed'],
    ['inspect wait', 'inspect failed'],
    ['rescue wait', 'rescue failed'],
    ['service wait', 'service failed'],
    ['deploying', 'deploy failed'],
    ['deleting', 'error'],
  ])('in %s ends in %s after half an hour, and not before', async (state, failed) => {
    const node = harness.inventory.put(
      aNode({ provision_state: state, provision_updated_at: SINCE }),
    );
    await roundAt('2026-11-21T06:29:59Z');
    expect(harness.inventory.node(node.uuid)).toEqual(node);
    await roundAt('2026-11-21T06:30:00Z');
    const after = harness.inventory.node(node.uuid);
    expect(after).toMatchObject({ provision_state: failed, reservation: null });
    expect(after.last_error).not.toBeNull();
  });

  it.each([
    [{ provision_state: 'active' }],
    [{ provision_state: 'clean wait', maintenance: true }],
    [{ provision_state: 'clean wait', reservation: 'conductor-2' }],
  ])('is left alone when it is %j', async (fields) => {
    const node = harness.inventory.put(aNode({ ...fields, provision_updated_at: SINCE }));
    await roundAt('2026-11-21T09:00:00Z');
    expect(harness.inventory.node(node.uuid)).toEqual(node);
  });
});
