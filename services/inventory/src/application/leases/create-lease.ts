import { randomUUID } from 'node:crypto';
import {
  AppError,
  BadRequestError,
  ConflictError,
  type ContextClaims,
  type LeaseEnd,
  type NodeRecord,
  timestampOf,
} from '@tenure/contracts';
import { uuidIn } from '../../domain/field-values.js';
import { LEASE } from '../../domain/kinds/lease.js';
import { type Values } from '../../domain/kinds/resource-kind.js';
import { endOf, termOf } from '../../domain/lease.js';
import { DuplicateValueError } from '../../ports/record-store.js';
import { type StoredLease } from '../../ports/stores.js';
import { assertCurrent, changeNode } from '../change-node.js';
import { assertNoLessee, beginLease } from './begin-lease.js';
import { findLease, type LeaseDependencies } from './find-lease.js';

/**
 * Creates a lease. First its record, then the reservation on the node. A crash in between leaves a record without a
 * node: it blocks nothing, and is cancelled at its start time. A lease that starts now begins at once if it can.
 * @param values as `createdValues` returns them
 * @throws BadRequestError; ConflictError `node_leased`, `node_has_lessee`, `node_allocated`, `automated_clean_off`,
 * `duplicate`; TenancyChangedError
 */
export async function createLease(
  deps: LeaseDependencies,
  values: Values,
  context: Pick<ContextClaims, 'resources' | 'subject'>,
): Promise<StoredLease> {
  const node = await nodeToLease(deps, values, context);
  const lease = await insert(deps, newLease(values, node, deps.now()));
  try {
    await hold(deps, lease, context);
  } catch (error) {
    await deps.stores.leases.remove(lease.uuid, lease.revision, lease.revision);
    throw error;
  }
  try {
    const user = context.subject?.user_id ?? null;
    return await beginLease(deps, lease.uuid, { user, conductor: null });
  } catch (error) {
    // Locked, or handed over, for a while: it begins as soon as that is over.
    if (error instanceof AppError && ['node_locked', 'node_in_handover'].includes(error.code))
      return findLease(deps.stores, lease.uuid);
    throw error;
  }
}

/** @throws BadRequestError: a caller that may lease nodes gets the reason when the node does not exist */
async function nodeToLease(
  { stores }: LeaseDependencies,
  values: Values,
  context: Pick<ContextClaims, 'resources'>,
): Promise<NodeRecord> {
  const [named] = context.resources;
  const node = named === undefined ? undefined : await stores.nodes.findBy('uuid', named.uuid);
  if (node === undefined || node.uuid !== values['node_uuid']) throw missing(values['node_uuid']);
  assertCurrent(node, context);
  return node;
}

async function insert(
  { stores }: LeaseDependencies,
  fields: ReturnType<typeof newLease>,
): Promise<StoredLease> {
  try {
    return await stores.leases.insert((epoch) => ({
      ...fields,
      revision: epoch,
      tenancy_revision: epoch,
    }));
  } catch (error) {
    if (!(error instanceof DuplicateValueError)) throw error;
    throw new ConflictError('duplicate', LEASE.duplicate(error.field, fields), { cause: error });
  }
}

const newLease = (
  values: Values,
  node: NodeRecord,
  now: Date,
): Omit<StoredLease, 'revision' | 'tenancy_revision'> =>
  ({
    uuid: uuidIn(values['uuid']) ?? randomUUID(),
    node_uuid: node.uuid,
    owner: node.owner,
    lessee: String(values['lessee']),
    status: 'pending',
    reason: null,
    ...termOf({ start_time: values['start_time'], end_time: values['end_time'] }, now),
    started_at: null,
    ended_at: null,
    on_end: endOf(values['on_end'] as Partial<LeaseEnd>, node), // of the kind's schema
    purpose: values['purpose'] as string | null, // of the kind's schema
    phase: null,
    sealed: null,
    created_at: timestampOf(now),
    updated_at: null,
  }) satisfies Omit<StoredLease, 'revision' | 'tenancy_revision'>;

/** The node with the lease on it: one at a time, be it to come. */
async function hold(
  deps: LeaseDependencies,
  lease: StoredLease,
  context: Pick<ContextClaims, 'resources'>,
): Promise<void> {
  await changeNode({
    nodes: deps.stores.nodes,
    now: deps.now,
    uuid: lease.node_uuid,
    ident: lease.node_uuid,
    change: async (node) => {
      assertCurrent(node, context);
      if (typeof node.lease_uuid === 'string')
        throw new ConflictError(
          'node_leased',
          `Node ${node.uuid} has a lease already, or is still being cleared after one: ${node.lease_uuid}.`,
        );
      assertNoLessee(node);
      await assertNotAllocated(deps, node, lease.lessee);
      return { ...node, lease_uuid: lease.uuid };
    },
  });
}

const missing = (uuid: unknown): BadRequestError =>
  new BadRequestError(`Node ${String(uuid)} could not be found.`);

/** Refuses a node that is allocated to another project. */
async function assertNotAllocated(
  { stores }: LeaseDependencies,
  { uuid, allocation_uuid: allocationUuid }: NodeRecord,
  lessee: string,
): Promise<void> {
  const allocation =
    allocationUuid === null ? undefined : await stores.allocations.findBy('uuid', allocationUuid);
  if (allocation !== undefined && allocation.owner !== lessee)
    throw new ConflictError('node_allocated', `Node ${uuid} is allocated to another project.`);
}
