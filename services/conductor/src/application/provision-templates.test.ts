import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { aNode } from '@tenure/testing';
import { AT_REST, ConductorHarness } from '../testing/conductor-harness.js';

let harness: ConductorHarness;

beforeEach(() => {
  harness = new ConductorHarness();
});

afterEach(async () => {
  await harness.close();
});

const RAID = { interface: 'raid', step: 'create_configuration', priority: 60 } as const;
const RESET = { interface: 'bios', step: 'factory_reset', args: {}, priority: 150 } as const;

const forInstance = (fields: Partial<NodeRecord> = {}): NodeRecord =>
  harness.inventory.put(
    aNode({ traits: ['CUSTOM_RESET'], instance_info: { traits: ['CUSTOM_RESET'] }, ...fields }),
  );

/** The steps that were begun, in order. */
const begun = (): readonly unknown[] =>
  harness.inventory.writes
    .map(({ set }) => set['deploy_step'])
    .filter((step) => step !== undefined && JSON.stringify(step) !== '{}')
    .map((step) => {
      const { interface: name, step: what } = step as { interface: string; step: string };
      return `${name}.${what}`;
    });

describe('a deployment of an instance whose traits name deploy templates', () => {
  it.each([
    ['available', 'active'],
    ['active', 'rebuild'],
  ])('of a node that is %s, as %s, does their steps in their places', async (state, target) => {
    harness.parts.deployTemplates = [{ name: 'CUSTOM_RESET', steps: [RESET] }];
    const done = await harness.done(forInstance({ provision_state: state }), {
      target,
      deploy_steps: [RAID],
    });
    expect(done).toMatchObject({ ...AT_REST, provision_state: 'active' });
    expect(begun()).toEqual(['bios.factory_reset', 'deploy.deploy', 'raid.create_configuration']);
  });

  it('is not changed by what the template says later', async () => {
    harness.parts.deployTemplates = [{ name: 'CUSTOM_RESET', steps: [RESET] }];
    const node = forInstance();
    await harness.provision(node, { target: 'active' });
    harness.parts.deployTemplates = [{ name: 'CUSTOM_RESET', steps: [RAID] }];
    await harness.completed(node);
    expect(begun()).toEqual(['bios.factory_reset', 'deploy.deploy']);
  });

  it('is as any other when its traits name none', async () => {
    await harness.done(forInstance(), { target: 'active' });
    expect(begun()).toEqual([]);
  });

  it('is refused, and the node left as it was, when the node lacks a trait', async () => {
    const node = forInstance({ traits: [] });
    await expect(harness.provision(node, { target: 'active' })).rejects.toMatchObject({
      status: 400,
    });
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      ...AT_REST,
      provision_state: 'available',
    });
  });

  it('is refused, and the node left as it was, when the templates cannot be read', async () => {
    const node = forInstance();
    harness.parts.beforeTemplates = () => {
      throw new Error('away');
    };
    await expect(harness.provision(node, { target: 'active' })).rejects.toThrow('away');
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      ...AT_REST,
      provision_state: 'available',
    });
  });

  it('is nothing that other verbs look at', async () => {
    const node = forInstance({ provision_state: 'manageable', traits: [] });
    expect(await harness.done(node, { target: 'provide' })).toMatchObject({
      provision_state: 'available',
    });
  });
});
