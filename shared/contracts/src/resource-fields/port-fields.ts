import { Uuid } from '../api/values.js';
import {
  catalogueOf,
  field,
  fieldsFrom,
  INDEXED,
  REQUIRED,
  REQUIRED_SORTABLE,
  SORTABLE,
  UNIQUE,
  WRITABLE,
  WRITABLE_SORTABLE,
  type RecordWith,
} from './catalogue.js';
import { MacAddress, nullableText } from './field-schemas.js';
import { CONDUCTOR_GROUPS_OF_NODE, onNode, SHARD_OF_NODE } from './node-filters.js';

const PORT_FIELDS = {
  uuid: field.givenUuid(1, SORTABLE),
  created_at: field.givenMoment(1, SORTABLE),
  updated_at: field.moment(1, SORTABLE),
  address: field.givenText(
    1,
    { ...REQUIRED_SORTABLE, ...UNIQUE, filter: { about: 'Rows with this MAC address.' } },
    MacAddress,
  ),
  extra: field.members(1, WRITABLE),
  internal_info: field.members(18),
  is_smartnic: field.flag(53, WRITABLE_SORTABLE),
  local_link_connection: field.members(19, WRITABLE),
  physical_network: field.text(34, WRITABLE_SORTABLE, nullableText(64, 1)),
  pxe_enabled: field.flagOn(19, WRITABLE_SORTABLE),
  node_uuid: field.givenUuid(1, { ...REQUIRED, ...INDEXED }),
  name: field.text(88, { ...WRITABLE_SORTABLE, ...UNIQUE }),
  description: field.text(97, WRITABLE),
  vendor: field.text(100, WRITABLE_SORTABLE, nullableText(32)),
  category: field.text(101, WRITABLE_SORTABLE, nullableText(80)),
  available_for_dynamic_portgroup: field.flagOn(111, WRITABLE_SORTABLE),
  portgroup_uuid: field.uuid(24, { ...WRITABLE, ...INDEXED }),
};

export type PortFields = RecordWith<typeof PORT_FIELDS>;

/** Every field of a port, in the order of its view. */
export const PORT_CATALOGUE = catalogueOf({
  what: 'port',
  since: 1,
  fields: fieldsFrom(PORT_FIELDS),
  linkMembers: { links: 1 },
  listFields: ['uuid', 'address'],
  tail: ['links', 'portgroup_uuid'],
  filters: {
    node: onNode(6),
    node_uuid: { ...onNode(1), about: 'UUID of a node.', schema: Uuid },
    portgroup: { ...onNode(24), about: 'UUID or name of a port group.' },
    shard: SHARD_OF_NODE,
    description_contains: {
      since: 97,
      field: 'description',
      test: 'contains',
      about: 'Rows whose description contains this text.',
    },
    conductor_groups: CONDUCTOR_GROUPS_OF_NODE,
  },
  viewSince: { fields: 8, detail: 43 },
});
