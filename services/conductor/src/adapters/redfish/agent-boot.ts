import { type NodeRecord } from '@tenure/contracts';
import { agentImageOf } from '../../domain/agent-image.js';
import { type AgentBoot, type JobResult } from '../../ports/provisioning.js';
import {
  bootFromDisk,
  bootImage,
  ejectImage,
  type Machine,
  type MachineRun,
  powerTo,
  start,
} from './machine.js';

/** Takes the agent off the machine and starts it from its disk. */
export const startInstance = async (
  machine: Machine,
  node: NodeRecord,
  run: MachineRun,
): Promise<JobResult> => {
  await powerTo(machine, node, 'power off', run);
  await ejectImage(machine, node, run);
  await bootFromDisk(machine, node, run);
  return { set: { power_state: await start(machine, node, run) } };
};

/** The agent comes in an ISO image, which is made for the boot from `driver_info.deploy_iso`. */
export const redfishAgentBoot = (machine: Machine): AgentBoot => ({
  isPossible: (node) => agentImageOf(node) !== undefined,
  boot: (node, { image, job }, deadline) =>
    bootImage(machine, node, { image, persistent: false }, { job, deadline }),
  leave: async (node, job, deadline) => {
    const run = { job, deadline };
    const power_state = await powerTo(machine, node, 'power off', run);
    await ejectImage(machine, node, run);
    return { set: { power_state } };
  },
  startInstance: (node, job, deadline) => startInstance(machine, node, { job, deadline }),
});
