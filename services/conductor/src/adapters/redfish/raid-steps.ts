import { type NodeRecord } from '@tenure/contracts';
import { type Deadline, deadlineWithin } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type Fields, type WorkResult } from '../../domain/provision/fields.js';
import { levelName, targetDisks } from '../../domain/raid.js';
import { type DriverStep, type Job, type StepCall } from '../../ports/provisioning.js';
import { RAID_ARGUMENTS, wantedRaid } from '../step-arguments.js';
import { ON_REQUEST, type RedfishStepParts } from './bios-steps.js';
import { type BmcClient, type Resource } from './bmc-client.js';
import { BmcCallFailure } from './bmc-error.js';
import { type BmcAnswer } from './bmc-transport.js';
import { idOf, linksOf, objectOf, textOf } from './json.js';
import {
  type Controller,
  type PlannedVolume,
  planVolumes,
  readControllers,
  readVolumes,
} from './raid-plan.js';
import { restartFor, waitUntil } from './restart.js';
import { taskOver } from './task.js';

/** Milliseconds that a whole RAID step is given. */
const RAID_MS = 1_200_000;
const GIB = 1024 ** 3;

/** One run of a step. */
interface Run extends RedfishStepParts {
  readonly bmc: BmcClient;
  readonly node: NodeRecord;
  readonly job: Job;
}

/** Steps on the volumes of the system's storage by Redfish. */
export const raidSteps = (parts: RedfishStepParts): readonly DriverStep[] => [
  {
    interface: 'raid',
    step: 'create_configuration',
    ...ON_REQUEST,
    args: RAID_ARGUMENTS,
    run: (node, call, deadline) => createConfiguration(parts, node, call, deadline),
  },
  {
    interface: 'raid',
    step: 'delete_configuration',
    ...ON_REQUEST,
    args: {},
    run: (node, call, deadline) => deleteConfiguration(parts, node, call, deadline),
  },
];

async function createConfiguration(
  parts: RedfishStepParts,
  node: NodeRecord,
  call: StepCall,
  deadline: Deadline,
): Promise<WorkResult> {
  const wanted = wantedRaid(call.args);
  const disks = targetDisks(node, wanted);
  if (disks.length === 0)
    throw new DriverFailure('settings', 'the node has no target RAID configuration to be made');
  const { run, controllers } = await started(parts, node, call, deadline);
  const plan = planVolumes(disks, controllers, wanted.deleteExisting);
  const removed = wanted.deleteExisting ? await remove(run, controllers) : {};
  const used = controllers.filter((one) => plan.some(({ controller }) => controller === one));
  const goal = (await volumesOf(run, used)).length + plan.length;
  for (const volume of plan) await create(run, volume);
  const isThere = async (): Promise<boolean> => (await volumesOf(run, used)).length >= goal;
  const missing = 'the BMC took the RAID volumes, but does not show them';
  const made = await awaitEffect(run, used, { isThere, missing });
  return { set: { ...removed, ...made, ...(await raidConfig(run, controllers)) } };
}

async function deleteConfiguration(
  parts: RedfishStepParts,
  node: NodeRecord,
  call: StepCall,
  deadline: Deadline,
): Promise<WorkResult> {
  const { run, controllers } = await started(parts, node, call, deadline);
  const removed = await remove(run, controllers);
  return { set: { ...removed, ...(await raidConfig(run, controllers)) } };
}

async function started(
  parts: RedfishStepParts,
  node: NodeRecord,
  job: StepCall,
  deadline: Deadline,
): Promise<{ readonly run: Run; readonly controllers: readonly Controller[] }> {
  const { bmc, path } = await parts.find(node, deadlineWithin(deadline, RAID_MS));
  const { data: system } = await bmc.read(path);
  const controllers = await readControllers(bmc, system);
  return { run: { ...parts, bmc, node, job }, controllers };
}

async function remove(run: Run, controllers: readonly Controller[]): Promise<Fields> {
  const { bmc, job } = run;
  const having = controllers.filter(({ existing }) => existing.length > 0);
  for (const controller of having)
    for (const volume of controller.existing) {
      await job.proceed();
      const answer = await bmc.change(volume, { method: 'DELETE', path: volume.path });
      await changeOver(run, controller, 'delete a RAID volume', answer);
    }
  if (having.length === 0) return {};
  const isThere = async (): Promise<boolean> => (await volumesOf(run, having)).length === 0;
  return awaitEffect(run, having, {
    isThere,
    missing: 'the BMC still shows the deleted RAID volumes',
  });
}

async function volumesOf(
  { bmc }: Run,
  controllers: readonly Controller[],
): Promise<readonly Resource[]> {
  const found: Resource[] = [];
  for (const { volumes } of controllers) found.push(...(await readVolumes(bmc, volumes)));
  return found;
}

/** Sends one POST. When its answer was a failure that may have come after the deed, a volume that appears decides. */
async function create(run: Run, { controller, body }: PlannedVolume): Promise<void> {
  const { bmc, pace, job } = run;
  const path = controller.volumes;
  const before = (await readVolumes(bmc, path)).length;
  await job.proceed();
  try {
    const answer = await bmc.change({ path, etag: undefined }, { method: 'POST', path, body });
    await changeOver(run, controller, 'create a RAID volume', answer);
  } catch (error) {
    if (!(error instanceof BmcCallFailure) || !error.maybeSent) throw error;
    const isThere = async (): Promise<boolean> => (await readVolumes(bmc, path)).length > before;
    const { deadline } = bmc.within(pace.uncertainMs);
    await waitUntil(isThere, pace, '', deadline).catch(() => {
      throw error;
    });
  }
}

/** Waits for an effect, with a restart where a controller works at the next start only. */
async function awaitEffect(
  { bmc: { deadline }, machine, pace, node, job }: Run,
  controllers: readonly Controller[],
  effect: { readonly isThere: () => Promise<boolean>; readonly missing: string },
): Promise<Fields> {
  if (controllers.some(({ applyTime }) => applyTime === 'OnReset'))
    return {
      power_state: await restartFor({ machine, pace, node, job }, effect, deadline),
    };
  await waitUntil(effect.isThere, pace, effect.missing, deadline);
  return {};
}

async function raidConfig({ bmc }: Run, controllers: readonly Controller[]): Promise<Fields> {
  const disks: Fields[] = [];
  for (const { name, volumes } of controllers)
    for (const volume of await readVolumes(bmc, volumes)) disks.push(volumeView(volume, name));
  return { raid_config: disks.length === 0 ? {} : { logical_disks: disks } };
}

/** Waits until a change is over. A change that is made at the next start only is over once its effect is visible. */
async function changeOver(
  { bmc, pace }: Run,
  { applyTime }: Controller,
  what: string,
  answer: BmcAnswer,
): Promise<void> {
  if (applyTime !== 'OnReset') await taskOver(bmc, { pace, what }, answer);
}

/** A volume as `raid_config` shows it. */
function volumeView(volume: Resource, controller: string): Fields {
  const { data } = volume;
  const size = data['CapacityBytes'];
  return {
    id: idOf(volume),
    controller,
    raid_level: levelName(textOf(data['RAIDType']) ?? ''),
    size_gb: typeof size === 'number' ? Math.floor(size / GIB) : null,
    volume_name: textOf(data['Name']) ?? null,
    physical_disks: linksOf(objectOf(data['Links'])['Drives']).map((drive) =>
      drive.slice(drive.lastIndexOf('/') + 1),
    ),
  };
}
