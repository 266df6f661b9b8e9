import {
  ConflictError,
  type ContextClaims,
  isUuid,
  type NodeRecord,
  NotFoundError,
  timestampOf,
} from '@tenure/contracts';
import { isFree, isFreeForBackfill, released, suits, taken } from '../domain/candidates.js';
import { assertConditions } from '../domain/conditions.js';
import { type WriteCause } from '../domain/custody.js';
import { minEpochOf } from '../domain/epochs.js';
import { DuplicateValueError } from '../ports/record-store.js';
import { type AllocationStore, type StoredAllocation, type Stores } from '../ports/stores.js';
import { changeNode, lockedError } from './change-node.js';
import { allocationContended } from './forget-allocation.js';
import { untilWritten } from './until-written.js';

const MAX_TRIES = 10;

export interface AllocationDependencies {
  readonly stores: Pick<Stores, 'nodes' | 'allocations'>;
  readonly now: () => Date;
}

interface Release {
  /** Throws when the node must not be released as it is at that moment. */
  readonly check?: (node: NodeRecord, allocation: Pick<StoredAllocation, 'uuid'>) => void;
  /** The request that it is made for. */
  readonly by?: WriteCause;
}

export interface ClaimedNode {
  readonly uuid: string;
  /** Whether the node is in use already, and the allocation is only recorded for it. */
  readonly backfill: boolean;
}

export interface Claim {
  readonly allocation: StoredAllocation;
  readonly node_uuid: string;
}

// A message about an allocation never names the holder of the node's lock: the caller may not be allowed to see the
// node's fields.
const UNSEEN_OF_THE_NODE = ['reservation'] as const;

/** @throws NotFoundError */
export async function findAllocation(
  allocations: AllocationStore,
  ident: string,
): Promise<StoredAllocation> {
  const found = await allocations.findBy(
    isUuid(ident) ? 'uuid' : 'name',
    isUuid(ident) ? ident.toLowerCase() : ident,
  );
  if (found === undefined) throw NotFoundError.of('Allocation', ident);
  return found;
}

/** The error for an allocation whose unique field has the value of another one. */
export function duplicateAllocationError(
  error: unknown,
  allocation: Pick<StoredAllocation, 'uuid' | 'name'>,
): unknown {
  if (!(error instanceof DuplicateValueError)) return error;
  const which =
    error.field === 'name' ? `name ${String(allocation.name)}` : `UUID ${allocation.uuid}`;
  return new ConflictError('duplicate', `An allocation with ${which} already exists.`, {
    cause: error,
  });
}

/**
 * Writes `values` over the revision the caller has seen.
 * @throws ConflictError `revision_conflict`, `duplicate`
 */
export async function changeAllocation(
  { stores, now }: AllocationDependencies,
  before: StoredAllocation,
  expectedRevision: number,
  values: Partial<StoredAllocation>,
): Promise<StoredAllocation> {
  const after = nextAllocation(before, values, now());
  try {
    if (
      before.revision === expectedRevision &&
      (await stores.allocations.swap(after, expectedRevision))
    )
      return after;
  } catch (error) {
    throw duplicateAllocationError(error, after);
  }
  throw new ConflictError('revision_conflict', `Allocation ${before.uuid} was changed by another.`);
}

/**
 * Gives a node to an allocation, both sides written: first the node, by compare-and-set with one winner, then the
 * allocation. A claim that was interrupted between the two is finished by the next one, whichever node that one names.
 * @throws ConflictError `node_taken`; NotFoundError
 */
export async function claimNode(
  deps: AllocationDependencies,
  allocation: StoredAllocation,
  wanted: ClaimedNode,
): Promise<Claim> {
  const allocated = await deps.stores.nodes.findBy('allocation_uuid', allocation.uuid);
  if (allocation.state === 'active' && allocated !== undefined)
    return { allocation, node_uuid: allocated.uuid };
  if (allocation.state === 'error') throw allocationFailed(allocation.uuid);
  const node = allocated ?? (await takeNode(deps, allocation, wanted));
  return { allocation: await activate(deps, allocation.uuid, node), node_uuid: node.uuid };
}

/**
 * Removes an allocation and releases its node: first the node, checked as it is written, then the record at the
 * revision that was read. After a crash in between, the record can be removed again. A claim in between either changes
 * the record, and both steps are repeated, or finds no record, and releases its node itself.
 * @throws ConflictError `node_locked`, `node_in_use`, `condition_not_met`
 */
