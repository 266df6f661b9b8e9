import { type NodeRecord } from '@tenure/contracts';
import { type Deadline, within } from '../../deadline.js';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type PowerState } from '../../domain/power.js';
import { type VirtualMediaCapability } from '../../ports/hardware-capabilities.js';
import { type HardwareDriver } from '../../ports/hardware-driver.js';
import { type Job } from '../../ports/provisioning.js';

/** What the work on a machine needs of its driver. */
export type Machine = Pick<
  HardwareDriver,
  'getPowerState' | 'setPowerState' | 'setBootDevice' | 'virtualMedia'
>;

/** Under which lock, and until when. */
export interface MachineRun {
  readonly job: Job;
  readonly deadline: Deadline;
}

/** Milliseconds that one command is given. */
export const COMMAND_MS = 90_000;

const mediaOf = ({ virtualMedia }: Machine): VirtualMediaCapability => {
  if (virtualMedia === undefined)
    throw new DriverFailure('unsupported', 'the hardware has no virtual media');
  return virtualMedia;
};

export const powerTo = async (
  machine: Machine,
  node: NodeRecord,
  goal: PowerState,
  { job, deadline }: MachineRun,
): Promise<PowerState> => {
  await job.proceed();
  return machine.setPowerState(node, { goal, soft: false }, within(deadline, COMMAND_MS));
};

/** Boots an ISO image from virtual media. Done again after a crash, it starts over from a machine that is off. */
export const bootImage = async (
  machine: Machine,
  node: NodeRecord,
  { image, persistent }: { readonly image: string; readonly persistent: boolean },
  run: MachineRun,
): Promise<{
  readonly set: { readonly power_state: PowerState };
  readonly internal: Readonly<Record<string, unknown>>;
}> => {
  const virtualMedia = mediaOf(machine);
  await powerTo(machine, node, 'power off', run);
  await ejectImage(machine, node, run);
  await virtualMedia.attach(node, { device: 'cdrom', image }, within(run.deadline, COMMAND_MS));
  await run.job.proceed();
  const change = { device: 'cdrom', persistent };
  const internal = await machine.setBootDevice(node, change, within(run.deadline, COMMAND_MS));
  return { set: { power_state: await powerTo(machine, node, 'power on', run) }, internal };
};

export const ejectImage = async (
  machine: Machine,
  node: NodeRecord,
  { job, deadline }: MachineRun,
): Promise<void> => {
  await job.proceed();
  await mediaOf(machine).detach(node, ['cdrom'], within(deadline, COMMAND_MS));
};

/** Lets the machine boot from its disk from now on. */
export const bootFromDisk = async (
  machine: Machine,
  node: NodeRecord,
  { job, deadline }: MachineRun,
): Promise<Readonly<Record<string, unknown>>> => {
  await job.proceed();
  const change = { device: 'disk', persistent: true };
  return machine.setBootDevice(node, change, within(deadline, COMMAND_MS));
};
