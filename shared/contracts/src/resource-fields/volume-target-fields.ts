import { OutsideId } from '../ids.js';
import {
  catalogueOf,
  field,
  fieldsFrom,
  INDEXED,
  REQUIRED,
  REQUIRED_SORTABLE,
  SORTABLE,
  WRITABLE,
  type RecordWith,
} from './catalogue.js';
import { Counted, textOf } from './field-schemas.js';
import { onNode } from './node-filters.js';

const VOLUME_TARGET_FIELDS = {
  uuid: field.givenUuid(32, SORTABLE),
  created_at: field.givenMoment(32, SORTABLE),
  updated_at: field.moment(32, SORTABLE),
  boot_index: field.givenInteger(32, REQUIRED_SORTABLE, Counted),
  extra: field.members(32, WRITABLE),
  properties: field.members(32, WRITABLE),
  volume_id: field.givenText(32, { ...REQUIRED_SORTABLE, ...INDEXED }, OutsideId),
  volume_type: field.givenText(32, REQUIRED_SORTABLE, textOf(64)),
  node_uuid: field.givenUuid(32, { ...REQUIRED, ...INDEXED }),
};

export type VolumeTargetFields = RecordWith<typeof VOLUME_TARGET_FIELDS>;

/** Every field of a volume target, in the order of its view. */
export const VOLUME_TARGET_CATALOGUE = catalogueOf({
  what: 'volume target',
  since: 32,
  fields: fieldsFrom(VOLUME_TARGET_FIELDS),
  linkMembers: { links: 32 },
  listFields: ['uuid', 'node_uuid', 'volume_type', 'boot_index', 'volume_id'],
  tail: ['links', 'node_uuid'],
  filters: { node: onNode(32) },
});
