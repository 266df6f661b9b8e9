import { catalogueOf, fieldsFrom } from './catalogue.js';

/**
 * Every field of a handover, in the order in which it is shown. Tenure's own, served at every microversion. `detail` of a
 * step is masked under the name `step_detail`.
 */
export const HANDOVER_CATALOGUE = catalogueOf({
  fields: fieldsFrom([
    ['uuid', 'uuid', 1],
    ['node_uuid', 'uuid', 1],
    ['number', 'integer', 1],
    ['cause', 'string', 1],
    ['status', 'string', 1],
    ['phase', 'string', 1],
    ['reason', 'string', 1],
    ['owner', 'string', 1],
    ['from_project', 'string', 1],
    ['to_project', 'string', 1],
    ['plan', 'object', 1],
    ['opened_at', 'timestamp', 1],
    ['updated_at', 'timestamp', 1],
    ['completed_at', 'timestamp', 1],
    ['decision_id', 'string', 1],
    ['request_id', 'string', 1],
    ['user_id', 'string', 1],
    ['lease_uuid', 'uuid', 1],
    ['allocation_uuid', 'uuid', 1],
    ['agent', 'string', 1],
    ['steps', 'object_list', 1],
    ['erased', 'object_list', 1],
    ['put_back', 'object', 1],
    ['firmware', 'object_list', 1],
    ['sealed', 'object', 1],
    ['sealed_digest', 'string', 1],
    ['previous', 'string', 1],
    ['digest', 'string', 1],
    ['signature', 'string', 1],
  ]),
  linkMembers: { links: 1 },
  listFields: [
    'uuid',
    'number',
    'cause',
    'status',
    'from_project',
    'to_project',
    'opened_at',
    'completed_at',
  ],
  tail: ['links'],
});
