import { catalogueOf, fieldsFrom } from './catalogue.js';

/** Every field of a port, in the order in which it is shown. */
export const PORT_CATALOGUE = catalogueOf({
  fields: fieldsFrom([
    ['uuid', 'uuid', 1, 's'],
    ['created_at', 'timestamp', 1, 's'],
    ['updated_at', 'timestamp', 1, 's'],
    ['address', 'string', 1, 'wsr'],
    ['extra', 'object', 1, 'w'],
    ['internal_info', 'object', 18],
    ['is_smartnic', 'boolean', 53, 'ws'],
    ['local_link_connection', 'object', 19, 'w'],
    ['physical_network', 'string', 34, 'ws'],
    ['pxe_enabled', 'boolean', 19, 'ws', true],
    ['node_uuid', 'uuid', 1, 'wr'],
    ['name', 'string', 88, 'ws'],
    ['description', 'string', 97, 'w'],
    ['vendor', 'string', 100, 'ws'],
    ['category', 'string', 101, 'ws'],
    ['available_for_dynamic_portgroup', 'boolean', 111, 'ws', true],
    ['portgroup_uuid', 'uuid', 24, 'w'],
  ]),
  linkMembers: { links: 1 },
  listFields: ['uuid', 'address'],
  tail: ['links', 'portgroup_uuid'],
});
