import { type NodeRecord } from '@tenure/contracts';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type WorkResult } from '../../domain/provision/fields.js';
import { type SteppedState, stepKindOf, stepName } from '../../domain/provision/steps.js';
import { targetDisks } from '../../domain/raid.js';
import { type DriverStep, type Provisioning } from '../../ports/provisioning.js';
import { BIOS_ARGUMENTS, RAID_ARGUMENTS, wantedRaid, wantedSettings } from '../step-arguments.js';
import { AS_IT_CAME, unknownSettings, withSettings } from './bios.js';
import { actInParts } from './simulate.js';

type Outcome = (node: NodeRecord, args: Readonly<Record<string, unknown>>) => WorkResult;
type Listed = Pick<DriverStep, 'interface' | 'step' | 'abortable' | 'args'> & {
  readonly outcome: Outcome;
};

const applied: Outcome = (node, args) => {
  const wanted = wantedSettings(args);
  const unknown = unknownSettings(wanted.map(({ name }) => name));
  if (unknown.length > 0)
    throw new DriverFailure('settings', `the BIOS has no setting ${unknown.join(', ')}`);
  return { internal: withSettings(node, wanted) };
};

const raidBuilt: Outcome = (node, args) => {
  const disks = targetDisks(node, wantedRaid(args));
  return { set: { raid_config: disks.length === 0 ? {} : { logical_disks: disks } } };
};

const ANYWHERE: readonly Listed[] = [
  {
    interface: 'raid',
    step: 'create_configuration',
    abortable: false,
    args: RAID_ARGUMENTS,
    outcome: raidBuilt,
  },
  {
    interface: 'raid',
    step: 'delete_configuration',
    abortable: false,
    args: {},
    outcome: () => ({ set: { raid_config: {} } }),
  },
  {
    interface: 'bios',
    step: 'apply_configuration',
    abortable: false,
    args: BIOS_ARGUMENTS,
    outcome: applied,
  },
  {
    interface: 'bios',
    step: 'factory_reset',
    abortable: false,
    args: {},
    outcome: () => ({ internal: AS_IT_CAME }),
  },
];

const ERASING: readonly Listed[] = ['erase_devices', 'erase_devices_metadata'].map((step) => ({
  interface: 'deploy',
  step,
  abortable: true,
  args: {},
  outcome: () => ({}),
}));

/** Fails when `fake_failure` names the step, as `raid.create_configuration`, or its kind, as `clean`. */
const stepsFor = (state: SteppedState, listed: readonly Listed[]): readonly DriverStep[] =>
  listed.map(({ outcome, ...offered }) => ({
    ...offered,
    priority: 0,
    isInParts: true,
    run: async (node, { args, ...job }, deadline) => {
      await job.proceed();
      const failing = node.driver_info['fake_failure'];
      const name = stepName(offered);
      await actInParts(node, failing === name ? name : stepKindOf(state), job, deadline);
      return outcome(node, args);
    },
  }));

/** No step runs automatically: each has to be requested. */
export const fakeSteps: Provisioning['steps'] = {
  cleaning: stepsFor('cleaning', [...ERASING, ...ANYWHERE]),
  deploying: stepsFor('deploying', ANYWHERE),
  servicing: stepsFor('servicing', ANYWHERE),
};
