import {
  catalogueOf,
  field,
  fieldsFrom,
  INDEXED,
  SORTABLE,
  UNIQUE,
  type RecordWith,
} from './catalogue.js';
import { onNode } from './node-filters.js';

/** The state of an allocation: it ends `active` on one node, or in `error` with `last_error`. */
export const ALLOCATION_STATES = ['allocating', 'active', 'error'] as const;
export type AllocationState = (typeof ALLOCATION_STATES)[number];

const ALLOCATION_FIELDS = {
  uuid: field.givenUuid(52, SORTABLE),
  created_at: field.givenMoment(52, SORTABLE),
  updated_at: field.moment(52, SORTABLE),
  /** UUIDs, resolved from what the caller sent. */
  candidate_nodes: field.texts(52),
  extra: field.members(52),
  last_error: field.text(52, SORTABLE),
  name: field.text(52, { ...SORTABLE, ...UNIQUE }),
  owner: field.text(60, {
    ...SORTABLE,
    ...INDEXED,
    filter: { about: 'Allocations of this project.' },
  }),
  resource_class: field.text(52, {
    ...SORTABLE,
    ...INDEXED,
    filter: { about: 'Allocations of this resource class.' },
  }),
  state: field.oneOf(ALLOCATION_STATES, 52, 'allocating', {
    ...SORTABLE,
    ...INDEXED,
    filter: { about: 'Allocations in this state.' },
  }),
  traits: field.texts(52),
  node_uuid: field.uuid(52, INDEXED),
};

export type AllocationFields = RecordWith<typeof ALLOCATION_FIELDS>;

/** Every field of an allocation, in the order of its view. */
export const ALLOCATION_CATALOGUE = catalogueOf({
  what: 'allocation',
  since: 52,
  fields: fieldsFrom(ALLOCATION_FIELDS),
  linkMembers: { links: 52 },
  listFields: Object.keys(ALLOCATION_FIELDS),
  tail: ['links', 'node_uuid'],
  filters: { node: onNode(52) },
});
