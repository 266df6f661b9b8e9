import { catalogueOf, field, fieldsFrom, INDEXED } from './catalogue.js';

const HANDOVER_FIELDS = {
  uuid: field.givenUuid(1),
  node_uuid: field.uuid(1, INDEXED),
  number: field.integer(1),
  cause: field.text(1),
  status: field.text(1, INDEXED),
  phase: field.text(1),
  reason: field.text(1),
  owner: field.text(1, INDEXED),
  from_project: field.text(1, INDEXED),
  to_project: field.text(1, INDEXED),
  plan: field.members(1),
  opened_at: field.moment(1),
  updated_at: field.moment(1),
  completed_at: field.moment(1),
  decision_id: field.text(1),
  request_id: field.text(1),
  user_id: field.text(1),
  lease_uuid: field.uuid(1, INDEXED),
  allocation_uuid: field.uuid(1),
  agent: field.text(1),
  steps: field.listOfMembers(1),
  erased: field.listOfMembers(1),
  put_back: field.members(1),
  firmware: field.listOfMembers(1),
  sealed: field.members(1),
  sealed_digest: field.text(1),
  previous: field.text(1),
  digest: field.text(1),
  signature: field.text(1),
};

/**
 * Every field of a handover, in the order of its view. Tenure's own, served at every microversion. `detail` of a
 * step is masked under the name `step_detail`.
 */
export const HANDOVER_CATALOGUE = catalogueOf({
  what: 'handover',
  since: 1,
  fields: fieldsFrom(HANDOVER_FIELDS),
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
