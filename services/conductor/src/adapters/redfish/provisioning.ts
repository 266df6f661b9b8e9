import { type NodeRecord } from '@tenure/contracts';
import { type Deadline, deadlineWithin } from '@tenure/process';
import { checkedAgentImage } from '../../domain/agent-image.js';
import { DriverFailure, unsupported } from '../../domain/driver-failure.js';
import { checkInstanceImage } from '../../domain/provision/instance-image.js';
import { type BusyState } from '../../domain/provision/states.js';
import { checkedImage } from '../../domain/virtual-media.js';
import { type JobResult, type Provisioning } from '../../ports/provisioning.js';
import { redfishAgentBoot, startInstance } from './agent-boot.js';
import { biosSteps } from './bios-steps.js';
import { directDeploySteps, isDirect } from './direct-deploy.js';
import { inspect } from './inspection.js';
import { objectOf } from './json.js';
import {
  bootImage,
  COMMAND_MS,
  ejectImage,
  type Machine,
  type MachineWork,
  powerTo,
} from './machine.js';
import { type PowerPace } from './power-change.js';
import { raidSteps } from './raid-steps.js';
import { type FindTarget } from './target.js';

/**
 * What Redfish can do, alone and with an agent on the machine, which it boots from virtual media. Without an agent no clean
 * step is done by itself, and a machine is deployed by booting an ISO image.
 */
export function redfishProvisioning(
  find: FindTarget,
  machine: Machine,
  pace: PowerPace,
): Provisioning {
  const readPower = async (node: NodeRecord, deadline: Deadline): Promise<JobResult> => {
    const state = await machine.getPowerState(node, deadlineWithin(deadline, COMMAND_MS));
    return state === null ? {} : { set: { power_state: state } };
  };
  const parts = { find, machine, pace };
  const agent = redfishAgentBoot(machine);
  return {
    agent,
    isDeployedByAgent: isDirect,
    check,
    steps: {
      cleaning: [...biosSteps(parts), ...raidSteps(parts)],
      deploying: directDeploySteps(machine),
    },
    jobs: {
      verifying: (node, _job, deadline) => readPower(node, deadline),
      adopting: (node, _job, deadline) => readPower(node, deadline),
      inspecting: (node, _job, deadline) => inspect(find, node, deadline),
      cleaning: () => Promise.resolve({}),
      deploying: (node, job, deadline) => deploy({ machine, node, job, deadline }),
      deleting: (node, job, deadline) => tearDown({ machine, node, job, deadline }),
      // With the agent; see `agent`.
      rescuing: () => Promise.resolve({}),
      servicing: () => Promise.resolve({}),
      unrescuing: (node, job, deadline) => startInstance({ machine, node, job, deadline }),
    },
  };
}

/** Checks the settings that a node needs before the agent can work on it. */
function check(node: NodeRecord, state: BusyState): void {
  if (state === 'rescuing' && node.rescue_interface !== 'agent')
    throw unsupported(node.driver, 'rescue');
  const needsAgent = (state === 'deploying' && isDirect(node)) || state === 'rescuing';
  if (needsAgent) checkedAgentImage(node);
  if (state === 'deploying' && isDirect(node)) checkInstanceImage(node);
}

/** Boots the ISO image of the instance, from which the machine runs for good. */
const deploy = async (work: MachineWork): Promise<JobResult> =>
  bootImage(work, { image: bootIsoOf(work.node), persistent: true });

/** Nothing of the tenant's stays in the machine or in its drive. */
async function tearDown(work: MachineWork): Promise<JobResult> {
  const { node } = work;
  const power_state = await powerTo(work, 'power off');
  const hasImage =
    node.deploy_interface === 'ramdisk' || node.driver_info['deploy_iso'] !== undefined;
  if (hasImage) await ejectImage(work);
  return { set: { power_state } };
}

function bootIsoOf(node: NodeRecord): string {
  const deploy = node.deploy_interface;
  if (deploy !== 'ramdisk')
    throw new DriverFailure(
      'unsupported',
      `the deploy interface ${String(deploy)} is not supported by the redfish driver; use direct or ramdisk`,
    );
  const image = objectOf(node.instance_info)['boot_iso'];
  try {
    return checkedImage(typeof image === 'string' ? image : '');
  } catch (error) {
    throw new DriverFailure(
      'settings',
      'instance_info.boot_iso must be an http or https address of an ISO image',
      { cause: error },
    );
  }
}
