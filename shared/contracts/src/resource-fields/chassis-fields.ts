import { catalogueOf, fieldsFrom } from './catalogue.js';

/** Every field of a chassis, in the order in which it is shown. */
export const CHASSIS_CATALOGUE = catalogueOf({
  fields: fieldsFrom([
    ['uuid', 'uuid', 1, 's'],
    ['created_at', 'timestamp', 1, 's'],
    ['updated_at', 'timestamp', 1, 's'],
    ['description', 'string', 1, 'ws'],
    ['extra', 'object', 1, 'w'],
  ]),
  linkMembers: { links: 1, nodes: 1 },
  listFields: ['uuid', 'description'],
  tail: ['links', 'nodes'],
});
