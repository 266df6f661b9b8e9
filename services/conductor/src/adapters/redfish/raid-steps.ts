import { type NodeRecord } from '@tenure/contracts';
import { type Deadline, deadlineWithin } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type Fields, type WorkResult } from '../../domain/provision/fields.js';
import { levelName, targetDisks } from '../../domain/raid.js';
import { type DriverStep, type Job, type StepCall } from '../../ports/provisioning.js';
import { RAID_ARGUMENTS, wantedRaid } from '../step-arguments.js';
import { type RedfishStepParts } from './bios-steps.js';
import { BmcCallFailure } from './bmc-error.js';
import { type BmcAnswer } from './bmc-transport.js';
import { type Bmc } from './bmc.js';
import { linksOf, objectOf, textOf } from './json.js';
import {
  type Controller,
  type PlannedVolume,
  planVolumes,
  readControllers,
  readVolumes,
} from './raid-plan.js';
import { changeResource, readResource, type Resource } from './resource.js';
import { restartFor, waitUntil } from './restart.js';
import { taskOver } from './task.js';

/** Milliseconds that a whole RAID step is given. */
const RAID_MS = 1_200_000;
const GIB = 1024 ** 3;

/** One run of a step. */
interface Run extends RedfishStepParts {
  readonly bmc: Bmc;
  readonly node: NodeRecord;
  readonly job: Job;
  readonly deadline: Deadline;
}

const started = async (
  parts: RedfishStepParts,
  node: NodeRecord,
  job: StepCall,
  whole: Deadline,
): Promise<{ readonly run: Run; readonly controllers: readonly Controller[] }> => {
  const deadline = deadlineWithin(whole, RAID_MS);
  const { bmc, path } = await parts.find(node, deadline);
  const { data: system } = await readResource(bmc, path, deadline);
  const controllers = await readControllers(bmc, system, deadline);
  return { run: { ...parts, bmc, node, job, deadline }, controllers };
};

const volumesOf = async (
  { bmc, deadline }: Run,
  controllers: readonly Controller[],
): Promise<readonly Resource[]> => {
  const found: Resource[] = [];
  for (const { volumes } of controllers) found.push(...(await readVolumes(bmc, volumes, deadline)));
  return found;
};

/** Waits until a change is over. What is made at the next start only, is over when the effect is there. */
const changeOver = async (
  { bmc, pace, deadline }: Run,
  { applyTime }: Controller,
  what: string,
  answer: BmcAnswer,
): Promise<void> => {
  if (applyTime !== 'OnReset') await taskOver({ bmc, pace, what }, answer, deadline);
};

/** Waits for an effect, with a restart where a controller works at the next start only. */
const settle = async (
  { machine, pace, node, job, deadline }: Run,
  controllers: readonly Controller[],
  effect: { readonly isThere: () => Promise<boolean>; readonly missing: string },
): Promise<Fields> => {
  if (controllers.some(({ applyTime }) => applyTime === 'OnReset'))
    return {
      power_state: await restartFor({ machine, pace, node, job }, effect, deadline),
    };
  await waitUntil(effect.isThere, pace, effect.missing, deadline);
  return {};
};

const remove = async (run: Run, controllers: readonly Controller[]): Promise<Fields> => {
  const { bmc, job, deadline } = run;
  const having = controllers.filter(({ existing }) => existing.length > 0);
  for (const controller of having)
    for (const volume of controller.existing) {
      await job.proceed();
      const change = { method: 'DELETE', path: volume.path } as const;
      const answer = await changeResource(bmc, volume, change, deadline);
      await changeOver(run, controller, 'delete a RAID volume', answer);
    }
  if (having.length === 0) return {};
  const isThere = async (): Promise<boolean> => (await volumesOf(run, having)).length === 0;
  return settle(run, having, { isThere, missing: 'the BMC still shows the deleted RAID volumes' });
};

