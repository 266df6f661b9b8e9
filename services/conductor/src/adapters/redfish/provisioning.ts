import { type NodeRecord } from '@tenure/contracts';
import { type Deadline, within } from '../../deadline.js';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type PowerState } from '../../domain/power.js';
import { checkedImage } from '../../domain/virtual-media.js';
import { type VirtualMediaCapability } from '../../ports/hardware-capabilities.js';
import { type HardwareDriver } from '../../ports/hardware-driver.js';
import { type Job, type JobResult, type Provisioning } from '../../ports/provisioning.js';
import { biosSteps } from './bios-steps.js';
import { inspect } from './inspection.js';
import { objectOf } from './json.js';
import { type PowerPace } from './power-change.js';
import { raidSteps } from './raid-steps.js';
import { type FindTarget } from './target.js';

type Machine = Pick<
  HardwareDriver,
  'getPowerState' | 'setPowerState' | 'setBootDevice' | 'virtualMedia'
>;

/** Milliseconds that one command is given. */
const COMMAND_MS = 90_000;

const bootIsoOf = (node: NodeRecord): string => {
  const deploy = node['deploy_interface'];
  if (deploy !== 'ramdisk')
    throw new DriverFailure(
      'unsupported',
      `the deploy interface ${String(deploy)} is not supported yet by the redfish driver; use ramdisk`,
    );
  const image = objectOf(node['instance_info'])['boot_iso'];
  try {
    return checkedImage(typeof image === 'string' ? image : '');
  } catch (error) {
    throw new DriverFailure(
      'settings',
      'instance_info.boot_iso must be an http or https address of an ISO image',
      { cause: error },
    );
  }
};

const mediaOf = ({ virtualMedia }: Machine): VirtualMediaCapability => {
  if (virtualMedia === undefined)
    throw new DriverFailure('unsupported', 'the hardware has no virtual media');
  return virtualMedia;
};

const powerTo = async (
  machine: Machine,
  node: NodeRecord,
  goal: PowerState,
  { job, deadline }: { readonly job: Job; readonly deadline: Deadline },
): Promise<PowerState> => {
  await job.proceed();
  return machine.setPowerState(node, { goal, soft: false }, within(deadline, COMMAND_MS));
};

/** Boots the ISO image from virtual media. Done again after a crash, it starts over from a machine that is off. */
const deploy = async (
  machine: Machine,
  node: NodeRecord,
  run: { readonly job: Job; readonly deadline: Deadline },
): Promise<JobResult> => {
  const image = bootIsoOf(node);
  const virtualMedia = mediaOf(machine);
  await powerTo(machine, node, 'power off', run);
  await run.job.proceed();
  await virtualMedia.detach(node, ['cdrom'], within(run.deadline, COMMAND_MS));
  await virtualMedia.attach(node, { device: 'cdrom', image }, within(run.deadline, COMMAND_MS));
  await run.job.proceed();
  const change = { device: 'cdrom', persistent: true };
  const internal = await machine.setBootDevice(node, change, within(run.deadline, COMMAND_MS));
  return { set: { power_state: await powerTo(machine, node, 'power on', run) }, internal };
};

/** Nothing of the tenant's stays in the machine or in its drive. */
const tearDown = async (
  machine: Machine,
  node: NodeRecord,
  run: { readonly job: Job; readonly deadline: Deadline },
): Promise<JobResult> => {
  const power_state = await powerTo(machine, node, 'power off', run);
  if (node['deploy_interface'] === 'ramdisk') {
    await run.job.proceed();
    await mediaOf(machine).detach(node, ['cdrom'], within(run.deadline, COMMAND_MS));
  }
  return { set: { power_state } };
};

/**
 * What Redfish can do without an agent on the machine. No clean step is done by itself, so cleaning has nothing to do
 * unless steps are asked for; a machine is deployed by booting an ISO image.
 */
export const redfishProvisioning = (
  find: FindTarget,
  machine: Machine,
  pace: PowerPace,
): Provisioning => {
  const readPower = async (node: NodeRecord, deadline: Deadline): Promise<JobResult> => {
    const state = await machine.getPowerState(node, within(deadline, COMMAND_MS));
    return state === null ? {} : { set: { power_state: state } };
  };
  const parts = { find, machine, pace };
  return {
    steps: { cleaning: [...biosSteps(parts), ...raidSteps(parts)] },
    jobs: {
      verifying: (node, _job, deadline) => readPower(node, deadline),
      adopting: (node, _job, deadline) => readPower(node, deadline),
      inspecting: (node, _job, deadline) => inspect(find, node, deadline),
      cleaning: () => Promise.resolve({}),
      deploying: (node, job, deadline) => deploy(machine, node, { job, deadline }),
      deleting: (node, job, deadline) => tearDown(machine, node, { job, deadline }),
    },
  };
};
