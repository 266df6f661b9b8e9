import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { aNode } from '@tenure/testing';
import { ConductorHarness, HOST } from '../testing/conductor-harness.js';
import { aRedfishNode } from '../testing/nodes.js';
import { overdueRoundMs, WAIT_LIMITS } from './overdue-watch.js';

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

async function nextLife(node: NodeRecord): Promise<NodeRecord> {
  await harness.conductor.heartbeat.beat();
  return harness.completed(node);
}

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
    expect(after.last_error).toMatch(/the conductor was interrupted, and no order was recorded/u);
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
    expect(await harness.completed(node)).toMatchObject({
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
    expect(await harness.completed(node)).toMatchObject({
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
    await harness.completed(node);
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
    expect(bmc.resets).not.toContain('On');
    expect(harness.outcomes).toEqual(['redfish lock_lost']);
  });
});

describe('a node that nobody works on', () => {
  const SINCE = '2026-11-21T06:00:00+00:00';

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
    await harness.overdueFor(1799);
    expect(harness.inventory.node(node.uuid).provision_state).toBe(state);
    harness.inventory.put(node);
    await harness.overdueFor(1800);
    const after = harness.inventory.node(node.uuid);
    expect(after).toMatchObject({ provision_state: failed, reservation: null });
    expect(after.last_error).not.toBeNull();
  });

  it('is not failed by a clock that was set, nor by hours in which no conductor ran', async () => {
    const put = (since: string): NodeRecord =>
      harness.inventory.put(aNode({ provision_state: 'clean wait', provision_updated_at: since }));
    const day = 86_400_000;
    const nodes = [put(SINCE), put(new Date(Date.now() + day).toISOString())];
    await harness.overdueFor(1700);
    for (const { uuid } of nodes)
      expect(harness.inventory.node(uuid).provision_state).toBe('clean wait');
  });

  it('is not failed by a conductor that was frozen for an hour', async () => {
    const node = harness.inventory.put(
      aNode({ provision_state: 'clean wait', provision_updated_at: SINCE }),
    );
    const clock = { ms: 0 };
    const watch = harness.overdueWatch(() => clock.ms);
    for (const ms of [0, 120_000, 3_720_000]) {
      clock.ms = ms;
      await watch.round();
    }
    expect(harness.inventory.node(node.uuid).provision_state).toBe('clean wait');
  });

  it('is watched on by the next life of the conductor, and ends when all have watched for half an hour', async () => {
    const node = harness.inventory.put(
      aNode({ provision_state: 'clean wait', provision_updated_at: SINCE }),
    );
    await harness.overdueFor(900);
    expect(harness.inventory.node(node.uuid).driver_internal_info).toEqual({
      watched_wait: { stay: `clean wait since ${SINCE}`, ms: 720_000 },
    });
    await harness.overdueFor(1079);
    expect(harness.inventory.node(node.uuid).provision_state).toBe('clean wait');
    harness.inventory.put({
      ...harness.inventory.node(node.uuid),
      driver_internal_info: { watched_wait: { stay: `clean wait since ${SINCE}`, ms: 720_000 } },
    });
    await harness.overdueFor(1080);
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      provision_state: 'clean failed',
      driver_internal_info: {},
    });
  });

  it('is watched anew once its agent was heard of', async () => {
    const node = harness.inventory.put(
      aNode({
        provision_state: 'clean wait',
        provision_updated_at: '2026-11-21T06:20:00+00:00',
        driver_internal_info: {
          watched_wait: { stay: `clean wait since ${SINCE}`, ms: 1_700_000 },
        },
      }),
    );
    await harness.overdueFor(1700);
    expect(harness.inventory.node(node.uuid).provision_state).toBe('clean wait');
  });

  it('ends after the time that is set for its state, and waits for ever where none is', async () => {
    const waitMs = { ...WAIT_LIMITS.waitMs, 'clean wait': 60_000, 'rescue wait': Infinity };
    const put = (state: string): NodeRecord =>
      harness.inventory.put(aNode({ provision_state: state, provision_updated_at: SINCE }));
    const nodes = [put('clean wait'), put('rescue wait'), put('wait call-back')];
    await harness.overdueFor(1000, { ...WAIT_LIMITS, waitMs });
    expect(nodes.map(({ uuid }) => harness.inventory.node(uuid).provision_state)).toEqual([
      'clean failed',
      'rescue wait',
      'wait call-back',
    ]);
    expect(overdueRoundMs({ ...WAIT_LIMITS, waitMs })).toBe(10_000);
  });

  it.each([
    [{ provision_state: 'active' }],
    [{ provision_state: 'clean wait', maintenance: true }],
    [{ provision_state: 'clean wait', reservation: 'conductor-2' }],
  ])('is left alone when it is %j', async (fields) => {
    const node = harness.inventory.put(aNode({ ...fields, provision_updated_at: SINCE }));
    await harness.overdueFor(10_000);
    expect(harness.inventory.node(node.uuid)).toEqual(node);
  });
});
