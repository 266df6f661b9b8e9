import { catalogueOf, fieldsFrom } from './catalogue.js';

/** Every field of a volume target, in the order in which it is shown. */
export const VOLUME_TARGET_CATALOGUE = catalogueOf({
  fields: fieldsFrom([
    ['uuid', 'uuid', 32, 's'],
    ['created_at', 'timestamp', 32, 's'],
    ['updated_at', 'timestamp', 32, 's'],
    ['boot_index', 'integer', 32, 'wsr'],
    ['extra', 'object', 32, 'w'],
    ['properties', 'object', 32, 'w'],
    ['volume_id', 'string', 32, 'wsr'],
    ['volume_type', 'string', 32, 'wsr'],
    ['node_uuid', 'uuid', 32, 'wr'],
  ]),
  linkMembers: { links: 32 },
  listFields: ['uuid', 'node_uuid', 'volume_type', 'boot_index', 'volume_id'],
  tail: ['links', 'node_uuid'],
});
