import { type api } from '@tenure/contracts';
import { DriverFailure } from '../../domain/driver-failure.js';
import { levelOf } from '../../domain/raid.js';
import { type BmcClient, type Resource } from './bmc-client.js';
import { readMembers } from './collection.js';
import { idOf, type Json, linkOf, linksOf, objectOf, textOf, textsOf } from './json.js';

const GIB = 1024 ** 3;

export interface Controller {
  readonly name: string;
  /** Path of its volumes. */
  readonly volumes: string;
  readonly drives: readonly Resource[];
  /** The apply time that a change must request; undefined: changes are made at once. */
  readonly applyTime: 'Immediate' | 'OnReset' | undefined;
  /** Volumes that it has now, without drives that are passed through. */
  readonly existing: readonly Resource[];
}

/** A volume to be made. */
export interface PlannedVolume {
  readonly controller: Controller;
  readonly body: Json;
}

/** The volumes of a controller that a RAID step may remove. */
export const readVolumes = async (bmc: BmcClient, path: string): Promise<readonly Resource[]> =>
  (await readMembers(bmc, path)).filter((one) => isRaid(one));

/** @throws DriverFailure (`unsupported`) for a system without a controller that has volumes */
export async function readControllers(
  bmc: BmcClient,
  system: Json,
): Promise<readonly Controller[]> {
  const found: Controller[] = [];
  for (const storage of await readMembers(bmc, linkOf(system['Storage']))) {
    const controller = await controllerOf(bmc, storage);
    if (controller !== undefined) found.push(controller);
  }
  if (found.length === 0)
    throw new DriverFailure('unsupported', 'the BMC shows no RAID controller');
  return found;
}

/**
 * Assigns drives to volumes. Nothing is sent before the plan is complete.
 * @param areEmptied whether the existing volumes are deleted first
 * @throws DriverFailure (`settings`) when there are not enough free drives
 */
export function planVolumes(
  disks: readonly api.LogicalDisk[],
  controllers: readonly Controller[],
  areEmptied: boolean,
): readonly PlannedVolume[] {
  const existing = areEmptied ? [] : controllers.flatMap((one) => one.existing);
  const taken = new Set(existing.flatMap(({ data }) => linksOf(objectOf(data['Links'])['Drives'])));
  return disks.map((disk) => {
    for (const controller of controllers) {
      if (disk.controller !== undefined && disk.controller !== controller.name) continue;
      const drives = drivesFor(disk, controller, taken);
      if (drives === undefined) continue;
      for (const { path } of drives) taken.add(path);
      return { controller, body: bodyOf(disk, controller, drives) };
    }
    throw new DriverFailure(
      'settings',
      `no RAID controller has the free drives for a logical disk of RAID level ${disk.raid_level}`,
    );
  });
}

const isRaid = ({ data }: Resource): boolean =>
  data['VolumeType'] !== 'RawDevice' && data['RAIDType'] !== 'None';

async function controllerOf(bmc: BmcClient, storage: Resource): Promise<Controller | undefined> {
  const { data } = storage;
  const volumes = linkOf(data['Volumes']);
  if (volumes === undefined) return undefined;
  const drives: Resource[] = [];
  for (const drive of linksOf(data['Drives'])) drives.push(await bmc.read(drive));
  const collection = await bmc.read(volumes);
  return {
    name: idOf(storage),
    volumes,
    drives,
    applyTime: applyTimeOf(collection.data),
    existing: await readVolumes(bmc, volumes),
  };
}

function applyTimeOf(volumes: Json): Controller['applyTime'] {
  const support = objectOf(volumes['@Redfish.OperationApplyTimeSupport']);
  const values = textsOf(support['SupportedValues']) ?? [];
  return (['Immediate', 'OnReset'] as const).find((one) => values.includes(one));
}

/** The drives for a logical disk on this controller; undefined when it has not enough that are free. */
function drivesFor(
  disk: api.LogicalDisk,
  { drives }: Controller,
  taken: ReadonlySet<string>,
): readonly Resource[] | undefined {
  const free = drives.filter(({ path }) => !taken.has(path));
  const { physical_disks: named } = disk;
  if (named !== undefined) {
    const chosen = free.filter((drive) => named.includes(idOf(drive)));
    return chosen.length === named.length ? chosen : undefined;
  }
  const count = Math.max(disk.number_of_physical_disks ?? 0, levelOf(disk).fewest);
  const chosen = free.filter((drive) => fits(drive, disk)).slice(0, count);
  return chosen.length === count ? chosen : undefined;
}

const bodyOf = (
  disk: api.LogicalDisk,
  { applyTime }: Controller,
  drives: readonly Resource[],
): Json => ({
  RAIDType: levelOf(disk).redfish,
  // Without a size the controller uses all the space that is left.
  ...(disk.size_gb !== 'MAX' && { CapacityBytes: disk.size_gb * GIB }),
  ...(disk.volume_name !== undefined && { Name: disk.volume_name }),
  Links: { Drives: drives.map(({ path }) => ({ '@odata.id': path })) },
  ...(applyTime !== undefined && { '@Redfish.OperationApplyTime': applyTime }),
});

const fits = ({ data }: Resource, disk: api.LogicalDisk): boolean =>
  (disk.disk_type === undefined || textOf(data['MediaType'])?.toLowerCase() === disk.disk_type) &&
  (disk.interface_type === undefined ||
    textOf(data['Protocol'])?.toLowerCase() === disk.interface_type);
