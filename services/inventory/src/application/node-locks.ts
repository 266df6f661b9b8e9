import {
  BadRequestError,
  ConflictError,
  nodeField,
  nodeInHandover,
  type NodeRecord,
} from '@tenure/contracts';
import { assertConditions } from '../domain/conditions.js';
import { isSilent } from '../domain/conductors.js';
import { isDecided, isInHandover, isOrder } from '../domain/custody.js';
import { NODE } from '../domain/kinds/node.js';
import { assertNodeFits } from '../domain/node-size.js';
import { type Stores } from '../ports/stores.js';
import {
  assertCurrent,
  changeNode,
  lockedError,
  lockLost,
  type NodeChange,
  type WriteContext,
} from './change-node.js';
import { findNode } from './find-node.js';
import { forgetAllocation } from './forget-allocation.js';
import { type HandoverDependencies } from './handovers/change-handover.js';
import {
  afterHandover,
  closeRecords,
  isDone,
  detachingFrom,
} from './handovers/complete-handover.js';
import { findHandover } from './handovers/find-handover.js';
import { type HistoryTarget } from './node-history.js';

type Values = Readonly<Record<string, unknown>>;

// A conductor cannot write identity and owner; the lock is written only by acquiring and releasing it. It can write the
// lessee: the user who deploys a node becomes its lessee, and loses it with the node.
const NOT_A_CONDUCTORS: ReadonlySet<string> = new Set([
  'uuid',
  'created_at',
  'updated_at',
  'name',
  'owner',
  'allocation_uuid',
  'conductor',
  'reservation',
]);

export interface LockDependencies {
  readonly stores: Pick<Stores, 'nodes' | 'nodeHistory' | 'allocations'>;
  readonly now: () => Date;
}

export interface Lock {
  readonly uuid: string;
  readonly holder: string;
  readonly set: Values;
  /** User for whom the conductor acts; null when it works for itself. */
  readonly user: string | null;
}

/** A write of a conductor, and the node that it was written over. */
export interface LockedChange {
  readonly node: NodeRecord;
  readonly previous: NodeRecord;
}

/** A lock that is to change its holder: the new holder, and the holder that it is expected to have. */
export interface TakeOver {
  readonly uuid: string;
  readonly holder: string;
  readonly from: string;
  readonly fence: number;
}

export interface TakeOverDependencies {
  readonly stores: Pick<Stores, 'nodes' | 'nodeHistory' | 'conductors' | 'clock'>;
  readonly now: () => Date;
}

/** A write under a lock. */
interface FencedWrite {
  readonly fence: number;
  readonly release: boolean;
  /** Whether the node is handed over with this very write. */
  readonly completes: boolean;
}

type Whole = (node: NodeRecord) => Promise<NodeRecord>;

/**
 * The validated values of a conductor's write.
 * @throws BadRequestError naming the field
 */
export const conductorValues = (set: Values): Values =>
  Object.fromEntries(
    Object.entries(set).map(([name, value]) => {
      if (nodeField(name) === undefined || NOT_A_CONDUCTORS.has(name))
        throw new BadRequestError(`A conductor cannot set ${name.slice(0, 64)}.`);
      return [name, NODE.checkedValue(name, value)];
    }),
  );

/** @throws ConflictError `lock_lost` unless the node has this very lock */
export function assertLockHolder(
  node: NodeRecord,
  { holder, fence }: { readonly holder: string; readonly fence: number },
): void {
  if (node.reservation !== holder || node.fence !== fence) throw lockLost(node.uuid);
}

/**
 * Takes the lock and writes `set` in one compare-and-set, so that an acknowledged request survives a crash.
 * @throws ConflictError `node_locked`, `condition_not_met`; AppError 413 `quota_exceeded`; TenancyChangedError when the decision was made on another tenancy; NotFoundError
 */
export function takeLock(
  deps: LockDependencies,
  lock: Lock,
  context: WriteContext,
): Promise<LockedChange> {
  const { uuid, holder, set } = lock;
  return changeWithPrevious({
    nodes: deps.stores.nodes,
    now: deps.now,
    uuid,
    ident: uuid,
    history: historyBy(deps.stores, holder, lock.user),
    by: context,
    change: (node) => {
      assertCurrent(node, context);
      if (node.reservation !== null) throw lockedError(node, context.obligations.fields.masked);
      assertServes(node, context);
      assertConditions(node, context.obligations, 'act on node');
      const fields = withoutLesseeOfLease(node, set);
      const after = { ...touched(node, context), ...fields };
      assertNodeFits(node, after);
      return { ...after, reservation: holder, fence: node.fence + 1 };
    },
  });
}

/**
 * Transfers the lock of a conductor that sends no heartbeats any more to another, in one compare-and-set. The fence
 * grows: if the old conductor resumes, its writes are refused.
 * @throws ConflictError `node_locked` unless `from` has this very lock, and its last heartbeat is too old by the
 * store's clock; NotFoundError
 */