/** Sends one POST. When its answer was a failure that may have come after the deed, a volume that appears decides. */
const create = async (run: Run, { controller, body }: PlannedVolume): Promise<void> => {
  const { bmc, pace, job, deadline } = run;
  const before = (await readVolumes(bmc, controller.volumes, deadline)).length;
  await job.proceed();
  const change = { method: 'POST', path: controller.volumes, body } as const;
  try {
    const collection = { path: controller.volumes, etag: undefined };
    const answer = await changeResource(bmc, collection, change, deadline);
    await changeOver(run, controller, 'create a RAID volume', answer);
  } catch (error) {
    if (!(error instanceof BmcCallFailure) || !error.maybeSent) throw error;
    const isThere = async (): Promise<boolean> =>
      (await readVolumes(bmc, controller.volumes, deadline)).length > before;
    await waitUntil(isThere, pace, '', deadlineWithin(deadline, pace.uncertainMs)).catch(() => {
      throw error;
    });
  }
};

/** A volume as `raid_config` shows it. */
const shownVolume = ({ path, data }: Resource, controller: string): Fields => {
  const size = data['CapacityBytes'];
  return {
    id: textOf(data['Id']) ?? path.slice(path.lastIndexOf('/') + 1),
    controller,
    raid_level: levelName(textOf(data['RAIDType']) ?? ''),
    size_gb: typeof size === 'number' ? Math.floor(size / GIB) : null,
    volume_name: textOf(data['Name']) ?? null,
    physical_disks: linksOf(objectOf(data['Links'])['Drives']).map((drive) =>
      drive.slice(drive.lastIndexOf('/') + 1),
    ),
  };
};

const raidConfig = async (
  { bmc, deadline }: Run,
  controllers: readonly Controller[],
): Promise<Fields> => {
  const disks: Fields[] = [];
  for (const { name, volumes } of controllers)
    for (const volume of await readVolumes(bmc, volumes, deadline))
      disks.push(shownVolume(volume, name));
  return { raid_config: disks.length === 0 ? {} : { logical_disks: disks } };
};

const createConfiguration = async (
  parts: RedfishStepParts,
  node: NodeRecord,
  call: StepCall,
  whole: Deadline,
): Promise<WorkResult> => {
  const wanted = wantedRaid(call.args);
  const disks = targetDisks(node, wanted);
  if (disks.length === 0)
    throw new DriverFailure('settings', 'the node has no target RAID configuration to be made');
  const { run, controllers } = await started(parts, node, call, whole);
  const plan = planVolumes(disks, controllers, wanted.deleteExisting);
  const removed = wanted.deleteExisting ? await remove(run, controllers) : {};
  const used = controllers.filter((one) => plan.some(({ controller }) => controller === one));
  const goal = (await volumesOf(run, used)).length + plan.length;
  for (const volume of plan) await create(run, volume);
  const isThere = async (): Promise<boolean> => (await volumesOf(run, used)).length >= goal;
  const missing = 'the BMC took the RAID volumes, but does not show them';
  const made = await settle(run, used, { isThere, missing });
  return { set: { ...removed, ...made, ...(await raidConfig(run, controllers)) } };
};

const deleteConfiguration = async (
  parts: RedfishStepParts,
  node: NodeRecord,
  call: StepCall,
  whole: Deadline,
): Promise<WorkResult> => {
  const { run, controllers } = await started(parts, node, call, whole);
  const removed = await remove(run, controllers);
  return { set: { ...removed, ...(await raidConfig(run, controllers)) } };
};

/** Steps on the volumes of the system's storage by Redfish. */
export const raidSteps = (parts: RedfishStepParts): readonly DriverStep[] => [
  {
    interface: 'raid',
    step: 'create_configuration',
    priority: 0,
    abortable: false,
    args: RAID_ARGUMENTS,
    run: (node, call, deadline) => createConfiguration(parts, node, call, deadline),
  },
  {
    interface: 'raid',
    step: 'delete_configuration',
    priority: 0,
    abortable: false,
    args: {},
    run: (node, call, deadline) => deleteConfiguration(parts, node, call, deadline),
  },
];
