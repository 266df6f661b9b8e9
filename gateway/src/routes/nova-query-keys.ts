import { Type } from '@sinclair/typebox';
import { api, KeypairUser } from '@tenure/contracts';
import { flag, type KeyForm, text, Words } from './query-key.js';

const FORMS = {
  limit: text('Rows of a page.', Type.Integer({ minimum: 0 })),
  marker: text('The last row of the page before.'),
  sort_key: text('The member that the rows are sorted by.'),
  sort_dir: text('The order of the rows.', api.enumOf('asc', 'desc')),

  access_ip_v4: text('Servers with this access address.'),
  access_ip_v6: text('Servers with this access address.'),
  all_tenants: text('Servers of every project; the key alone says yes.'),
  auto_disk_config: text('Servers whose disk is configured so.'),
  availability_zone: text('Servers in this availability zone.'),
  'changes-before': text('Servers that changed at this time or before.'),
  'changes-since': text('Servers that changed at this time or after.'),
  config_drive: text('Servers with a config drive, or without one.'),
  created_at: text('Servers made at this time.'),
  deleted: flag('Servers that are gone.'),
  description: text('Servers whose description matches.'),
  flavor: text('Servers of this flavor.'),
  host: text('Servers on this host.'),
  hostname: text('Servers whose host name matches.'),
  image: text('Servers of this image.'),
  ip: text('Servers with an address that matches.'),
  ip6: text('Servers with an address that matches.'),
  kernel_id: text('Servers with this kernel.'),
  key_name: text('Servers with this key pair.'),
  launch_index: text('Servers with this launch index.'),
  launched_at: text('Servers launched at this time.'),
  locked: flag('Servers that are locked, or not.'),
  locked_by: text('Servers locked by their owner, or by an administrator.'),
  name: text('Servers whose name matches.'),
  node: text('Servers on this node.'),
  'not-tags': text('Servers that have not all of these tags.', Words),
  'not-tags-any': text('Servers that have none of these tags.', Words),
  pinned_availability_zone: text('Servers pinned to this availability zone.'),
  power_state: text('Servers in this power state.'),
  progress: text('Servers whose task is this far.'),
  project_id: text('Servers of this project.'),
  ramdisk_id: text('Servers with this ramdisk.'),
  reservation_id: text('Servers made by this request.'),
  root_device_name: text('Servers with this root device.'),
  soft_deleted: flag('Servers that are deleted but can be restored.'),
  status: text('Servers in this status.'),
  tags: text('Servers that have all of these tags.', Words),
  'tags-any': text('Servers that have one of these tags.', Words),
  task_state: text('Servers with this task.'),
  tenant_id: text('Servers of this project.'),
  terminated_at: text('Servers terminated at this time.'),
  uuid: text('The server with this id.'),
  vm_state: text('Servers in this state.'),

  is_public: text('Flavors for everyone, or not; `None`: both.'),
  minDisk: text('Flavors with at least this much disk, in GB.'),
  minRam: text('Flavors with at least this much memory, in MB.'),

  user_id: text('The user whose things these are; the caller when it is left out.', KeypairUser),
} as const satisfies Record<string, KeyForm>;

export type NovaQueryKey = keyof typeof FORMS;

/** Every key that a route of the compute API may take: those that Nova knows, of which its clients send no others. */
export const NOVA_QUERY_KEYS: Readonly<Record<NovaQueryKey, KeyForm>> = FORMS;
