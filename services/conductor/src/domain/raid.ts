import { type api, type NodeRecord } from '@tenure/contracts';
import { DriverFailure } from './driver-failure.js';

/** Which logical disks are to be made: arguments of `raid.create_configuration`. */
interface Wanted {
  readonly root: boolean;
  readonly nonRoot: boolean;
}

interface Level {
  readonly redfish: string;
  readonly fewest: number;
}

const LEVELS: ReadonlyMap<string, Level> = new Map([
  ['0', { redfish: 'RAID0', fewest: 1 }],
  ['1', { redfish: 'RAID1', fewest: 2 }],
  ['5', { redfish: 'RAID5', fewest: 3 }],
  ['6', { redfish: 'RAID6', fewest: 4 }],
  ['1+0', { redfish: 'RAID10', fewest: 4 }],
  ['5+0', { redfish: 'RAID50', fewest: 6 }],
  ['6+0', { redfish: 'RAID60', fewest: 8 }],
]);

/** The logical disks that a node is to have. */
export function targetDisks(
  node: NodeRecord,
  { root, nonRoot }: Wanted,
): readonly api.LogicalDisk[] {
  const disks = node.target_raid_config['logical_disks'];
  if (!Array.isArray(disks)) return [];
  // They were checked when they were set.
  return (disks as readonly api.LogicalDisk[]).filter((disk) =>
    disk.is_root_volume === true ? root : nonRoot,
  );
}

/** @throws DriverFailure (`unsupported`) */
export function levelOf({ raid_level: name }: api.LogicalDisk): Level {
  const level = LEVELS.get(name);
  if (level === undefined)
    throw new DriverFailure('unsupported', `RAID level ${name} cannot be made over Redfish`);
  return level;
}

/** Ironic's name of a Redfish RAID level; the name itself when Ironic has none. */
export const levelName = (redfish: string): string =>
  [...LEVELS].find(([, level]) => level.redfish === redfish)?.[0] ?? redfish;
