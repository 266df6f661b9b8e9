import {
  AppError,
  type LeasePhase,
  type NodeRecord,
  NotFoundError,
  timestampOf,
} from '@tenure/contracts';
import { released } from '../../domain/candidates.js';
import { isPast } from '../../domain/lease-tenancy.js';
import { assertNotOver, isOpen } from '../../domain/lease.js';
import { type StoredLease } from '../../ports/stores.js';
import { changeNode } from '../change-node.js';
import { forgetAllocation } from '../forget-allocation.js';
import { changeLease, findLease, type LeaseDependencies } from './find-lease.js';
import { type Cause, recordLease } from './lease-history.js';

/** Takes the node from the lessee now; a lease that has not begun lets go of it. */
const takeBack = (
  { stores, now }: LeaseDependencies,
  { uuid, node_uuid: nodeUuid }: StoredLease,
): Promise<NodeRecord> =>
  changeNode({
    nodes: stores.nodes,
    now,
    uuid: nodeUuid,
    ident: nodeUuid,
    change: (node) => {
      if (node.lease_uuid !== uuid) return undefined;
      if (typeof node.lease_end !== 'string') return { ...node, lease_uuid: null };
      const moment = timestampOf(now());
      const lease_end = isPast(node.lease_end, moment) ? node.lease_end : moment;
      return { ...node, lessee: null, lessee_until: null, lease_end };
    },
  });

/** The node first, so that nobody who is told that it is over still has access; then the record, which says what is left to do. */
const finishUse = async (
  deps: LeaseDependencies,
  lease: StoredLease,
  cause: Cause,
): Promise<StoredLease> => {
  const node = await takeBack(deps, lease);
  const hasBegun = node.lease_uuid === lease.uuid;
  const moment = timestampOf(deps.now());
  const { lease: after, isChanged } = await changeLease(deps, lease.uuid, ({ status }) => {
    if (status !== 'pending' && status !== 'active') return undefined;
    return {
      status: hasBegun ? 'ending' : 'cancelled',
      reason: null,
      ended_at: node.lease_end ?? moment,
    };
  });
  if (isChanged && hasBegun)
    await recordLease(deps, node, { lease: after, happened: 'ended', ...cause });
  return after;
};

/**
 * Ends a lease now; one that has not begun is cancelled. What is to be cleared away is cleared away later, by a conductor.
 * @throws ConflictError `lease_over`
 */
export const endLease = async (
  deps: LeaseDependencies,
  lease: StoredLease,
  cause: Cause,
): Promise<StoredLease> => {
  assertNotOver(lease, timestampOf(deps.now()));
  return finishUse(deps, lease, cause);
};

/** Ends of leases that are kept of a node: the newest. */
const MAX_PAST_LEASES = 100;

const forgetOldest = async ({ stores }: LeaseDependencies, nodeUuid: string): Promise<void> => {
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
};

/** The node as its owner gets it back, without what the lessee had allocated. */
const freed = async (
  { stores }: LeaseDependencies,
  node: NodeRecord,
  { lessee }: StoredLease,
): Promise<NodeRecord> => {
  const { allocation_uuid: held } = node;
  const allocation = held === null ? undefined : await stores.allocations.findBy('uuid', held);
  const free = allocation?.owner === lessee ? released(node) : node;
  return { ...free, lease_uuid: null, lease_end: null, lessee_until: null };
};

/** Lets go of the node: everything is cleared away. Safe to repeat. */
const letGo = async (deps: LeaseDependencies, lease: StoredLease): Promise<void> => {
  const held = new Set<string>();
  const { allocation_uuid: kept } = await changeNode({
    nodes: deps.stores.nodes,
    now: deps.now,
    uuid: lease.node_uuid,
    ident: lease.node_uuid,
    change: async (node) => {
      if (node.lease_uuid !== lease.uuid) return undefined;
      if (node.allocation_uuid !== null) held.add(node.allocation_uuid);
      return freed(deps, node, lease);
    },
  });
  if (kept === null) for (const allocation of held) await forgetAllocation(deps.stores, allocation);
};

/** What a conductor says of a lease whose end has come. */
export interface EndReport {
  readonly status: 'ending' | 'error' | 'ended';
  readonly reason?: string | null;
  readonly phase?: LeasePhase | null;
}

const notOver = (uuid: string): AppError =>
  new AppError('lease_not_over', 409, `Lease ${uuid} is not over.`);

/**
 * Writes down how far clearing away after a lease has come. `ended` lets go of the node: first the record, then the node,
 * which is found again by its `lease_end` when a crash comes in between.
 * @throws ConflictError `lease_not_over`; NotFoundError
 */
export const reportEnd = async (
  deps: LeaseDependencies,
  uuid: string,
  report: EndReport,
  cause: Cause,
): Promise<StoredLease> => {
  const found = await findLease(deps.stores, uuid);
  const node = await deps.stores.nodes.findBy('uuid', found.node_uuid);
  if (node === undefined) throw NotFoundError.of('Node', found.node_uuid);
  const isOver =
    typeof node.lease_end === 'string' && isPast(node.lease_end, timestampOf(deps.now()));
  if (node.lease_uuid === uuid && !isOver) throw notOver(uuid);
  if (found.status === 'pending' || found.status === 'active') await finishUse(deps, found, cause);
  const { status, reason = null, phase } = report;
  const { lease } = await changeLease(deps, uuid, (current) => {
    if (!isOpen(current)) return undefined;
    const values = { status, reason, phase: phase === undefined ? current.phase : phase };
    const isSame =
      current.status === status && current.reason === reason && current.phase === values.phase;
    return isSame ? undefined : values;
  });
  if (!isOpen(lease)) {
    await letGo(deps, lease);
    await forgetOldest(deps, lease.node_uuid);
  }
  return lease;
};
