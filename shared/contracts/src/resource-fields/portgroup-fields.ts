import {
  catalogueOf,
  field,
  fieldsFrom,
  REQUIRED,
  SORTABLE,
  WRITABLE,
  WRITABLE_SORTABLE,
  type RecordWith,
} from './catalogue.js';
import { BondMode, NullableMacAddress, nullableText } from './field-schemas.js';

const PORTGROUP_FIELDS = {
  uuid: field.givenUuid(23, SORTABLE),
  created_at: field.givenMoment(23, SORTABLE),
  updated_at: field.moment(23, SORTABLE),
  address: field.text(23, WRITABLE_SORTABLE, NullableMacAddress),
  extra: field.members(23, WRITABLE),
  internal_info: field.members(23),
  mode: field.textFrom(26, 'active-backup', WRITABLE_SORTABLE, BondMode),
  name: field.text(23, WRITABLE_SORTABLE),
  properties: field.members(26, WRITABLE),
  standalone_ports_supported: field.flagOn(23, WRITABLE_SORTABLE),
  node_uuid: field.givenUuid(23, REQUIRED),
  physical_network: field.text(102, WRITABLE_SORTABLE, nullableText(64, 1)),
  category: field.text(103, WRITABLE_SORTABLE, nullableText(80)),
  dynamic_portgroup: field.flag(111, SORTABLE),
};

export type PortgroupFields = RecordWith<typeof PORTGROUP_FIELDS>;

/** Every field of a port group, in the order in which it is shown. */
export const PORTGROUP_CATALOGUE = catalogueOf({
  what: 'portgroup',
  fields: fieldsFrom(PORTGROUP_FIELDS),
  linkMembers: { links: 23, ports: 24 },
  listFields: ['uuid', 'address', 'name'],
  tail: ['links', 'ports'],
});
