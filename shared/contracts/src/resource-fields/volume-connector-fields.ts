import {
  catalogueOf,
  field,
  fieldsFrom,
  REQUIRED,
  REQUIRED_SORTABLE,
  SORTABLE,
  WRITABLE,
} from './catalogue.js';

const VOLUME_CONNECTOR_FIELDS = {
  uuid: field.givenUuid(32, SORTABLE),
  created_at: field.givenMoment(32, SORTABLE),
  updated_at: field.moment(32, SORTABLE),
  connector_id: field.givenText(32, REQUIRED_SORTABLE),
  extra: field.members(32, WRITABLE),
  type: field.givenText(32, REQUIRED_SORTABLE),
  node_uuid: field.givenUuid(32, REQUIRED),
};

/** Every field of a volume connector, in the order in which it is shown. */
export const VOLUME_CONNECTOR_CATALOGUE = catalogueOf({
  what: 'volume connector',
  fields: fieldsFrom(VOLUME_CONNECTOR_FIELDS),
  linkMembers: { links: 32 },
  listFields: ['uuid', 'node_uuid', 'type', 'connector_id'],
  tail: ['links', 'node_uuid'],
});
