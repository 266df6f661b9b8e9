/** The members of a logical disk in a `target_raid_config`, with their descriptions. */
export const LOGICAL_DISK_PROPERTIES: Readonly<Record<string, string>> = {
  controller: 'Name of the controller to build the disk on. Chosen by the driver when left out.',
  disk_type: "Kind of physical disk to prefer: 'hdd' or 'ssd'. Optional.",
  interface_type: "Interface of the physical disks: 'sata', 'scsi' or 'sas'. Optional.",
  is_root_volume: 'True for the disk that the system is to be installed on. Optional.',
  number_of_physical_disks:
    'How many physical disks to use. By default the fewest that the RAID level allows.',
  physical_disks: 'Names of the physical disks to use; needs the controller too. Optional.',
  raid_level: "One of 'JBOD', '0', '1', '2', '5', '6', '1+0', '5+0', '6+0'. Required.",
  share_physical_disks: 'True when other logical disks may use the same physical disks. Optional.',
  size_gb: "Size in GiB, or 'MAX' for all the space that is left. Required.",
  volume_name: 'Name of the volume. Made up by the driver when left out.',
};
