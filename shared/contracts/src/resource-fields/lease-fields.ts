import { catalogueOf, fieldsFrom } from './catalogue.js';

/** Every field of a lease, in the order in which it is shown. Tenure's own, served at every microversion. */
export const LEASE_CATALOGUE = catalogueOf({
  fields: fieldsFrom([
    ['uuid', 'uuid', 1, 's'],
    ['created_at', 'timestamp', 1, 's'],
    ['updated_at', 'timestamp', 1, 's'],
    ['node_uuid', 'uuid', 1, 'wr'],
    ['owner', 'string', 1, 's'],
    ['lessee', 'string', 1, 'wsr'],
    ['status', 'string', 1, 's', 'pending'],
    ['reason', 'string', 1],
    ['start_time', 'timestamp', 1, 'ws'],
    ['end_time', 'timestamp', 1, 'wsr'],
    ['started_at', 'timestamp', 1, 's'],
    ['ended_at', 'timestamp', 1, 's'],
    ['on_end', 'object', 1, 'w'],
    ['purpose', 'string', 1, 'w'],
    ['sealed', 'object', 1, '', null],
  ]),
  linkMembers: { links: 1 },
  listFields: ['uuid', 'node_uuid', 'owner', 'lessee', 'status', 'start_time', 'end_time'],
  tail: ['links'],
});