export async function removeAllocation(
  deps: AllocationDependencies,
  allocation: StoredAllocation,
  context: Pick<ContextClaims, 'obligations'> & WriteCause,
): Promise<void> {
  const { nodes, allocations } = deps.stores;
  const { obligations } = context;
  let current: StoredAllocation | undefined = allocation;
  const attempt = async (): Promise<true | undefined> => {
    if (current === undefined) return true;
    assertConditions(current, obligations, 'delete allocation');
    const allocated = await nodes.findBy('allocation_uuid', allocation.uuid);
    if (allocated !== undefined)
      await releaseNode(deps, allocated.uuid, allocation, { check: assertReleasable, by: context });
    if (await allocations.remove(current.uuid, current.revision, minEpochOf(current))) return true;
    current = await allocations.findBy('uuid', allocation.uuid);
    return current === undefined ? true : undefined;
  };
  await untilWritten(MAX_TRIES, attempt, () => allocationContended(allocation.uuid));
}

const nextAllocation = (
  before: StoredAllocation,
  values: Partial<StoredAllocation>,
  now: Date,
): StoredAllocation => ({
  ...before,
  ...values,
  updated_at: timestampOf(now),
  revision: before.revision + 1,
});

const allocationFailed = (uuid: string): ConflictError =>
  new ConflictError('allocation_failed', `Allocation ${uuid} is in state error.`);

async function takeNode(
  { stores, now }: AllocationDependencies,
  allocation: StoredAllocation,
  { uuid, backfill }: ClaimedNode,
): Promise<NodeRecord> {
  try {
    return await changeNode({
      nodes: stores.nodes,
      now,
      uuid,
      ident: uuid,
      change: (node) => {
        if (node.allocation_uuid === allocation.uuid) return undefined;
        const free = backfill ? isFreeForBackfill(node, allocation) : isFree(node);
        if (!free || !suits(node, allocation)) throw nodeTaken(uuid);
        return taken(node, allocation);
      },
    });
  } catch (error) {
    // Unique fields: another claim of the same allocation was quicker on another node.
    if (error instanceof ConflictError && error.code === 'duplicate') throw nodeTaken(uuid);
    throw error;
  }
}

async function activate(
  deps: AllocationDependencies,
  uuid: string,
  { uuid: nodeUuid, resource_class: nodeClass }: NodeRecord,
): Promise<StoredAllocation> {
  const attempt = async (): Promise<StoredAllocation | undefined> => {
    const current = await deps.stores.allocations.findBy('uuid', uuid);
    if (current === undefined) {
      // The allocation was deleted while its node was being taken: nothing else would release the node.
      await releaseNode(deps, nodeUuid, { uuid });
      throw NotFoundError.of('Allocation', uuid);
    }
    if (current.state === 'error') {
      await releaseNode(deps, nodeUuid, { uuid });
      throw allocationFailed(uuid);
    }
    if (current.state === 'active' && current.node_uuid === nodeUuid) return current;
    // Only a backfill may name no class; filled in here, so that one that was interrupted gets it too.
    const resource_class = current.resource_class ?? nodeClass;
    const after = nextAllocation(
      current,
      { state: 'active', node_uuid: nodeUuid, resource_class, last_error: null },
      deps.now(),
    );
    return (await deps.stores.allocations.swap(after, current.revision)) ? after : undefined;
  };
  return untilWritten(MAX_TRIES, attempt, () => allocationContended(uuid));
}

const nodeTaken = (nodeUuid: string): ConflictError =>
  new ConflictError('node_taken', `Node ${nodeUuid} is not available for this allocation.`);

/** Releases a node if it still belongs to this allocation. */
async function releaseNode(
  { stores, now }: AllocationDependencies,
  uuid: string,
  allocation: Pick<StoredAllocation, 'uuid'>,
  { check = () => undefined, by = {} }: Release = {},
): Promise<void> {
  await changeNode({
    by,
    nodes: stores.nodes,
    now,
    uuid,
    ident: uuid,
    change: (node) => {
      if (node.allocation_uuid !== allocation.uuid) return undefined;
      check(node, allocation);
      return released(node);
    },
  });
}

function assertReleasable(node: NodeRecord, allocation: Pick<StoredAllocation, 'uuid'>): void {
  if (node.reservation !== null) throw lockedError(node, UNSEEN_OF_THE_NODE);
  if (node.provision_state !== 'available' && !node.maintenance)
    throw new ConflictError(
      'node_in_use',
      `Cannot remove allocation ${allocation.uuid} for node ${node.uuid}, because the node is in state ${node.provision_state} where it must not be removed, unless it is in maintenance.`,
    );
}
