import {
  BadRequestError,
  type ContextClaims,
  LEASE_CATALOGUE,
  LEASE_STATUSES,
  minorOf,
  NotFoundError,
  timestampOf,
} from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { type Request } from 'express';
import { type LeaseDependencies } from '../application/leases/find-lease.js';
import { listLeases } from '../application/leases/list-leases.js';
import { findLinkable } from '../application/parent-node.js';
import { type Condition } from '../ports/record-store.js';
import { listParameters, listRequest, type ListRules, nextLink } from './list-query.js';
import { leaseRecordFields, leaseView } from './views/lease-view.js';

const PATH = '/v1/leases';

const RULES: ListRules = {
  catalogue: LEASE_CATALOGUE,
  filters: { node: 1, owner: 1, lessee: 1, status: 1 },
  since: { fields: 1, detail: 1 },
  fieldsText: LEASE_CATALOGUE.listFields.join(','),
};

/** @throws NotFoundError for a node that is missing or that the caller may not see */
const onNode = async (
  { stores }: LeaseDependencies,
  ident: string,
  { obligations }: ContextClaims,
): Promise<Condition> => {
  const node = await findLinkable(stores.nodes, ident, obligations.filter);
  if (node === undefined) throw NotFoundError.of('Node', ident);
  return { field: 'node_uuid', op: 'eq', value: node.uuid };
};

/** What `status` asks for. A lease whose end has come is not active, though nobody may have written that down yet. */
const withStatus = (status: string, now: string): readonly Condition[] => {
  if (!(LEASE_STATUSES as readonly string[]).includes(status))
    throw new BadRequestError(`Lease status "${status.slice(0, 64)}" is not valid`);
  const equal: Condition = { field: 'status', op: 'eq', value: status };
  return status === 'active'
    ? [equal, { field: 'end_time', op: 'null_or_above', value: now }]
    : [equal];
};

const equal = (field: string, value: string | undefined): readonly Condition[] =>
  value === undefined ? [] : [{ field, op: 'eq', value }];

/**
 * The answer to `GET /v1/leases`.
 * @throws BadRequestError, NotFoundError
 */
export const leaseList = async (
  deps: LeaseDependencies,
  request: Request,
): Promise<Readonly<Record<string, unknown>>> => {
  const context = contextOf(request);
  const mode = { minor: minorOf(context), whole: false };
  const given = listParameters(request.query, RULES, mode);
  const wanted = listRequest(given, RULES, mode);
  const { node, owner, lessee, status } = given;
  const now = timestampOf(deps.now());
  const where = [
    ...(node === undefined ? [] : [await onNode(deps, node, context)]),
    ...equal('owner', owner),
    ...equal('lessee', lessee),
    ...(status === undefined ? [] : withStatus(status, now)),
  ];
  const read = leaseRecordFields(wanted.fields);
  const { rows, more } = await listLeases(deps, { ...wanted, where, read }, context);
  const leases = rows.map((lease) => leaseView(lease, context, now, wanted.fields));
  const last = rows.at(-1);
  return more && last !== undefined
    ? { leases, next: nextLink(PATH, wanted, last.uuid, context.public_base) }
    : { leases };
};
