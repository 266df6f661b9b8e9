import { type NodeRecord } from '@tenure/contracts';
import { type Deadline, deadlineWithin } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type PowerState } from '../../domain/power.js';
import { type WorkResult } from '../../domain/provision/fields.js';
import { type VirtualMediaCapability } from '../../ports/hardware-capabilities.js';
import { type BootDeviceChange, type HardwareDriver } from '../../ports/hardware-driver.js';
import { type Job } from '../../ports/provisioning.js';

/** The functions of the driver that work on a machine needs. */
export type Machine = Pick<
  HardwareDriver,
  'getPowerState' | 'setPowerState' | 'setBootDevice' | 'virtualMedia'
>;

/** Work on the machine of a node, under its lock. */
export interface MachineWork<Needs = Machine> {
  readonly machine: Needs;
  readonly node: NodeRecord;
  readonly job: Job;
  readonly deadline: Deadline;
}

type PowerWork = MachineWork<Pick<Machine, 'setPowerState'>>;

/** Milliseconds that one command is given. */
export const COMMAND_MS = 90_000;

/**
 * Brings the power to a goal.
 * @param part names it as a part of the work, where the work brings it there twice
 */
export async function powerTo(
  work: PowerWork,
  goal: PowerState,
  part: string = goal,
): Promise<PowerState> {
  const { machine, node, job } = work;
  await job.part(part, async (attempt) => {
    const change = { goal, soft: false, attempt };
    return { set: { power_state: await machine.setPowerState(node, change, commandIn(work)) } };
  });
  return goal;
}

/** Switches a machine on that is off; off first when it was switched on by others meanwhile. */
export async function start(work: PowerWork): Promise<PowerState> {
  await powerTo(work, 'power off', 'power off before the start');
  return powerTo(work, 'power on', 'start');
}

/** Boots an ISO image from virtual media. After a crash, it goes on with the first part that was not recorded as done. */
export async function bootImage(
  work: MachineWork,
  { image, persistent }: { readonly image: string; readonly persistent: boolean },
): Promise<WorkResult> {
  const { node, job } = work;
  const virtualMedia = mediaOf(work.machine);
  await powerTo(work, 'power off');
  await ejectImage(work);
  await job.part('insert the image', async ({ begunBefore }) => {
    const media = { device: 'cdrom', image, isOurs: begunBefore > 0 } as const;
    return { internal: await virtualMedia.attach(node, media, commandIn(work)) };
  });
  await setBootDevice(work, { device: 'cdrom', persistent });
  return { set: { power_state: await start(work) } };
}

export async function ejectImage(work: MachineWork): Promise<void> {
  await work.job.part('eject', async () => ({
    internal: await mediaOf(work.machine).detach(work.node, ['cdrom'], commandIn(work)),
  }));
}

/** Lets the machine boot from its disk from now on. */
export const bootFromDisk = (work: MachineWork): Promise<void> =>
  setBootDevice(work, { device: 'disk', persistent: true });

const commandIn = ({ deadline }: Pick<MachineWork, 'deadline'>): Deadline =>
  deadlineWithin(deadline, COMMAND_MS);

function mediaOf({ virtualMedia }: Machine): VirtualMediaCapability {
  if (virtualMedia === undefined)
    throw new DriverFailure('unsupported', 'the hardware has no virtual media');
  return virtualMedia;
}

async function setBootDevice(work: MachineWork, change: BootDeviceChange): Promise<void> {
  const { machine, node, job } = work;
  await job.part('set the boot device', async ({ begunBefore }) => {
    const request = { ...change, mayBeSet: begunBefore > 0 };
    return { internal: await machine.setBootDevice(node, request, commandIn(work)) };
  });
}
