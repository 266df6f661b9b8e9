import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConductorHarness } from '../testing/conductor-harness.js';
import { aNode, aRedfishNode } from '../testing/nodes.js';

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

  it('keeps the power state of an unreachable node, and says so once', async () => {
    const bmc = await harness.openBmc();
    const node = harness.inventory.put(aRedfishNode(bmc, {}, { power_state: 'power on' }));
    bmc.faults.empty = { GET: 500 };
    for (let round = 0; round < 5; round += 1) await harness.conductor.sync.round();
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      power_state: 'power on',
      reservation: null,
    });
    expect(harness.lines.filter((line) => line.includes('cannot be read'))).toHaveLength(1);
  });
});
