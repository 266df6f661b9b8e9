import { gzipSync } from 'node:zlib';
import { isJsonObject, type NodeRecord } from '@tenure/contracts';
import { isoImage } from '../../domain/iso9660.js';
import { type Fields, membersOf } from '../../domain/members.js';

/** Versions of the layout in which the files are found, as OpenStack's clients build it. */
const VERSIONS = ['2012-08-10', 'latest'];

/** The configuration drive of an instance as agents take it: gzip in base64, or an address. Undefined when it has none. */
export function configDriveOf(node: NodeRecord): string | undefined {
  const drive = node.instance_info['configdrive'];
  if (typeof drive === 'string' && drive !== '') return drive;
  if (!isJsonObject(drive)) return undefined;
  const files = filesOf(node, drive);
  const tree = Object.fromEntries(VERSIONS.map((version) => [version, files]));
  return gzipSync(isoImage('config-2', { openstack: tree })).toString('base64');
}

function filesOf(node: NodeRecord, drive: Fields): Readonly<Record<string, string>> {
  const given = membersOf(drive['meta_data']);
  const named = node.name === null ? {} : { name: node.name };
  const files: Fields = {
    'meta_data.json': { uuid: node.uuid, ...named, ...given },
    'network_data.json': drive['network_data'],
    'vendor_data2.json': drive['vendor_data'],
    user_data: drive['user_data'],
  };
  return Object.fromEntries(
    Object.entries(files)
      .filter(([, content]) => content !== undefined && content !== null)
      .map(([name, content]) => [name, textOf(content)]),
  );
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
