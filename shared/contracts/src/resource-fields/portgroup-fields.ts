import { catalogueOf, fieldsFrom } from './catalogue.js';

/** Every field of a port group, in the order in which it is shown. */
export const PORTGROUP_CATALOGUE = catalogueOf({
  fields: fieldsFrom([
    ['uuid', 'uuid', 23, 's'],
    ['created_at', 'timestamp', 23, 's'],
    ['updated_at', 'timestamp', 23, 's'],
    ['address', 'string', 23, 'ws'],
    ['extra', 'object', 23, 'w'],
    ['internal_info', 'object', 23],
    ['mode', 'string', 26, 'ws', 'active-backup'],
    ['name', 'string', 23, 'ws'],
    ['properties', 'object', 26, 'w'],
    ['standalone_ports_supported', 'boolean', 23, 'ws', true],
    ['node_uuid', 'uuid', 23, 'wr'],
    ['physical_network', 'string', 102, 'ws'],
    ['category', 'string', 103, 'ws'],
    ['dynamic_portgroup', 'boolean', 111, 's'],
  ]),
  linkMembers: { links: 23, ports: 24 },
  listFields: ['uuid', 'address', 'name'],
  tail: ['links', 'ports'],
});
