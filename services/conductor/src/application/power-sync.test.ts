import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aNode } from '@tenure/testing';
import { ConductorHarness } from '../testing/conductor-harness.js';
import { aRedfishNode } from '../testing/nodes.js';

let harness: ConductorHarness;

beforeEach(() => {
  harness = new ConductorHarness();
});

afterEach(async () => {
  await harness.close();
});

describe('the power sync', () => {
  it('writes a power state that changed by itself', async () => {
    const bmc = await harness.openBmc();
    bmc.power = 'On';
    const node = harness.inventory.put(aRedfishNode(bmc));
    await harness.conductor.sync.round();
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      power_state: 'power on',
      reservation: null,
    });
    expect(harness.outcomes).toEqual(['changed']);
  });

  it('gives a new fake node a power state', async () => {
    const node = harness.inventory.put(aNode({ power_state: null }));
    await harness.conductor.sync.round();
    expect(harness.inventory.node(node.uuid).power_state).toBe('power off');
  });

  it.each([{ maintenance: true }, { reservation: 'conductor-2' }, { provision_state: 'enroll' }])(
    'leaves a node alone that has %j',
    async (fields) => {
      const bmc = await harness.openBmc();
      bmc.power = 'On';
      harness.inventory.put(aRedfishNode(bmc, {}, fields));
      await harness.conductor.sync.round();
      expect(bmc.requests).toEqual([]);
      expect(harness.outcomes).toEqual(['skipped']);
    },
  );

  it('does not overtake an action that came in between', async () => {
    const bmc = await harness.openBmc();
    bmc.power = 'On';
    const node = harness.inventory.put(aRedfishNode(bmc));
    harness.inventory.beforeReserve = () => {
      bmc.power = 'Off';
    };
    await harness.conductor.sync.round();
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      power_state: 'power off',
      reservation: null,
    });
    expect(harness.outcomes).toEqual(['same']);
  });

  it('keeps the power state of an unreachable node, and records the outage and its end once each', async () => {
    const bmc = await harness.openBmc();
    const node = harness.inventory.put(aRedfishNode(bmc, {}, { power_state: 'power off' }));
    bmc.faults.empty = { GET: 500 };
    for (let round = 0; round < 2; round += 1) await harness.conductor.sync.round();
    bmc.faults.empty = {};
    for (let round = 0; round < 2; round += 1) await harness.conductor.sync.round();
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      power_state: 'power off',
      maintenance: false,
      reservation: null,
    });
    expect(harness.inventory.events).toEqual([
      expect.objectContaining({ uuid: node.uuid, severity: 'ERROR', event_type: 'power' }),
      expect.objectContaining({ severity: 'INFO', event: 'The power state can be read again.' }),
    ]);
    expect(harness.lines.filter((line) => line.includes('cannot be read'))).toHaveLength(1);
  });

  it('puts a node into maintenance that cannot be read three times in a row, and only then', async () => {
    const bmc = await harness.openBmc();
    const node = harness.inventory.put(aRedfishNode(bmc));
    bmc.faults.empty = { GET: 500 };
    await harness.conductor.sync.round();
    await harness.conductor.sync.round();
    expect(harness.inventory.node(node.uuid).maintenance).toBe(false);
    await harness.conductor.sync.round();
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      maintenance: true,
      fault: 'power failure',
      reservation: null,
    });
  });

  it('does not end maintenance that a person has made theirs', async () => {
    const bmc = await harness.openBmc();
    const node = harness.inventory.put(aRedfishNode(bmc));
    bmc.faults.empty = { GET: 500 };
    for (let round = 0; round < 3; round += 1) await harness.conductor.sync.round();
    const put = harness.inventory.node(node.uuid);
    harness.inventory.put({ ...put, maintenance_reason: 'the rack is moving' });
    bmc.faults.empty = {};
    await harness.conductor.sync.round();
    await harness.conductor.sync.idle();
    expect(harness.inventory.node(node.uuid).maintenance).toBe(true);
  });

  it('logs and counts what it corrects as a transition', async () => {
    const bmc = await harness.openBmc();
    bmc.power = 'On';
    const node = harness.inventory.put(aRedfishNode(bmc));
    await harness.conductor.sync.round();
    expect(harness.transitions).toEqual(['power off -> power on']);
    const line = harness.lines.find((one) => one.includes('power transition')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({
      node: node.uuid,
      conductor: 'conductor-1',
      from: 'power off',
      to: 'power on',
      request_id: expect.stringMatching(/^req-/u),
    });
    expect(harness.lockCount).toBe(0);
  });
});

describe('the power sync that sets hardware back', () => {
  let forcing: ConductorHarness;

  beforeEach(() => {
    forcing = new ConductorHarness(undefined, undefined, { force: true, maxRetries: 2 });
  });

  afterEach(() => forcing.close());

  const round = async (): Promise<void> => {
    await forcing.conductor.sync.round();
    await forcing.idle();
  };

  it('brings a machine to the power that its record says', async () => {
    const bmc = await forcing.openBmc();
    bmc.power = 'On';
    const node = forcing.inventory.put(aRedfishNode(bmc));
    await round();
    expect(bmc.power).toBe('Off');
    expect(forcing.inventory.node(node.uuid)).toMatchObject({
      power_state: 'power off',
      target_power_state: null,
      reservation: null,
      last_error: null,
    });
    expect(forcing.outcomes).toEqual(['forced', 'redfish done']);
  });

  it('does not switch a machine off that may not be switched off', async () => {
    const bmc = await forcing.openBmc();
    bmc.power = 'On';
    const node = forcing.inventory.put(aRedfishNode(bmc, {}, { disable_power_off: true }));
    await round();
    expect(bmc.power).toBe('On');
    expect(forcing.inventory.node(node.uuid).power_state).toBe('power on');
  });

  it('puts a machine into maintenance that does not stay as it is set', async () => {
    const bmc = await forcing.openBmc();
    const node = forcing.inventory.put(aRedfishNode(bmc));
    for (let number = 0; number < 3; number += 1) {
      bmc.power = 'On';
      await round();
    }
    expect(forcing.inventory.node(node.uuid)).toMatchObject({
      power_state: 'power on',
      maintenance: true,
      fault: 'power failure',
      last_error: "The power would not stay 'power off', which it was set to 2 times.",
    });
    expect(bmc.resets).toHaveLength(2);
  });
});
