import { type NodeRecord } from '@tenure/contracts';
import { DriverFailure } from '../../domain/driver-failure.js';
import { isImageAddress } from '../../domain/virtual-media.js';
import { type AgentBoot, type JobResult } from '../../ports/provisioning.js';
import {
  bootFromDisk,
  bootImage,
  ejectImage,
  type Machine,
  type MachineRun,
  powerTo,
} from './machine.js';

const deployIsoOf = (node: NodeRecord): string | undefined => {
  const image = node.driver_info['deploy_iso'];
  return typeof image === 'string' && isImageAddress(image) ? image : undefined;
};

/** @throws DriverFailure (`settings`) in Ironic's words when the node has no image with an agent */
export const checkDeployIso = (node: NodeRecord): string => {
  const image = deployIsoOf(node);
  if (image !== undefined) return image;
  throw new DriverFailure(
    'settings',
    node.driver_info['deploy_iso'] === undefined
      ? `Node ${node.uuid} failed to validate deploy image info. Some parameters were missing. Missing are: ['driver_info.deploy_iso']`
      : 'driver_info.deploy_iso must be an http or https address of an ISO image',
  );
};

/** Takes the agent off the machine and starts it from its disk. */
export const startInstance = async (
  machine: Machine,
  node: NodeRecord,
  run: MachineRun,
): Promise<JobResult> => {
  await powerTo(machine, node, 'power off', run);
  await ejectImage(machine, node, run);
  const internal = await bootFromDisk(machine, node, run);
  return { set: { power_state: await powerTo(machine, node, 'power on', run) }, internal };
};

/** The agent comes in an ISO image, `driver_info.deploy_iso`, that is made for this installation. */
export const redfishAgentBoot = (machine: Machine): AgentBoot => ({
  isPossible: (node) => deployIsoOf(node) !== undefined,
  boot: (node, job, deadline) =>
    bootImage(machine, node, { image: checkDeployIso(node), persistent: false }, { job, deadline }),
  leave: async (node, job, deadline) => {
    const run = { job, deadline };
    const power_state = await powerTo(machine, node, 'power off', run);
    await ejectImage(machine, node, run);
    return { set: { power_state } };
  },
  startInstance: (node, job, deadline) => startInstance(machine, node, { job, deadline }),
});
