import { Type } from '@sinclair/typebox';
import { NewLeaseEnd } from '../api/leases.js';
import { enumOf } from '../api/values.js';
import { TenancyId } from '../ids.js';
import { LEASE_STATUSES } from '../lease-record.js';
import {
  catalogueOf,
  field,
  fieldsFrom,
  INDEXED,
  REQUIRED,
  REQUIRED_SORTABLE,
  SORTABLE,
  WRITABLE,
  WRITABLE_SORTABLE,
} from './catalogue.js';
import { onNode } from './node-filters.js';

const LEASE_FIELDS = {
  uuid: field.givenUuid(1, SORTABLE),
  created_at: field.givenMoment(1, SORTABLE),
  updated_at: field.moment(1, SORTABLE),
  node_uuid: field.givenUuid(1, { ...REQUIRED, ...INDEXED }),
  owner: field.text(1, {
    ...SORTABLE,
    ...INDEXED,
    filter: { about: 'Leases of nodes of this project.' },
  }),
  lessee: field.givenText(
    1,
    {
      ...REQUIRED_SORTABLE,
      ...INDEXED,
      filter: { about: 'Leases of what is lent to this project.' },
    },
    TenancyId,
  ),
  status: field.textFrom(1, 'pending', {
    ...SORTABLE,
    ...INDEXED,
    filter: {
      test: 'lookup',
      about: 'Leases with this status.',
      schema: enumOf(...LEASE_STATUSES),
    },
  }),
  reason: field.text(1),
  start_time: field.moment(1, { ...WRITABLE_SORTABLE, ...INDEXED }),
  end_time: field.givenMoment(
    1,
    REQUIRED_SORTABLE,
    Type.String({ format: 'date-time', maxLength: 40 }),
  ),
  started_at: field.moment(1, SORTABLE),
  ended_at: field.moment(1, SORTABLE),
  on_end: field.members(1, WRITABLE, NewLeaseEnd),
  purpose: field.text(1, WRITABLE),
  sealed: field.optionalMembers(1),
};

/** Every field of a lease, in the order of its view. Tenure's own, served at every microversion. */
export const LEASE_CATALOGUE = catalogueOf({
  what: 'lease',
  since: 1,
  fields: fieldsFrom(LEASE_FIELDS),
  linkMembers: { links: 1 },
  listFields: ['uuid', 'node_uuid', 'owner', 'lessee', 'status', 'start_time', 'end_time'],
  tail: ['links'],
  filters: { node: onNode(1) },
});
