import { type NodeRecord } from '@tenure/contracts';
import {
  documentOf,
  factsOf,
  type HardwareFacts,
  propertiesWith,
} from '../../domain/inspection.js';
import { isPowerState, type PowerState } from '../../domain/power.js';
import { type JobResult, type PerformJob, type Provisioning } from '../../ports/provisioning.js';
import { actInParts } from './simulate.js';
import { fakeSteps } from './steps.js';

type Outcome = (node: NodeRecord) => JobResult;

/** Takes its time, and fails when `fake_failure` names it. */
const simulated =
  (what: string, outcome: Outcome = () => ({})): PerformJob =>
  async (node, job, deadline) => {
    await job.proceed();
    await actInParts(node, what, job, deadline);
    return outcome(node);
  };

const powered = (state: PowerState) => (): JobResult => ({ set: { power_state: state } });

// A simulated machine without a recorded power state is off.
const readPower: Outcome = ({ power_state: state }) => ({
  set: { power_state: isPowerState(state) ? state : 'power off' },
});

const SIMULATED: Required<HardwareFacts> = {
  cpus: 4,
  cpuArch: 'x86_64',
  memoryMb: 8192,
  localGb: 100,
};

const inspected: Outcome = (node) => {
  // The recorded properties of a simulated machine override the simulated ones.
  const properties = {
    ...propertiesWith(node, SIMULATED),
    ...node.properties,
  };
  const { cpus, cpu_arch: architecture, memory_mb: memory } = properties;
  const facts = factsOf({ cpu: { count: cpus, architecture }, memory: { physical_mb: memory } });
  return {
    set: { properties },
    inventory: documentOf(
      { ...facts, localGb: SIMULATED.localGb },
      { manufacturer: 'fake', product_name: 'fake-hardware', serial_number: node.uuid },
    ),
  };
};

/** Simulated hardware does everything that a verb can lead to, and has steps of every kind. */
export const fakeProvisioning: Provisioning = {
  steps: fakeSteps,
  cleansByJob: true,
  jobs: {
    verifying: simulated('verify', readPower),
    inspecting: simulated('inspect', inspected),
    cleaning: simulated('clean'),
    deploying: simulated('deploy', powered('power on')),
    deleting: simulated('undeploy', powered('power off')),
    adopting: simulated('adopt', readPower),
    rescuing: simulated('rescue', powered('power on')),
    unrescuing: simulated('unrescue', powered('power on')),
    servicing: simulated('service'),
  },
};
