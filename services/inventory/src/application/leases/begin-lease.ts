import {
  AppError,
  ConflictError,
  nodeInHandover,
  type NodeRecord,
  timestampOf,
} from '@tenure/contracts';
import { isInHandover } from '../../domain/custody.js';
import { isPast } from '../../domain/lease-tenancy.js';
import { type StoredLease } from '../../ports/stores.js';
import { changeNode, lockedError } from '../change-node.js';
import { changeLease, findLease, type LeaseDependencies } from './find-lease.js';
import { type Cause, recordLease } from './lease-history.js';

// A reader of the reason why a lease did not begin may not be allowed to see the holder of the lock.
const UNSEEN = ['reservation'] as const;

const NEVER_BEGAN = 'It could not begin before its end had come.';

const MAX_TRIES = 5;

/** Why a lease that is due does not begin, for its lessee. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['node_has_lessee', 'The node has another lessee.'],
  ['node_in_handover', 'The node is being handed over.'],
]);

const PER_ROUND = 500;

/** @throws ConflictError `node_leased_already` for a node that has a lessee without a lease */
export function assertNoLessee(node: NodeRecord): void {
  if (node.lessee !== null)
    throw new ConflictError('node_has_lessee', `Node ${node.uuid} has a lessee already.`);
}

/**
 * Begins a lease whose time has come: first the node, then the record. Interrupted in between, it is repeated; a lease
 * that was changed in between is read anew, and the node is made to fit.
 * @throws ConflictError `node_locked`, `node_has_lessee`, `node_in_handover`; NotFoundError
 */
export async function beginLease(
  deps: LeaseDependencies,
  uuid: string,
  cause: Cause,
): Promise<StoredLease> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const lease = await findLease(deps.stores, uuid);
    const moment = timestampOf(deps.now());
    if (lease.status !== 'pending' || !isPast(lease.start_time, moment)) return lease;
    if (isPast(lease.end_time, moment)) return cancelLease(deps, lease);
    const node = await lend(deps, lease);
    if (node.lease_uuid !== uuid) return cancelLease(deps, lease);
    const begun: StoredLease = {
      ...lease,
      status: 'active',
      reason: null,
      started_at: moment,
      updated_at: moment,
      revision: lease.revision + 1,
    };
    if (!(await deps.stores.leases.swap(begun, lease.revision))) continue;
    await recordLease(deps, node, { lease: begun, happened: 'began', ...cause });
    return begun;
  }
  return findLease(deps.stores, uuid);
}

/**
 * Begins every lease whose start time has come; one that cannot begin records the reason, and waits.
 * @returns how many began
 */
export async function beginDueLeases(deps: LeaseDependencies, cause: Cause): Promise<number> {
  const due = await deps.stores.leases.list({
    anyOf: null,
    where: [
      { field: 'status', op: 'eq', value: 'pending' },
      { field: 'start_time', op: 'at_most', value: timestampOf(deps.now()) },
    ],
    order: { field: null, descending: false },
    after: null,
    limit: PER_ROUND,
  });
  let begun = 0;
  for (const { uuid } of due)
    try {
      if ((await beginLease(deps, uuid, cause)).status === 'active') begun += 1;
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      // A lock is released in a moment, so it is not recorded as a reason.
      const reason = REASONS.get(error.code);
      if (reason !== undefined) await note(deps, uuid, reason);
    }
  return begun;
}

/** A lease that never was: its node is free for another. */
async function cancelLease(
  deps: LeaseDependencies,
  { uuid, node_uuid: nodeUuid }: StoredLease,
): Promise<StoredLease> {
  const { stores, now } = deps;
  const node = await changeNode({
    nodes: stores.nodes,
    now,
    uuid: nodeUuid,
    ident: nodeUuid,
    change: (found) =>
      found.lease_uuid === uuid && typeof found.lease_end !== 'string'
        ? { ...found, lease_uuid: null }
        : undefined,
  });
  const hasBegun = node.lease_uuid === uuid;
  const { lease } = await changeLease(deps, uuid, ({ status }) => {
    if (status !== 'pending') return undefined;
    return hasBegun ? { status: 'active' } : { status: 'cancelled', reason: NEVER_BEGAN };
  });
  return lease;
}

const lend = ({ stores, now }: LeaseDependencies, lease: StoredLease): Promise<NodeRecord> =>
  changeNode({
    nodes: stores.nodes,
    now,
    uuid: lease.node_uuid,
    ident: lease.node_uuid,
    change: (node) => lent(node, lease),
  });

/** The node in the hands of the lessee, if it is this lease that holds it. */
function lent(node: NodeRecord, lease: StoredLease): NodeRecord | undefined {
  if (node.lease_uuid !== lease.uuid || node.lease_end === lease.end_time) return undefined;
  const hasBegun = typeof node.lease_end === 'string';
  // Begun and over already, by a start that was interrupted.
  if (hasBegun && typeof node.lessee_until !== 'string') return undefined;
  if (!hasBegun) {
    if (node.reservation !== null) throw lockedError(node, UNSEEN);
    if (isInHandover(node)) throw nodeInHandover(node.uuid);
    assertNoLessee(node);
  }
  const { lessee, end_time } = lease;
  return { ...node, lessee, lessee_until: end_time, lease_end: end_time };
}

async function note(deps: LeaseDependencies, uuid: string, reason: string): Promise<void> {
  await changeLease(deps, uuid, (lease) =>
    lease.status === 'pending' && lease.reason !== reason ? { reason } : undefined,
  );
}
