import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { aNode } from '@tenure/testing';
import { ConductorHarness, HOST, type ProvisionBody } from '../testing/conductor-harness.js';

let harness: ConductorHarness;

beforeEach(() => {
  harness = new ConductorHarness();
});

afterEach(async () => {
  await harness.close();
});

const fake = (fields: Partial<NodeRecord> = {}): NodeRecord =>
  harness.inventory.put(aNode({ provision_state: 'manageable', ...fields }));

const RAID = { interface: 'raid', step: 'create_configuration' } as const;
const RESET = { interface: 'bios', step: 'factory_reset' } as const;
const PLANNED_RAID = { ...RAID, args: {}, priority: 0, abortable: false };

interface Progress {
  readonly clean_step_index?: number | null;
  readonly pending_provision?: { readonly steps_done: number };
}

/** Everything written of these members, in order, without repetitions. */
const story = (key: string): readonly unknown[] =>
  harness.inventory.writes
    .filter(({ set }) => Object.hasOwn(set, key))
    .map(({ set }) => set[key])
    .filter((one, index, all) => JSON.stringify(one) !== JSON.stringify(all[index - 1]));

describe('steps that the driver does not have', () => {
  const refused: readonly (readonly [string, ProvisionBody, string, string])[] = [
    [
      'manageable',
      { target: 'clean', clean_steps: [{ interface: 'raid', step: 'polish' }] },
      'clean failed',
      'Failed to clean the node. Error: node does not support this clean step: raid.polish.',
    ],
    [
      'manageable',
      {
        target: 'clean',
        clean_steps: [
          { interface: 'raid', step: 'polish' },
          { ...RESET, args: { hard: true } },
        ],
      },
      'clean failed',
      'Failed to clean the node. Error: node does not support this clean step: raid.polish; clean step bios.factory_reset has these unexpected arguments: hard.',
    ],
    [
      'manageable',
      {
        target: 'clean',
        clean_steps: [RAID, { interface: 'bios', step: 'apply_configuration' }],
      },
      'clean failed',
      'Failed to clean the node. Error: clean step bios.apply_configuration is missing these required arguments: settings.',
    ],
    [
      'manageable',
      { target: 'clean', clean_steps: [{ step: 'wait' }] },
      'clean failed',
      'Failed to clean the node. Error: clean step wait is missing these required arguments: seconds.',
    ],
    [
      'active',
      {
        target: 'service',
        service_steps: [{ interface: 'deploy', step: 'erase_devices' }],
      },
      'service failed',
      'Failed to service the node. Error: node does not support this service step: deploy.erase_devices.',
    ],
    [
      'available',
      { target: 'active', deploy_steps: [{ interface: 'raid', step: 'polish', priority: 90 }] },
      'deploy failed',
      'Failed to deploy. Error: node does not support this deploy step: raid.polish.',
    ],
    [
      'available',
      { target: 'active', deploy_steps: [RAID] },
      'deploy failed',
      'Failed to deploy. Error: deploy step raid.create_configuration has no priority.',
    ],
    [
      'available',
      {
        target: 'active',
        deploy_steps: [
          { ...RAID, priority: 90 },
          { ...RAID, priority: 80 },
        ],
      },
      'deploy failed',
      'Failed to deploy. Error: duplicate deploy steps: raid.create_configuration.',
    ],
    [
      'available',
      { target: 'active', deploy_steps: [{ interface: 'deploy', step: 'deploy', priority: 5 }] },
      'deploy failed',
      'Failed to deploy. Error: deploy step deploy.deploy is a core step and cannot be overridden; it may be disabled by setting the priority to 0.',
    ],
  ];

  it.each(refused)('%s, %j: %s', async (state, body, failed, sentence) => {
    const node = fake({ provision_state: state, driver_info: { fake_failure: 'clean' } });
    expect(await harness.done(node, body)).toMatchObject({
      provision_state: failed,
      reservation: null,
      last_error: sentence,
      power_state: node.power_state,
    });
    expect(harness.inventory.node(node.uuid).driver_internal_info).toEqual({});
    expect(story('driver_internal_info').some((one) => 'clean_steps' in (one as object))).toBe(
      false,
    );
  });

  it('a bad value is named, and not repeated', async () => {
    const settings = [{ name: 'BootMode', value: ['very-secret'] }];
    const steps = [{ interface: 'bios', step: 'apply_configuration', args: { settings } }] as const;
    const after = await harness.done(fake(), { target: 'clean', clean_steps: [...steps] });
    expect(after.provision_state).toBe('clean failed');
    expect(after.last_error).toMatch(
      /^Failed to clean the node\. Error: Schema error for settings of bios\.apply_configuration: /u,
    );
    expect(after.last_error).not.toContain('very-secret');
  });

  it('an interface that is switched off has no steps', async () => {
    const after = await harness.done(fake({ raid_interface: 'no-raid' }), {
      target: 'clean',
      clean_steps: [RAID],
    });
    expect(after.last_error).toBe(
      'Failed to clean the node. Error: node does not support this clean step: raid.create_configuration.',
    );
  });
});

