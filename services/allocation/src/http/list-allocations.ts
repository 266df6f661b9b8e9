import { AppError, type ContextClaims, minorOf, NotFoundError } from '@tenure/contracts';
import { callContextOf } from '@tenure/signed-context';
import { EVERYTHING } from '../domain/node-filter.js';
import {
  type AllocationPage,
  type AllocationQuery,
  type AllocationStore,
} from '../ports/allocation-store.js';
import { type NodePool } from '../ports/node-pool.js';
import { allocationView, recordFieldsOf } from './allocation-view.js';
import { type ListQuery, readListQuery } from './list-query.js';

export interface ListDeps {
  readonly store: AllocationStore;
  readonly pool: NodePool;
}

// No node has it: asks for no rows, with every check and step of a list that has some.
const NO_NODE = '00000000-0000-0000-0000-000000000000';

/**
 * The body of `GET /v1/allocations`: a page of the rows that the policy lets the caller see.
 * @throws BadRequestError, NotAcceptableError, NotFoundError (marker)
 */
export async function listAllocations(
  deps: ListDeps,
  claims: ContextClaims,
  rawQuery: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const minor = minorOf(claims);
  const query = readListQuery(rawQuery, minor);
  const { allocations, more } = await pageOf(deps, query, claims);
  const { public_base: publicBase } = claims;
  const { masked } = claims.obligations.fields;
  const options = {
    minor,
    publicBase,
    masked,
    ...(query.fields !== undefined && { fields: query.fields }),
  };
  const last = allocations.at(-1);
  return {
    allocations: allocations.map((record) => allocationView(record, options)),
    ...(more && last !== undefined && { next: nextUrl(query, publicBase, last.uuid) }),
  };
}

async function pageOf(
  deps: ListDeps,
  { node, state, conditions, fields: members }: ListQuery,
  claims: ContextClaims,
): Promise<AllocationPage> {
  const node_uuid = node === undefined ? undefined : await nodeUuidOf(deps, node, claims);
  const fields = recordFieldsOf(members);
  const query = {
    ...conditions,
    ...(fields !== undefined && { fields }),
    ...(node_uuid !== undefined && { node_uuid }),
    ...(state === null ? { node_uuid: NO_NODE } : state !== undefined && { state }),
  };
  return listed(deps, query, claims);
}

function nextUrl(query: ListQuery, publicBase: string, lastUuid: string): string {
  const parameters = new URLSearchParams([
    ...query.repeated.map(([key, value]): [string, string] => [key, value]),
    ['limit', String(query.conditions.limit)],
    ['marker', lastUuid],
  ]);
  return `${publicBase}/v1/allocations?${parameters.toString()}`;
}

/**
 * The requested node, by name or uuid, or one that does not exist: whether a node is missing, invisible or without
 * allocations must not show. The rows stay under the caller's own filter.
 */
async function nodeUuidOf(deps: ListDeps, node: string, claims: ContextClaims): Promise<string> {
  const { found } = await deps.pool.resolve([node], EVERYTHING, callContextOf(claims));
  return found[0]?.uuid ?? NO_NODE;
}

async function listed(
  deps: ListDeps,
  query: AllocationQuery,
  claims: ContextClaims,
): Promise<AllocationPage> {
  try {
    return await deps.store.list(query, callContextOf(claims));
  } catch (error) {
    // A hidden marker answers as a missing one.
    if (error instanceof AppError && error.status === 404)
      throw NotFoundError.of('Allocation', query.marker ?? '');
    throw error;
  }
}
