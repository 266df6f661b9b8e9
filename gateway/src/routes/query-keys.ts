import { Type } from '@sinclair/typebox';
import { api, LEASE_STATUSES } from '@tenure/contracts';
import { flag, type KeyForm, naming, text, Words } from './query-key.js';

const FORMS = {
  limit: text('Rows of a page, of which 1000 are given at most.', Type.Integer({ minimum: 1 })),
  marker: naming('The last row of the page before: its UUID, or the name of a conductor.'),
  sort_key: text('The member that the rows are sorted by.'),
  sort_dir: text('The order of the rows.', api.enumOf('asc', 'desc')),
  fields: text('The members that are shown; not together with detail.', Words),
  detail: flag('Shows every member of each row.'),

  address: text('Rows with this MAC address.'),
  addresses: text('MAC addresses of a machine.', Words),
  associated: flag('Nodes with an instance, or without one.'),
  chassis_uuid: text('Nodes in this chassis.', api.Uuid),
  conductor: text('Nodes that this conductor serves.'),
  conductor_group: text('Nodes of this conductor group.'),
  conductor_groups: text('Rows on nodes of these conductor groups.', Words),
  description_contains: text('Nodes whose description contains this text.'),
  device_types: text('Virtual drives that are emptied; all of them when left out.', Words),
  driver: text('Nodes with this driver.'),
  fault: text('Nodes with this fault.'),
  include_children: flag('Shows nodes that are parts of others as well.'),
  instance_name: text('Nodes with an instance of this name.'),
  instance_uuid: text('The node with this instance.', api.Uuid),
  lessee: text('Rows of what is lent to this project.'),
  maintenance: flag('Nodes in maintenance, or not.'),
  manage_boot: flag('Whether the hardware is made to boot for the inspection.'),
  method: text('The name of the method.'),
  node: naming('UUID or name of a node.'),
  node_uuid: naming('UUID of a node.', api.Uuid),
  owner: text('Rows of this project.'),
  parent_node: naming('Nodes that are parts of this one.'),
  portgroup: naming('UUID or name of a port group.'),
  provision_state: text('Nodes in this state.'),
  reset_interfaces: flag('Sets interfaces to the defaults of the new driver.'),
  resource_class: text('Rows of this resource class.'),
  retired: flag('Nodes that are retired, or not.'),
  shard: text('Rows on nodes of these shards.', Words),
  sharded: flag('Nodes with a shard, or without one.'),
  status: text('Leases with this status.', api.enumOf(...LEASE_STATUSES)),
  state: text('Rows in this state.'),
  type: text('Drivers of this type.', api.enumOf('classic', 'dynamic')),
} as const satisfies Record<string, KeyForm>;

export type QueryKey = keyof typeof FORMS;

/** Every key that a route of the bare-metal API may take. */
export const QUERY_KEYS: Readonly<Record<QueryKey, KeyForm>> = FORMS;
