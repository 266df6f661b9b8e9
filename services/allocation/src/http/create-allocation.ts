import { randomUUID } from 'node:crypto';
import {
  type AllocationRecord,
  AppError,
  BadRequestError,
  type CallContext,
  type ContextClaims,
  minorOf,
} from '@tenure/contracts';
import { callContextOf } from '@tenure/signed-context';
import { type Job } from '../application/worker-pool.js';
import { readAllocationRequest, type WantedAllocation } from '../domain/allocation-request.js';
import { nodesFor } from '../domain/node-filter.js';
import { type AllocationDraft, type AllocationStore } from '../ports/allocation-store.js';
import { type NodePool } from '../ports/node-pool.js';

export interface CreateDeps {
  readonly store: AllocationStore;
  readonly pool: NodePool;
  readonly submit: (job: Job) => void;
}

/**
 * Creates an allocation; it is processed after the answer, a backfill (1.58) before it.
 * @returns the record as acknowledged
 * @throws BadRequestError, NotAcceptableError, ConflictError `duplicate` or `node_taken`
 */
export async function createAllocation(
  deps: CreateDeps,
  claims: ContextClaims,
  body: unknown,
): Promise<AllocationRecord> {
  const wanted = readAllocationRequest(body, minorOf(claims));
  const context = callContextOf(claims);
  const record = await deps.store.create(await draftOf(deps, wanted, claims), context);
  if (wanted.node !== null) return backfill(deps, record, wanted.node, context);
  deps.submit({ uuid: record.uuid, requestId: claims.request_id });
  return record;
}

async function draftOf(
  deps: CreateDeps,
  wanted: WantedAllocation,
  claims: ContextClaims,
): Promise<AllocationDraft> {
  const { filter, set } = claims.obligations;
  const owner = set.owner ?? wanted.owner;
  // A backfill is bound to its node, so that a later run after a crash can take no other.
  const idents = wanted.node === null ? wanted.candidate_nodes : [wanted.node];
  return {
    uuid: wanted.uuid ?? randomUUID(),
    name: wanted.name,
    owner,
    resource_class: wanted.resource_class,
    traits: wanted.traits,
    candidate_nodes: await resolveNodes(deps, idents, claims),
    extra: wanted.extra,
    candidate_filter: nodesFor(filter, owner),
  };
}

/**
 * Binds a node that is already in use; on refusal nothing is left behind, and the inventory's message goes to the caller.
 * @param ident the node as the caller named it
 */
async function backfill(
  deps: CreateDeps,
  record: AllocationRecord,
  ident: string,
  context: CallContext,
): Promise<AllocationRecord> {
  const [nodeUuid] = record.candidate_nodes;
  if (nodeUuid === undefined) throw new BadRequestError('The node to backfill was not found.');
  try {
    return await deps.pool.backfill(record.uuid, nodeUuid, context);
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    await deps.store.remove(record.uuid, context);
    // Deleted since it was resolved.
    throw error.status === 404 ? notFound([ident], error) : error;
  }
}

/** Uuids of `idents`, in their order. @throws BadRequestError naming, as sent, those that are unknown or invisible */
async function resolveNodes(
  deps: CreateDeps,
  idents: readonly string[],
  claims: ContextClaims,
): Promise<readonly string[]> {
  if (idents.length === 0) return [];
  const { found, missing } = await deps.pool.resolve(
    idents,
    claims.obligations.filter,
    callContextOf(claims),
  );
  const uuids = new Map(found.map(({ ident, uuid }) => [ident, uuid]));
  const absent = new Set(missing);
  const unknown = idents.filter((ident) => absent.has(ident) || !uuids.has(ident));
  if (unknown.length > 0) throw notFound(unknown);
  return [...new Set(idents.flatMap((ident) => uuids.get(ident) ?? []))];
}

const notFound = (idents: readonly string[], cause?: AppError): BadRequestError =>
  new BadRequestError(
    `Nodes with the following name(s) or UUID(s) could not be found: ${idents.join(', ')}`,
    cause === undefined ? {} : { cause },
  );
