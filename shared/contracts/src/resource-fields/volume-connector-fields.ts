import { catalogueOf, fieldsFrom } from './catalogue.js';

/** Every field of a volume connector, in the order in which it is shown. */
export const VOLUME_CONNECTOR_CATALOGUE = catalogueOf({
  fields: fieldsFrom([
    ['uuid', 'uuid', 32, 's'],
    ['created_at', 'timestamp', 32, 's'],
    ['updated_at', 'timestamp', 32, 's'],
    ['connector_id', 'string', 32, 'wsr'],
    ['extra', 'object', 32, 'w'],
    ['type', 'string', 32, 'wsr'],
    ['node_uuid', 'uuid', 32, 'wr'],
  ]),
  linkMembers: { links: 32 },
  listFields: ['uuid', 'node_uuid', 'type', 'connector_id'],
  tail: ['links', 'node_uuid'],
});