export const takeLockOver = (
  { stores, now }: TakeOverDependencies,
  { uuid, holder, from, fence }: TakeOver,
): Promise<LockedChange> =>
  changeWithPrevious({
    nodes: stores.nodes,
    now,
    uuid,
    ident: uuid,
    history: historyBy(stores, holder, null),
    change: async (node) => {
      const conductor = await stores.conductors.findBy('hostname', from);
      const isLeft = conductor !== undefined && isSilent(conductor, await stores.clock());
      if (node.reservation !== from || node.fence !== fence || !isLeft)
        throw new ConflictError(
          'node_locked',
          `The lock on node ${uuid} cannot be taken over from ${from}: it has another holder by now, or ${from} has not expired.`,
        );
      return { ...node, reservation: holder, fence: node.fence + 1 };
    },
  });

/**
 * Writes under the lock. The right to do so is the fence, not the context's tenancy: tenancy cannot change through the
 * API while the node is locked, and a holder must always be able to release. An allocation ends with the instance:
 * first it is removed from the node, then its record is removed; after a crash in between, the record can be removed
 * again.
 * @throws ConflictError `lock_lost` when holder or fence are not the lock's; AppError 413 `quota_exceeded` for an order
 * with a configuration drive that is too large for the node
 */
export async function writeUnderLock(
  deps: HandoverDependencies,
  lock: Lock,
  { fence, release, completes }: FencedWrite,
  context: WriteContext,
): Promise<LockedChange> {
  const { uuid, holder, set, user } = lock;
  const allocations = new Set<string>();
  const whole = completes ? await completing(deps, lock, fence) : asItIs;
  const written = await changeWithPrevious({
    nodes: deps.stores.nodes,
    now: deps.now,
    uuid,
    ident: uuid,
    history: historyBy(deps.stores, holder, user),
    by: context,
    change: async (node) => {
      assertLockHolder(node, { holder, fence });
      if (node.allocation_uuid !== null) allocations.add(node.allocation_uuid);
      const fields = withoutLesseeOfLease(node, withoutInstance(node, set));
      if (bringsDrive(node, set)) assertNodeFits(node, { ...node, ...fields });
      return { ...(await whole(node)), ...fields, ...(release && { reservation: null }) };
    },
  });
  if (written.node.allocation_uuid === null)
    for (const allocation of allocations) await forgetAllocation(deps.stores, allocation);
  const { handover_uuid: handover = null } = written.previous;
  if (completes && handover !== null && written.node.handover_uuid !== handover)
    await afterHandover(deps, await findHandover(deps, handover));
  return written;
}

/** Changes a node, and returns also the version before. */
async function changeWithPrevious(change: NodeChange): Promise<LockedChange> {
  let previous: NodeRecord | undefined;
  const node = await changeNode({
    ...change,
    change: (before) => {
      previous = before;
      return change.change(before);
    },
  });
  return { node, previous: previous ?? node };
}

const historyBy = (
  { nodeHistory }: Pick<Stores, 'nodeHistory'>,
  conductor: string,
  user: string | null,
): HistoryTarget => ({ nodeHistory, conductor, user });

/**
 * During a handover, a machine takes orders only from its owner and the system, which the policy decides, and from the
 * conductor itself.
 * @throws ConflictError `node_in_handover`
 */
function assertServes(node: NodeRecord, context: WriteContext): void {
  if (isInHandover(node) && isOrder(context) && !isDecided(context))
    throw nodeInHandover(node.uuid);
}

/** A lessee with a lease stays until the lease ends, whatever becomes of the instance. */
function withoutLesseeOfLease(node: NodeRecord, set: Values): Values {
  if (typeof node.lessee_until !== 'string') return set;
  return Object.fromEntries(Object.entries(set).filter(([name]) => name !== 'lessee'));
}

/** The node with the note that its tenant had it do something. */
const touched = (node: NodeRecord, context: WriteContext): NodeRecord =>
  isOrder(context) && node.custody?.touched !== true
    ? { ...node, custody: { ...node.custody, touched: true } }
    : node;

/**
 * Completes the records of the handover that ends with a write under the lock: before it, so that no handover is over
 * whose record is not signed. When a crash comes in between, the work is done again, and the machine kept until it is.
 * @returns what the node is then, made from what it was
 */
async function completing(
  deps: HandoverDependencies,
  { uuid, holder }: Lock,
  fence: number,
): Promise<Whole> {
  const node = await findNode(deps.stores, uuid);
  assertLockHolder(node, { holder, fence });
  const { handover_uuid: handover } = node;
  if (typeof handover !== 'string') return asItIs;
  const record = await deps.stores.handovers.findBy('uuid', handover);
  // A lease may have ended while the machine was cleaned, by the clock: what that needs is not done yet.
  if (record === undefined || !isDone(node, record)) return asItIs;
  const head = await closeRecords(deps, node, record);
  return detachingFrom(deps, record, head);
}

const asItIs: Whole = (node) => Promise.resolve(node);

/** A node without an instance is no longer allocated: an allocation lasts as long as its instance. */
const withoutInstance = (node: NodeRecord, set: Values): Values =>
  set['instance_uuid'] === null && node.allocation_uuid !== null
    ? { ...set, allocation_uuid: null }
    : set;

/** Whether an order contains a new configuration drive. Only such an order is refused for its size; the rest is Tenure's own. */
const bringsDrive = (node: NodeRecord, { instance_info: info }: Values): boolean =>
  driveOf(info) !== undefined && driveOf(info) !== driveOf(node.instance_info);

const driveOf = (info: unknown): unknown =>
  typeof info === 'object' && info !== null && 'configdrive' in info ? info.configdrive : undefined;
