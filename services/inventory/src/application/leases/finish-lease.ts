import { type NodeRecord } from '@tenure/contracts';
import { released } from '../../domain/candidates.js';
import { isOpen } from '../../domain/lease.js';
import { type StoredLease, type Stores } from '../../ports/stores.js';
import { changeNode } from '../change-node.js';
import { forgetAllocation } from '../forget-allocation.js';
import { changeLease, type LeaseDependencies } from './find-lease.js';

/** Ends of leases that are kept of a node: the newest. */
const MAX_PAST_LEASES = 100;

/**
 * The node without what a former tenant had allocated.
 * @param project the former tenant
 */
export async function withoutAllocationOf(
  { allocations }: Pick<Stores, 'allocations'>,
  node: NodeRecord,
  project: string | null,
): Promise<NodeRecord> {
  const { allocation_uuid: allocationUuid } = node;
  const allocation =
    allocationUuid === null ? undefined : await allocations.findBy('uuid', allocationUuid);
  return allocation?.owner === project ? released(node) : node;
}

/**
 * Ends a lease whose machine was handed over: first the record, then the node, which is found again by its `lease_end` when
 * a crash comes in between.
 * @throws NotFoundError
 */
export async function finishLease(deps: LeaseDependencies, uuid: string): Promise<StoredLease> {
  const { lease } = await changeLease(deps, uuid, (current) =>
    isOpen(current) ? { status: 'ended', reason: null } : undefined,
  );
  await detachLease(deps, lease);
  await forgetOldest(deps, lease.node_uuid);
  return lease;
}

/** Detaches a lease from its node, with the lessee's allocation. Safe to repeat. */
async function detachLease(deps: LeaseDependencies, lease: StoredLease): Promise<void> {
  const allocations = new Set<string>();
  const { allocation_uuid: kept } = await changeNode({
    nodes: deps.stores.nodes,
    now: deps.now,
    uuid: lease.node_uuid,
    ident: lease.node_uuid,
    change: async (node) => {
      if (node.lease_uuid !== lease.uuid) return undefined;
      if (node.allocation_uuid !== null) allocations.add(node.allocation_uuid);
      const free = await withoutAllocationOf(deps.stores, node, lease.lessee);
      return { ...free, lease_uuid: null, lease_end: null, lessee_until: null };
    },
  });
  if (kept === null)
    for (const allocation of allocations) await forgetAllocation(deps.stores, allocation);
}

async function forgetOldest({ stores }: LeaseDependencies, nodeUuid: string): Promise<void> {
  const all = await stores.leases.list({
    anyOf: null,
    where: [{ field: 'node_uuid', op: 'eq', value: nodeUuid }],
    order: { field: null, descending: false },
    after: null,
    limit: 10_000,
  });
  const past = all.filter((lease) => !isOpen(lease));
  for (const { uuid, revision } of past.slice(0, Math.max(0, past.length - MAX_PAST_LEASES)))
    await stores.leases.remove(uuid, revision, revision);
}
