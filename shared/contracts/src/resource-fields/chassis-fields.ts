import {
  catalogueOf,
  field,
  fieldsFrom,
  SORTABLE,
  WRITABLE,
  WRITABLE_SORTABLE,
  type RecordWith,
} from './catalogue.js';

const CHASSIS_FIELDS = {
  uuid: field.givenUuid(1, SORTABLE),
  created_at: field.givenMoment(1, SORTABLE),
  updated_at: field.moment(1, SORTABLE),
  description: field.text(1, WRITABLE_SORTABLE),
  extra: field.members(1, WRITABLE),
};

export type ChassisFields = RecordWith<typeof CHASSIS_FIELDS>;

/** Every field of a chassis, in the order of its view. */
export const CHASSIS_CATALOGUE = catalogueOf({
  what: 'chassis',
  since: 1,
  fields: fieldsFrom(CHASSIS_FIELDS),
  linkMembers: { links: 1, nodes: 1 },
  listFields: ['uuid', 'description'],
  tail: ['links', 'nodes'],
  viewSince: { fields: 8, detail: 43 },
});
