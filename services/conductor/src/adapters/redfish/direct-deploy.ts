import { type NodeRecord } from '@tenure/contracts';
import { deadlineWithin } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type PowerState } from '../../domain/power.js';
import { imageInfoOf, isPartitionImage } from '../../domain/provision/instance-image.js';
import { type AskAgent, type DriverStep } from '../../ports/provisioning.js';
import { configDriveOf } from '../agent/config-drive.js';
import { objectOf } from './json.js';
import {
  bootFromDisk,
  ejectImage,
  type Machine,
  type MachineWork,
  powerTo,
  start,
} from './machine.js';

export const isDirect = (node: NodeRecord): boolean => node.deploy_interface === 'direct';

/** Milliseconds that the system on a machine is given to shut down before its power is cut. */
const SHUTDOWN_MS = 30_000;

const CORE = {
  interface: 'deploy',
  abortable: false,
  args: {},
  appliesTo: isDirect,
  isRepeatable: true,
} as const;

/** The steps of a deployment in which the agent writes the image, named and ordered as Ironic's. */
export const directDeploySteps = (machine: Machine): readonly DriverStep[] => [
  {
    ...CORE,
    step: 'deploy',
    priority: 100,
    bootsAgent: true,
    run: () => Promise.resolve({}),
  },
  {
    ...CORE,
    step: 'write_image',
    priority: 80,
    command: written,
    run: () => Promise.resolve({}),
  },
  {
    ...CORE,
    step: 'prepare_instance_boot',
    priority: 60,
    command: bootLoader,
    run: async (node, job, deadline) => {
      await bootFromDisk({ machine, node, job, deadline });
      return {};
    },
  },
  {
    ...CORE,
    step: 'tear_down_agent',
    priority: 40,
    command: flushed,
    run: async (node, job, deadline) => {
      const work = { machine, node, job, deadline };
      const power_state = await shutDown(work);
      await ejectImage(work);
      return { set: { power_state } };
    },
  },
  {
    ...CORE,
    step: 'boot_instance',
    priority: 20,
    run: async (node, job, deadline) => ({
      set: { power_state: await start({ machine, node, job, deadline }) },
    }),
  },
];

function written(node: NodeRecord) {
  const configdrive = configDriveOf(node);
  const image_info = imageInfoOf(node);
  return Promise.resolve({
    name: 'standby.prepare_image',
    params: { image_info, ...(configdrive !== undefined && { configdrive }) },
  });
}

async function bootLoader(node: NodeRecord, ask: AskAgent) {
  if (!needsBootLoader(node)) return undefined;
  const found = isPartitionImage(node)
    ? objectOf(await ask({ name: 'standby.get_partition_uuids', params: {} }))
    : {};
  // A command's result is what the agent made of it, or that under `result`.
  const uuids = { ...objectOf(found['result']), ...found };
  return {
    name: 'image.install_bootloader',
    params: {
      root_uuid: uuids['root uuid'] ?? null,
      efi_system_part_uuid: uuids['efi system partition uuid'] ?? null,
      prep_boot_part_uuid: uuids['PReP Boot partition uuid'] ?? null,
      target_boot_mode: node.boot_mode ?? 'uefi',
      ignore_bootloader_failure: false,
    },
  };
}

/** Has the agent write out what it holds in memory. One that cannot any more is switched off all the same. */
async function flushed(_node: NodeRecord, ask: AskAgent): Promise<undefined> {
  await ask({ name: 'standby.sync', params: {} }).catch((error: unknown) => {
    if (!(error instanceof DriverFailure)) throw error;
  });
  return undefined;
}

async function shutDown(work: MachineWork): Promise<PowerState> {
  const { machine, node, job, deadline } = work;
  await job.part('shut down', async (attempt) => {
    const soft = { goal: 'power off', soft: true, attempt } as const;
    try {
      await machine.setPowerState(node, soft, deadlineWithin(deadline, SHUTDOWN_MS));
    } catch (error) {
      // It is switched off next, whether or not it shut down by itself.
      if (!(error instanceof DriverFailure)) throw error;
    }
    return {};
  });
  return powerTo(work, 'power off');
}

/** A whole disk that boots with BIOS brings its own boot loader. */
const needsBootLoader = (node: NodeRecord): boolean =>
  isPartitionImage(node) || node.boot_mode !== 'bios';
