import { agentImageOf } from '../../domain/agent-image.js';
import { type AgentBoot, type JobResult } from '../../ports/provisioning.js';
import {
  bootFromDisk,
  bootImage,
  ejectImage,
  type Machine,
  type MachineWork,
  powerTo,
  start,
} from './machine.js';

/** Takes the agent off the machine and starts it from its disk. */
export async function startInstance(work: MachineWork): Promise<JobResult> {
  await powerTo(work, 'power off');
  await ejectImage(work);
  await bootFromDisk(work);
  return { set: { power_state: await start(work) } };
}

/** The agent comes in an ISO image, which is made for the boot from `driver_info.deploy_iso`. */
export const redfishAgentBoot = (machine: Machine): AgentBoot => ({
  isPossible: (node) => agentImageOf(node) !== undefined,
  boot: (node, { image, job }, deadline) =>
    bootImage({ machine, node, job, deadline }, { image, persistent: false }),
  leave: async (node, job, deadline) => {
    const work = { machine, node, job, deadline };
    const power_state = await powerTo(work, 'power off');
    await ejectImage(work);
    return { set: { power_state } };
  },
  startInstance: (node, job, deadline) => startInstance({ machine, node, job, deadline }),
});
