import { BadRequestError, ConflictError, type NodeRecord, timestampOf } from '@tenure/contracts';
import { LEASE } from '../../domain/kinds/lease.js';
import { assertNotOver, endOf, termOf } from '../../domain/lease.js';
import { type PatchOperation } from '../../domain/patch-operations.js';
import { patchedValues } from '../../domain/resource-values.js';
import { type StoredLease } from '../../ports/stores.js';
import { changeNode } from '../change-node.js';
import { findNode } from '../find-node.js';
import { changeLease, findLease, type LeaseDependencies } from './find-lease.js';
import { type Cause, recordLease } from './lease-history.js';

const FIXED: readonly string[] = ['node_uuid', 'lessee'];

/**
 * Changes a pending or active lease. The end of an active one moves on the node first, for the node decides until when
 * the lessee has it.
 * @throws BadRequestError; ConflictError `lease_over`, `lease_begun`, `automated_clean_off`; NotFoundError
 */
export async function updateLease(
  deps: LeaseDependencies,
  lease: StoredLease,
  operations: readonly PatchOperation[],
  cause: Cause,
): Promise<StoredLease> {
  assertChangeable(operations);
  const node = await findNode(deps.stores, lease.node_uuid);
  const { end_time: end } = patchedLease(lease, operations, node, deps.now());
  if (lease.status === 'active' && end !== undefined) await moveEnd(deps, lease, end);
  const { lease: written } = await changeLease(deps, lease.uuid, (current) => {
    const values = patchedLease(current, operations, node, deps.now());
    // It began meanwhile, with the end that it had: the caller has to ask again.
    if (current.status !== lease.status)
      throw new ConflictError('lease_begun', `Lease ${lease.uuid} has begun meanwhile.`);
    return values;
  });
  const current = await copyEnd(deps, written.uuid);
  if (end !== undefined && current.status === 'active')
    await recordLease(deps, node, {
      lease: current,
      happened: 'was extended or shortened',
      ...cause,
    });
  return current;
}

/** @throws BadRequestError: another node, or another lessee, is another lease */
function assertChangeable(operations: readonly PatchOperation[]): void {
  const fixed = operations.find(({ field }) => FIXED.includes(field));
  if (fixed !== undefined)
    throw new BadRequestError(`'/${fixed.field}' of a lease can not be changed`);
}

/** The changed values of a lease. The end of an active lease is validated alone, for its start is in the past. */
function patchedLease(
  lease: StoredLease,
  operations: readonly PatchOperation[],
  node: NodeRecord,
  now: Date,
): Partial<StoredLease> {
  assertNotOver(lease, timestampOf(now));
  const after = patchedValues(LEASE, lease, operations);
  const changed = operations.map(({ field }) => field);
  const isPending = lease.status === 'pending';
  if (!isPending && changed.includes('start_time'))
    throw new ConflictError('lease_begun', `Lease ${lease.uuid} has begun already.`);
  const isMoved = changed.includes('start_time') || changed.includes('end_time');
  const term = isMoved
    ? termOf({ start_time: isPending ? after.start_time : null, end_time: after.end_time }, now)
    : undefined;
  return {
    purpose: after.purpose,
    ...(changed.includes('on_end') && { on_end: endOf(after.on_end, node) }),
    ...(term !== undefined && { end_time: term.end_time }),
    ...(term !== undefined && isPending && { start_time: term.start_time }),
  };
}

/** Moves the end on the node, which is what counts. */
const moveEnd = (
  { stores, now }: LeaseDependencies,
  { uuid, node_uuid: nodeUuid }: StoredLease,
  end: string,
): Promise<NodeRecord> =>
  changeNode({
    nodes: stores.nodes,
    now,
    uuid: nodeUuid,
    ident: nodeUuid,
    change: (node) => {
      // The end came first: what is over is not made to last again.
      if (node.lease_uuid !== uuid || typeof node.lessee_until !== 'string') throw overError(uuid);
      return { ...node, lessee_until: end, lease_end: end };
    },
  });

/**
 * Copies the end of an active lease from the node to its record. Each attempt reads the node after the record, so that
 * the last of several concurrent writers has read the latest end.
 */
async function copyEnd(deps: LeaseDependencies, uuid: string): Promise<StoredLease> {
  for (;;) {
    const lease = await findLease(deps.stores, uuid);
    const { lease_end: end, lease_uuid: holder } = await findNode(deps.stores, lease.node_uuid);
    if (lease.status !== 'active' || holder !== uuid || typeof end !== 'string') return lease;
    if (end === lease.end_time) return lease;
    const after = { ...lease, end_time: end, revision: lease.revision + 1 };
    if (await deps.stores.leases.swap(after, lease.revision)) return after;
  }
}

const overError = (uuid: string): ConflictError =>
  new ConflictError('lease_over', `Lease ${uuid} is over.`);
