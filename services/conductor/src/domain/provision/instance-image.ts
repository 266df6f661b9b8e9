import { type NodeRecord } from '@tenure/contracts';
import { DriverFailure } from '../driver-failure.js';
import { type Fields } from '../members.js';
import { isImageAddress } from '../virtual-media.js';

const DESCRIPTION = 'failed to validate deploy image info';

const MIB_PER_GIB = 1024;

/** Whether the image is of a file system that a partition is made for, and not of a whole disk. */
export const isPartitionImage = (node: NodeRecord): boolean =>
  infoOf(node)['image_type'] === 'partition';

/**
 * Checks the image that an agent is to write to the disk, with Ironic's messages.
 * @throws DriverFailure (`settings`)
 */
export function checkInstanceImage(node: NodeRecord): void {
  const info = infoOf(node);
  const source = textIn(info, 'image_source');
  const missing = [
    ...(source === undefined ? ['instance_info.image_source'] : []),
    ...(isPartitionImage(node) && info['root_gb'] === undefined ? ['instance_info.root_gb'] : []),
  ];
  if (source === undefined || missing.length > 0)
    throw new DriverFailure(
      'settings',
      `Node ${node.uuid} ${DESCRIPTION}. Some parameters were missing. Missing are: [${missing.map((name) => `'${name}'`).join(', ')}]`,
    );
  if (!isImageAddress(source))
    throw new DriverFailure(
      'settings',
      `Node ${node.uuid} ${DESCRIPTION}. image_source must be an http or https address`,
    );
  const isChecked =
    textIn(info, 'image_checksum') !== undefined ||
    (textIn(info, 'image_os_hash_algo') !== undefined &&
      textIn(info, 'image_os_hash_value') !== undefined);
  if (!isChecked)
    throw new DriverFailure(
      'settings',
      `Node ${node.uuid} ${DESCRIPTION}. image_source's "image_checksum", or "image_os_hash_algo" and "image_os_hash_value" must be provided in instance_info`,
    );
}

/** The `image_info` parameter of the agent's `standby.prepare_image`. */
export function imageInfoOf(node: NodeRecord): Fields {
  const info = infoOf(node);
  const source = textIn(info, 'image_source') ?? '';
  const present: Fields = {
    checksum: info['image_checksum'],
    os_hash_algo: info['image_os_hash_algo'],
    os_hash_value: info['image_os_hash_value'],
    disk_format: info['image_disk_format'],
    container_format: info['image_container_format'],
  };
  return {
    id: source.split('/').at(-1) ?? source,
    urls: [source],
    ...Object.fromEntries(
      Object.entries(present).filter(([, value]) => value !== undefined && value !== null),
    ),
    stream_raw_images: true,
    node_uuid: node.uuid,
    ...(isPartitionImage(node) ? partitions(node, info) : { image_type: 'whole-disk' }),
  };
}

const infoOf = (node: NodeRecord): Fields => node.instance_info;

function textIn(info: Fields, name: string): string | undefined {
  const value = info[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const partitions = (node: NodeRecord, info: Fields): Fields => ({
  image_type: 'partition',
  root_mb: mebibytes(info, 'root'),
  swap_mb: mebibytes(info, 'swap'),
  ephemeral_mb: mebibytes(info, 'ephemeral'),
  ephemeral_format: info['ephemeral_format'] ?? null,
  preserve_ephemeral: info['preserve_ephemeral'] ?? false,
  deploy_boot_mode: node.boot_mode ?? 'uefi',
  boot_option: 'local',
});

function mebibytes(info: Fields, name: string): number {
  const gib = Number(info[`${name}_gb`] ?? 0);
  const mib = Number(info[`${name}_mb`] ?? gib * MIB_PER_GIB);
  return Number.isSafeInteger(mib) && mib >= 0 ? mib : 0;
}
