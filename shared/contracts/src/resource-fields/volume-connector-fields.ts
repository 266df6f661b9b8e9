import { enumOf } from '../api/values.js';
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
import { onNode } from './node-filters.js';

const CONNECTOR_TYPES = ['iqn', 'ip', 'mac', 'wwnn', 'wwpn', 'port', 'portgroup'] as const;

const VOLUME_CONNECTOR_FIELDS = {
  uuid: field.givenUuid(32, SORTABLE),
  created_at: field.givenMoment(32, SORTABLE),
  updated_at: field.moment(32, SORTABLE),
  connector_id: field.givenText(32, { ...REQUIRED_SORTABLE, ...INDEXED }, OutsideId),
  extra: field.members(32, WRITABLE),
  type: field.givenText(32, REQUIRED_SORTABLE, enumOf(...CONNECTOR_TYPES)),
  node_uuid: field.givenUuid(32, { ...REQUIRED, ...INDEXED }),
};

export type VolumeConnectorFields = RecordWith<typeof VOLUME_CONNECTOR_FIELDS>;

/** Every field of a volume connector, in the order of its view. */
export const VOLUME_CONNECTOR_CATALOGUE = catalogueOf({
  what: 'volume connector',
  since: 32,
  fields: fieldsFrom(VOLUME_CONNECTOR_FIELDS),
  linkMembers: { links: 32 },
  listFields: ['uuid', 'node_uuid', 'type', 'connector_id'],
  tail: ['links', 'node_uuid'],
  filters: { node: onNode(32) },
});
