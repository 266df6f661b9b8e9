import { type NodeRecord } from '@tenure/contracts';
import { type Deadline, deadlineWithin } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type PowerState } from '../../domain/power.js';
import { type WorkResult } from '../../domain/provision/fields.js';
import { type VirtualMediaCapability } from '../../ports/hardware-capabilities.js';
import { type BootDeviceChange, type HardwareDriver } from '../../ports/hardware-driver.js';
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

const commandIn = (deadline: Deadline): Deadline => deadlineWithin(deadline, COMMAND_MS);

const mediaOf = ({ virtualMedia }: Machine): VirtualMediaCapability => {
  if (virtualMedia === undefined)
    throw new DriverFailure('unsupported', 'the hardware has no virtual media');
  return virtualMedia;
};

/** Brings the power to a goal, as a part of the work that is named in `part` where the work brings it there twice. */
export const powerTo = async (
  machine: Pick<Machine, 'setPowerState'>,
  node: NodeRecord,
  goal: PowerState,
  { job, deadline, part = goal }: MachineRun & { readonly part?: string },
): Promise<PowerState> => {
  await job.part(part, async (attempt) => {
    const change = { goal, soft: false, attempt };
    return { set: { power_state: await machine.setPowerState(node, change, commandIn(deadline)) } };
  });
  return goal;
};

/** Switches a machine on that is off; off first when somebody else has switched it on meanwhile. */
export const start = async (
  machine: Pick<Machine, 'setPowerState'>,
  node: NodeRecord,
  run: MachineRun,
): Promise<PowerState> => {
  await powerTo(machine, node, 'power off', { ...run, part: 'power off before the start' });
  return powerTo(machine, node, 'power on', { ...run, part: 'start' });
};

/** Boots an ISO image from virtual media. Done again after a crash, it goes on with the part that is not known to be done. */
export const bootImage = async (
  machine: Machine,
  node: NodeRecord,
  { image, persistent }: { readonly image: string; readonly persistent: boolean },
  run: MachineRun,
): Promise<WorkResult> => {
  const virtualMedia = mediaOf(machine);
  const { job, deadline } = run;
  await powerTo(machine, node, 'power off', run);
  await ejectImage(machine, node, run);
  await job.part('insert the image', async ({ begunBefore }) => {
    const media = { device: 'cdrom', image, isOurs: begunBefore > 0 } as const;
    return { internal: await virtualMedia.attach(node, media, commandIn(deadline)) };
  });
  await setBootDevice(machine, node, { device: 'cdrom', persistent }, run);
  return { set: { power_state: await start(machine, node, run) } };
};

export const ejectImage = async (
  machine: Machine,
  node: NodeRecord,
  { job, deadline }: MachineRun,
): Promise<void> => {
  await job.part('eject', async () => ({
    internal: await mediaOf(machine).detach(node, ['cdrom'], commandIn(deadline)),
  }));
};

const setBootDevice = async (
  machine: Machine,
  node: NodeRecord,
  change: BootDeviceChange,
  { job, deadline }: MachineRun,
): Promise<void> => {
  await job.part('set the boot device', async ({ begunBefore }) => {
    const asked = { ...change, mayBeSet: begunBefore > 0 };
    return { internal: await machine.setBootDevice(node, asked, commandIn(deadline)) };
  });
};

/** Lets the machine boot from its disk from now on. */
export const bootFromDisk = (machine: Machine, node: NodeRecord, run: MachineRun): Promise<void> =>
  setBootDevice(machine, node, { device: 'disk', persistent: true }, run);
