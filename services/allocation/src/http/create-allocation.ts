import { randomUUID } from 'node:crypto';
import {
  type AllocationRecord,
  AppError,
  BadRequestError,
  ConflictError,
  type ContextClaims,
} from '@tenure/contracts';
import { readAllocationRequest, type WantedAllocation } from '../domain/allocation-request.js';
import { nodesFor } from '../domain/node-filter.js';
import { type AllocationDraft, type AllocationStore } from '../ports/allocation-store.js';
import { type NodePool } from '../ports/node-pool.js';
import { type OnBehalf } from '../ports/on-behalf.js';
import { type Job } from '../processing/worker-pool.js';
import { behalfOf, minorOf } from './behalf.js';

export interface CreateDeps {
  readonly store: AllocationStore;
  readonly pool: NodePool;
  readonly submit: (job: Job) => void;
}

/** 409: names of allocations are unique. */
export const nameInUse = (name: string, cause: AppError): ConflictError =>
  new ConflictError('duplicate', `An allocation with name ${name} already exists.`, { cause });

/** Uuids of `idents`, in their order. @throws BadRequestError naming, as sent, those that are unknown or invisible */
const resolveNodes = async (
  deps: CreateDeps,
  idents: readonly string[],
  claims: ContextClaims,
): Promise<readonly string[]> => {
  if (idents.length === 0) return [];
  const { found, missing } = await deps.pool.resolve(
    idents,
    claims.obligations.filter,
    behalfOf(claims),
  );
  const uuids = new Map(found.map(({ ident, uuid }) => [ident, uuid]));
  const unknown = idents.filter((ident) => missing.includes(ident) || !uuids.has(ident));
  if (unknown.length > 0)
    throw new BadRequestError(
      `Nodes with the following name(s) or UUID(s) could not be found: ${unknown.join(', ')}`,
    );
  return [...new Set(idents.flatMap((ident) => uuids.get(ident) ?? []))];
};

const draftOf = async (
  deps: CreateDeps,
  wanted: WantedAllocation,
  claims: ContextClaims,
): Promise<AllocationDraft> => {
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
};

const duplicate = (draft: AllocationDraft, error: AppError): ConflictError =>
  // The store says which of the two is taken; without a name it can only be the uuid.
  draft.name === null || /uuid/iu.test(error.message)
    ? new ConflictError('duplicate', `An allocation with UUID ${draft.uuid} already exists.`, {
        cause: error,
      })
    : nameInUse(draft.name, error);

const store = async (
  deps: CreateDeps,
  draft: AllocationDraft,
  on: OnBehalf,
): Promise<AllocationRecord> => {
  try {
    return await deps.store.create(draft, on);
  } catch (error) {
    if (error instanceof AppError && error.code === 'duplicate') throw duplicate(draft, error);
    throw error;
  }
};

/** Binds a node that is already in use; on refusal nothing is left behind. */
const backfill = async (
  deps: CreateDeps,
  record: AllocationRecord,
  on: OnBehalf,
): Promise<AllocationRecord> => {
  const [nodeUuid] = record.candidate_nodes;
  if (nodeUuid === undefined) throw new BadRequestError('The node to backfill is not known.');
  try {
    return await deps.pool.claim(record.uuid, nodeUuid, on);
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    await deps.store.remove(record.uuid, on);
    if (error.code !== 'node_taken') throw error;
    throw new ConflictError(
      'node_taken',
      `Failed to backfill allocation ${record.uuid}: node ${nodeUuid} is not one that it can take.`,
      {
        cause: error,
      },
    );
  }
};

/**
 * Creates an allocation; it is processed after the answer, a backfill (1.58) before it.
 * @returns the record as acknowledged
 * @throws BadRequestError, NotAcceptableError, ConflictError `duplicate` or `node_taken`
 */
export const createAllocation = async (
  deps: CreateDeps,
  claims: ContextClaims,
  body: unknown,
): Promise<AllocationRecord> => {
  const wanted = readAllocationRequest(body, minorOf(claims));
  const on = behalfOf(claims);
  const record = await store(deps, await draftOf(deps, wanted, claims), on);
  if (wanted.node !== null) return backfill(deps, record, on);
  deps.submit({ uuid: record.uuid, requestId: claims.request_id });
  return record;
};
