import { type NodeRecord } from '@tenure/contracts';
import { DriverFailure } from './driver-failure.js';

/** A logical disk as `target_raid_config` asks for it; checked when it was set. */
export interface LogicalDisk {
  readonly raid_level: string;
  readonly size_gb: number | 'MAX';
  readonly volume_name?: string;
  readonly is_root_volume?: boolean;
  readonly disk_type?: 'hdd' | 'ssd';
  readonly interface_type?: string;
  readonly number_of_physical_disks?: number;
  readonly controller?: string;
  readonly physical_disks?: readonly unknown[];
}

/** Which logical disks are to be made: arguments of `raid.create_configuration`. */
interface Wanted {
  readonly root: boolean;
  readonly nonRoot: boolean;
}

/** The logical disks that a node is to have. */
export const targetDisks = (
  node: NodeRecord,
  { root, nonRoot }: Wanted,
): readonly LogicalDisk[] => {
  const disks = node.target_raid_config['logical_disks'];
  if (!Array.isArray(disks)) return [];
  // They were checked when they were set.
  return (disks as readonly LogicalDisk[]).filter((disk) =>
    disk.is_root_volume === true ? root : nonRoot,
  );
};

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

/** @throws DriverFailure (`unsupported`) */
export const levelOf = ({ raid_level: name }: LogicalDisk): Level => {
  const level = LEVELS.get(name);
  if (level === undefined)
    throw new DriverFailure('unsupported', `RAID level ${name} cannot be made over Redfish`);
  return level;
};

/** Ironic's name of a Redfish RAID level; the name itself when Ironic has none. */
export const levelName = (redfish: string): string =>
  [...LEVELS].find(([, level]) => level.redfish === redfish)?.[0] ?? redfish;
