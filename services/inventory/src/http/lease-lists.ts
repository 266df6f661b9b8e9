import {
  BadRequestError,
  type ContextClaims,
  LEASE_CATALOGUE,
  LEASE_STATUSES,
  minorOf,
  timestampOf,
} from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { type Request } from 'express';
import { type LeaseDependencies } from '../application/leases/find-lease.js';
import { listLeases } from '../application/leases/list-leases.js';
import { LEASE } from '../domain/kinds/lease.js';
import { type Condition } from '../ports/record-store.js';
import { conditionsIn, type Lookups } from './list-filters.js';
import { listParameters, listRequest, nextLink } from './list-query.js';
import { nodeLookup } from './node-lookup.js';
import { leaseRecordFields, leaseView } from './views/lease-view.js';

const PATH = '/v1/leases';

/**
 * The answer to `GET /v1/leases`.
 * @throws BadRequestError, NotFoundError
 */
export async function leaseList(
  deps: LeaseDependencies,
  request: Request,
): Promise<Readonly<Record<string, unknown>>> {
  const context = contextOf(request);
  const mode = { minor: minorOf(context), whole: false };
  const given = listParameters(request.query, LEASE_CATALOGUE, mode);
  const wanted = listRequest(given, LEASE_CATALOGUE, mode);
  const now = timestampOf(deps.now());
  const { where } = await conditionsIn(LEASE, given, lookupsOf(deps, context, now));
  const read = leaseRecordFields(wanted.fields);
  const { rows, more } = await listLeases(deps, { ...wanted, where, read }, context);
  const leases = rows.map((lease) => leaseView(lease, context, now, wanted.fields));
  const last = rows.at(-1);
  return more && last !== undefined
    ? { leases, next: nextLink(PATH, wanted, last.uuid, context.public_base) }
    : { leases };
}

const lookupsOf = (
  { stores }: LeaseDependencies,
  { obligations }: ContextClaims,
  now: string,
): Lookups => ({
  node: nodeLookup(stores.nodes, obligations.filter, 'node_uuid'),
  status: (status) => Promise.resolve({ where: withStatus(status, now) }),
});

/** The condition for `status`. A lease past its end is not active, even if no write has recorded that yet. */
function withStatus(status: string, now: string): readonly Condition[] {
  if (!(LEASE_STATUSES as readonly string[]).includes(status))
    throw new BadRequestError(`Lease status "${status.slice(0, 64)}" is not valid`);
  const equal: Condition = { field: 'status', op: 'eq', value: status };
  return status === 'active'
    ? [equal, { field: 'end_time', op: 'null_or_above', value: now }]
    : [equal];
}
