import {
  AppError,
  ConflictError,
  type NodeRecord,
  NotFoundError,
  timestampOf,
} from '@tenure/contracts';
import { atLeaseEnd, handoverOfLease, type WriteCause } from '../../domain/custody.js';
import { isPast } from '../../domain/lease-tenancy.js';
import { assertNotOver, isOpen } from '../../domain/lease.js';
import { type StoredHandover, type StoredLease } from '../../ports/stores.js';
import { changeNode } from '../change-node.js';
import { type HandoverDependencies } from '../handovers/change-handover.js';
import { recordOpening } from '../handovers/record-handover.js';
import { changeLease, findLease, type LeaseDependencies } from './find-lease.js';
import { finishLease } from './finish-lease.js';
import { type Cause, recordLease } from './lease-history.js';

type EndDependencies = HandoverDependencies;

/** A conductor's report on a lease that has ended. */
export interface EndReport {
  readonly status: 'ending' | 'ended';
}

/**
 * Ends a lease now; a pending one is cancelled. A conductor cleans up later.
 * @throws ConflictError `lease_over`
 */
export async function endLease(
  deps: LeaseDependencies,
  lease: StoredLease,
  cause: Cause,
  by: WriteCause,
): Promise<StoredLease> {
  assertNotOver(lease, timestampOf(deps.now()));
  return finishUse(deps, lease, cause, by);
}

/**
 * Records that a lease is over. `ended` detaches it from the node, once the node is handed over.
 * @throws ConflictError `lease_not_over`, `lease_not_cleared`; NotFoundError
 */
export async function reportEnd(
  deps: EndDependencies,
  uuid: string,
  { status }: EndReport,
  cause: Cause,
): Promise<StoredLease> {
  const found = await findLease(deps.stores, uuid);
  await assertOver(deps, found);
  const isNew = found.status === 'pending' || found.status === 'active';
  const lease = isNew ? await finishUse(deps, found, cause) : found;
  if (!isOpen(lease)) return finishLease(deps, uuid);
  const handover = await handoverOf(deps, lease);
  if (status === 'ending') return findLease(deps.stores, uuid);
  if (handover !== undefined && handover.status !== 'complete') throw notCleared(uuid);
  return finishLease(deps, uuid);
}

/**
 * Ends the access on the node first, so that the record never reports an end while the lessee still has access; then
 * updates the record, with the remaining work.
 */
async function finishUse(
  deps: LeaseDependencies,
  lease: StoredLease,
  cause: Cause,
  by: WriteCause = {},
): Promise<StoredLease> {
  const node = await takeBack(deps, lease, by);
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
}

/** Takes the node from the lessee now; a pending lease is detached from the node. */
const takeBack = (
  { stores, now }: LeaseDependencies,
  { uuid, node_uuid: nodeUuid }: StoredLease,
  by: WriteCause,
): Promise<NodeRecord> =>
  changeNode({
    nodes: stores.nodes,
    now,
    uuid: nodeUuid,
    ident: nodeUuid,
    by,
    change: (node) => {
      if (node.lease_uuid !== uuid) return undefined;
      if (typeof node.lease_end !== 'string') return { ...node, lease_uuid: null };
      const moment = timestampOf(now());
      const lease_end = isPast(node.lease_end, moment) ? node.lease_end : moment;
      return { ...node, lessee: null, lessee_until: null, lease_end };
    },
  });

/** @throws ConflictError `lease_not_over`; NotFoundError when the node does not exist any more */
async function assertOver(
  { stores, now }: EndDependencies,
  { uuid, node_uuid: nodeUuid }: StoredLease,
): Promise<void> {
  const node = await stores.nodes.findBy('uuid', nodeUuid);
  if (node === undefined) throw NotFoundError.of('Node', nodeUuid);
  const { lease_uuid: leaseUuid, lease_end: over } = node;
  if (leaseUuid === uuid && !(typeof over === 'string' && isPast(over, timestampOf(now()))))
    throw notOver(uuid);
}

/**
 * The handover with which a lease ends. One that an older release ended, or a document, has none yet: it is opened now.
 * @returns undefined when the node has no such lease any more
 */
async function handoverOf(
  deps: EndDependencies,
  { uuid, node_uuid: nodeUuid }: StoredLease,
): Promise<StoredHandover | undefined> {
  const { stores, now } = deps;
  const wanted = handoverOfLease(uuid);
  const found = await stores.handovers.findBy('uuid', wanted);
  if (found !== undefined) return found;
  const node = await changeNode({
    nodes: stores.nodes,
    now,
    uuid: nodeUuid,
    ident: nodeUuid,
    change: (one) => {
      if (one.lease_uuid !== uuid || one.custody?.opening?.uuid === wanted) return undefined;
      return atLeaseEnd({ ...one, lessee: null }, timestampOf(now()));
    },
  });
  return node.custody?.opening?.uuid === wanted ? recordOpening(deps, node) : undefined;
}

const notCleared = (uuid: string): ConflictError =>
  new ConflictError('lease_not_cleared', `The machine of lease ${uuid} is not handed over yet.`);

const notOver = (uuid: string): AppError =>
  new AppError('lease_not_over', 409, `Lease ${uuid} is not over.`);
