import {
  catalogueOf,
  field,
  fieldsFrom,
  REQUIRED,
  REQUIRED_SORTABLE,
  SORTABLE,
  WRITABLE,
  WRITABLE_SORTABLE,
  type RecordWith,
} from './catalogue.js';
import { MacAddress, nullableText } from './field-schemas.js';

const PORT_FIELDS = {
  uuid: field.givenUuid(1, SORTABLE),
  created_at: field.givenMoment(1, SORTABLE),
  updated_at: field.moment(1, SORTABLE),
  address: field.givenText(1, REQUIRED_SORTABLE, MacAddress),
  extra: field.members(1, WRITABLE),
  internal_info: field.members(18),
  is_smartnic: field.flag(53, WRITABLE_SORTABLE),
  local_link_connection: field.members(19, WRITABLE),
  physical_network: field.text(34, WRITABLE_SORTABLE, nullableText(64, 1)),
  pxe_enabled: field.flagOn(19, WRITABLE_SORTABLE),
  node_uuid: field.givenUuid(1, REQUIRED),
  name: field.text(88, WRITABLE_SORTABLE),
  description: field.text(97, WRITABLE),
  vendor: field.text(100, WRITABLE_SORTABLE, nullableText(32)),
  category: field.text(101, WRITABLE_SORTABLE, nullableText(80)),
  available_for_dynamic_portgroup: field.flagOn(111, WRITABLE_SORTABLE),
  portgroup_uuid: field.uuid(24, WRITABLE),
};

export type PortFields = RecordWith<typeof PORT_FIELDS>;

/** Every field of a port, in the order in which it is shown. */
export const PORT_CATALOGUE = catalogueOf({
  what: 'port',
  fields: fieldsFrom(PORT_FIELDS),
  linkMembers: { links: 1 },
  listFields: ['uuid', 'address'],
  tail: ['links', 'portgroup_uuid'],
});