describe('steps that the driver has', () => {
  it('are persisted before they are sent, and the running one is visible', async () => {
    const target = { logical_disks: [{ size_gb: 10, raid_level: '1' }] };
    const node = fake({ target_raid_config: target });
    const after = await harness.done(node, { target: 'clean', clean_steps: [RAID, RESET] });
    expect(after).toMatchObject({
      provision_state: 'manageable',
      last_error: null,
      clean_step: {},
    });
    expect(after.raid_config).toEqual(target);
    expect(story('clean_step')).toEqual([
      {},
      PLANNED_RAID,
      { ...RESET, args: {}, priority: 0, abortable: false },
      {},
    ]);
    const plans = story('driver_internal_info') as readonly Progress[]; // an object in every write
    expect(plans.map((one) => [one.clean_step_index, one.pending_provision?.steps_done])).toEqual([
      [undefined, 0],
      [null, 0],
      [0, 0],
      [0, 1],
      [1, 1],
      [1, 2],
      [undefined, undefined],
    ]);
    expect(after.driver_internal_info).toEqual({ fake_bios: {} });
  });

  it('set the BIOS, and what is stored of it is read anew', async () => {
    const settings = [{ name: 'MemoryTestLoops', value: 3 }];
    const node = fake();
    const steps = [{ interface: 'bios', step: 'apply_configuration', args: { settings } }] as const;
    expect(await harness.done(node, { target: 'clean', clean_steps: [...steps] })).toMatchObject({
      provision_state: 'manageable',
      driver_internal_info: { fake_bios: { MemoryTestLoops: '3' } },
    });
    expect(harness.inventory.documents.get(`bios of ${node.uuid}`)).toMatchObject({
      settings: [
        { name: 'BootMode', value: 'Uefi' },
        { name: 'ProcVirtualization', value: 'Enabled' },
        { name: 'MemoryTestLoops', value: '3' },
      ],
    });
  });

  it('one that fails says which', async () => {
    const node = fake({ driver_info: { fake_failure: 'bios.factory_reset' } });
    const after = await harness.done(node, { target: 'clean', clean_steps: [RAID, RESET] });
    expect(after).toMatchObject({
      provision_state: 'clean failed',
      clean_step: {},
      driver_internal_info: {},
      last_error:
        'Failed to clean the node. Error: step bios.factory_reset failed: the simulated hardware failed, as fake_failure asks.',
    });
  });

  it('steps of the state machine switch the power', async () => {
    const node = fake({ power_state: 'power off' });
    const on = await harness.done(node, { target: 'clean', clean_steps: [{ step: 'power_on' }] });
    expect(on).toMatchObject({ provision_state: 'manageable', power_state: 'power on' });
    const off = await harness.done(on, { target: 'clean', clean_steps: [{ step: 'power_off' }] });
    expect(off).toMatchObject({ provision_state: 'manageable', power_state: 'power off' });
    const again = await harness.done(off, { target: 'clean', clean_steps: [{ step: 'reboot' }] });
    expect(again).toMatchObject({ provision_state: 'manageable', power_state: 'power on' });
  });

  it('steps of a deployment are done before and after it, by their priority', async () => {
    const steps = [
      { ...RESET, priority: 10 },
      { ...RAID, priority: 150 },
      { interface: 'bios', step: 'apply_configuration', priority: 0 },
    ] as const;
    const after = await harness.done(fake({ provision_state: 'available' }), {
      target: 'active',
      deploy_steps: [...steps],
    });
    expect(after).toMatchObject({ provision_state: 'active', power_state: 'power on' });
    expect(
      (story('deploy_step') as readonly Record<string, unknown>[]).map(({ step }) => step),
    ).toEqual([undefined, 'create_configuration', 'deploy', 'factory_reset', undefined]);
  });
});

describe('after a crash', () => {
  const left = (
    stepsDone: number,
    begun: number | null,
    fields: Partial<NodeRecord> = {},
  ): NodeRecord => {
    const plan = [PLANNED_RAID, { ...RESET, args: {}, priority: 0, abortable: false }];
    return fake({
      reservation: HOST,
      fence: 3,
      provision_state: 'cleaning',
      target_provision_state: 'manageable',
      driver_internal_info: {
        clean_steps: plan,
        clean_step_index: begun,
        pending_provision: {
          event: 'clean',
          steps: [RAID, RESET],
          steps_done: stepsDone,
          requested_at: '2026-11-21',
        },
      },
      ...fields,
    });
  };

  const nextLife = async (node: NodeRecord): Promise<NodeRecord> => {
    await harness.conductor.heartbeat.beat();
    return harness.completed(node);
  };

  it('between two steps it goes on with the next', async () => {
    const after = await nextLife(
      left(1, 0, { driver_info: { fake_failure: 'raid.create_configuration' } }),
    );
    expect(after).toMatchObject({
      provision_state: 'manageable',
      reservation: null,
      last_error: null,
    });
    expect(
      (story('clean_step') as readonly Record<string, unknown>[]).map(({ step }) => step),
    ).toEqual(['factory_reset', undefined]);
  });

  it('before the first step it begins with that', async () => {
    expect(await nextLife(left(0, null))).toMatchObject({
      provision_state: 'manageable',
      raid_config: {},
      last_error: null,
    });
  });

  it('after the last step nothing is left to do', async () => {
    expect(await nextLife(left(2, 1, { driver_info: { fake_failure: 'clean' } }))).toMatchObject({
      provision_state: 'manageable',
      last_error: null,
    });
  });

  it.each([
    [0, 'raid.create_configuration'],
    [1, 'bios.factory_reset'],
  ])('in the middle of step %i it fails, and says so', async (begun, name) => {
    const after = await nextLife(left(begun, begun));
    expect(after).toMatchObject({
      provision_state: 'clean failed',
      reservation: null,
      clean_step: {},
      driver_internal_info: {},
      last_error: `Failed to clean the node. Error: step ${name} was sent, but the conductor was interrupted before it was confirmed; it is not sent again.`,
    });
    expect(after.raid_config).toEqual({});
  });

  it('a plan of which nothing is written yet is made anew', async () => {
    const pending = left(0, null).driver_internal_info['pending_provision'];
    const node = left(0, null, { driver_internal_info: { pending_provision: pending } });
    expect(await nextLife(node)).toMatchObject({ provision_state: 'manageable', last_error: null });
  });
});
