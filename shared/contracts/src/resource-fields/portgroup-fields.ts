import {
  catalogueOf,
  field,
  fieldsFrom,
  INDEXED,
  REQUIRED,
  SORTABLE,
  UNIQUE,
  WRITABLE,
  WRITABLE_SORTABLE,
  type RecordWith,
} from './catalogue.js';
import { BondMode, NullableMacAddress, nullableText } from './field-schemas.js';
import { CONDUCTOR_GROUPS_OF_NODE, onNode, SHARD_OF_NODE } from './node-filters.js';

const PORTGROUP_FIELDS = {
  uuid: field.givenUuid(23, SORTABLE),
  created_at: field.givenMoment(23, SORTABLE),
  updated_at: field.moment(23, SORTABLE),
  address: field.text(
    23,
    { ...WRITABLE_SORTABLE, ...UNIQUE, filter: { about: 'Rows with this MAC address.' } },
    NullableMacAddress,
  ),
  extra: field.members(23, WRITABLE),
  internal_info: field.members(23),
  mode: field.textFrom(26, 'active-backup', WRITABLE_SORTABLE, BondMode),
  name: field.text(23, { ...WRITABLE_SORTABLE, ...UNIQUE }),
  properties: field.members(26, WRITABLE),
  standalone_ports_supported: field.flagOn(23, WRITABLE_SORTABLE),
  node_uuid: field.givenUuid(23, { ...REQUIRED, ...INDEXED }),
  physical_network: field.text(102, WRITABLE_SORTABLE, nullableText(64, 1)),
  category: field.text(103, WRITABLE_SORTABLE, nullableText(80)),
  dynamic_portgroup: field.flag(111, SORTABLE),
};

export type PortgroupFields = RecordWith<typeof PORTGROUP_FIELDS>;

/** Every field of a port group, in the order of its view. */
export const PORTGROUP_CATALOGUE = catalogueOf({
  what: 'portgroup',
  since: 23,
  fields: fieldsFrom(PORTGROUP_FIELDS),
  linkMembers: { links: 23, ports: 24 },
  listFields: ['uuid', 'address', 'name'],
  tail: ['links', 'ports'],
  filters: {
    node: onNode(23),
    shard: SHARD_OF_NODE,
    conductor_groups: CONDUCTOR_GROUPS_OF_NODE,
  },
  viewSince: { fields: 23, detail: 43 },
});
