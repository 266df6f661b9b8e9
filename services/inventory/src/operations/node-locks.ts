import { BadRequestError, ConflictError, nodeField, type NodeRecord } from '@tenure/contracts';
import { assertConditions } from '../domain/conditions.js';
import { hasLeftLock } from '../domain/conductors.js';
import { checkedValue } from '../domain/node-values.js';
import { type Stores } from '../ports/stores.js';
import {
  assertCurrent,
  changeNode,
  lockedError,
  lockLost,
  type NodeChange,
  type WriteContext,
} from './change-node.js';
import { forgetAllocation } from './forget-allocation.js';
import { type Told } from './node-history.js';

type Values = Readonly<Record<string, unknown>>;

// Identity and owner are not a conductor's to write; the lock is written by taking and releasing it only. A lessee is:
// who deploys a node becomes its lessee, and hands it back with the node.
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

/**
 * What a conductor wants written, checked.
 * @throws BadRequestError naming the field
 */
export const conductorValues = (set: Values): Values =>
  Object.fromEntries(
    Object.entries(set).map(([name, value]) => {
      if (nodeField(name) === undefined || NOT_A_CONDUCTORS.has(name))
        throw new BadRequestError(`A conductor cannot set ${name.slice(0, 64)}.`);
      return [name, checkedValue(name, value)];
    }),
  );

/** A lessee with a lease stays until the lease ends, whatever becomes of the instance. */
const withoutLesseeOfLease = (node: NodeRecord, set: Values): Values => {
  if (typeof node.lessee_until !== 'string') return set;
  return Object.fromEntries(Object.entries(set).filter(([name]) => name !== 'lessee'));
};

export interface LockDependencies {
  readonly stores: Pick<Stores, 'nodes' | 'nodeHistory' | 'allocations'>;
  readonly now: () => Date;
}

export interface Lock {
  readonly uuid: string;
  readonly holder: string;
  readonly set: Values;
  /** User on whose behalf the conductor acts; null when on nobody's. */
  readonly user: string | null;
}

/** A write of a conductor, and the node that it was written over. */
export interface LockedChange {
  readonly node: NodeRecord;
  readonly previous: NodeRecord;
}

const toldBy = (
  { nodeHistory }: Pick<Stores, 'nodeHistory'>,
  conductor: string,
  user: string | null,
): Told => ({ nodeHistory, conductor, user });

/** Changes a node, and keeps hold of what was there before. */
const changeKnown = async (change: NodeChange): Promise<LockedChange> => {
  let previous: NodeRecord | undefined;
  const node = await changeNode({
    ...change,
    change: (before) => {
      previous = before;
      return change.change(before);
    },
  });
  return { node, previous: previous ?? node };
};

/** @throws ConflictError `lock_lost` unless this very lock is held */
export const assertHeld = (
  node: NodeRecord,
  { holder, fence }: { readonly holder: string; readonly fence: number },
): void => {
  if (node.reservation !== holder || node.fence !== fence) throw lockLost(node.uuid);
};

/**
 * Takes the lock and writes `set` in one compare-and-set, so that an acknowledged request survives a crash.
 * @throws ConflictError `node_locked`, `condition_not_met`; TenancyChangedError when the decision was made on another tenancy; NotFoundError
 */
export const takeLock = (
  deps: LockDependencies,
  lock: Lock,
  context: WriteContext,
): Promise<LockedChange> => {
  const { uuid, holder, set } = lock;
  return changeKnown({
    nodes: deps.stores.nodes,
    now: deps.now,
    uuid,
    ident: uuid,
    told: toldBy(deps.stores, holder, lock.user),
    change: (node) => {
      assertCurrent(node, context);
      if (node.reservation !== null) throw lockedError(node, context.obligations.fields.masked);
      assertConditions(node, context.obligations, 'act on node');
      const fields = withoutLesseeOfLease(node, set);
      return { ...node, ...fields, reservation: holder, fence: node.fence + 1 };
    },
  });
};

/** A lock that is to change hands: who asks for it, and whose it is known to be. */
export interface TakeOver {
  readonly uuid: string;
  readonly holder: string;
  readonly from: string;
  readonly fence: number;
}

export interface TakeOverDependencies {
  readonly stores: Pick<Stores, 'nodes' | 'nodeHistory' | 'conductors'>;
  readonly now: () => Date;
}

/** When a node was last written, to the second. */
const writtenAt = (node: NodeRecord): Date => new Date(node.updated_at ?? node.created_at);

/**
 * Hands the lock of a conductor that is no more to another, in one compare-and-set. The fence grows: if the old one comes
 * back, its writes are refused.
 * @throws ConflictError `node_locked` unless `from` holds this very lock and is silent, or deregistered since; NotFoundError
 */
export const takeLockOver = (
  { stores, now }: TakeOverDependencies,
  { uuid, holder, from, fence }: TakeOver,
): Promise<LockedChange> =>
  changeKnown({
    nodes: stores.nodes,
    now,
    uuid,
    ident: uuid,
    told: toldBy(stores, holder, null),
    change: async (node) => {
      const conductor = await stores.conductors.findBy('hostname', from);
      const isLeft = conductor !== undefined && hasLeftLock(conductor, writtenAt(node), now());
      if (node.reservation !== from || node.fence !== fence || !isLeft)
        throw new ConflictError(
          'node_locked',
          `The lock on node ${uuid} cannot be taken over from ${from}: it is another's by now, or ${from} is not known to be gone.`,
        );
      return { ...node, reservation: holder, fence: node.fence + 1 };
    },
  });

/** A node whose instance is gone is no longer allocated: an allocation lasts as long as what it was made for. */
const withoutInstance = (node: NodeRecord, set: Values): Values =>
  set['instance_uuid'] === null && node.allocation_uuid !== null
    ? { ...set, allocation_uuid: null }
    : set;

/**
 * Writes under the lock. The right to do so is the fence, not the context's tenancy: tenancy cannot change through the
 * API while the lock is held, and a holder must always be able to let go. An allocation goes with the instance: first the
 * node lets go of it, then its record is removed; a crash in between leaves a record that can be removed again.
 * @throws ConflictError `lock_lost` when holder or fence are not the lock's
 */
export const writeUnderLock = async (
  deps: LockDependencies,
  lock: Lock,
  { fence, release }: { readonly fence: number; readonly release: boolean },
): Promise<LockedChange> => {
  const { uuid, holder, set, user } = lock;
  const held = new Set<string>();
  const written = await changeKnown({
    nodes: deps.stores.nodes,
    now: deps.now,
    uuid,
    ident: uuid,
    told: toldBy(deps.stores, holder, user),
    change: (node) => {
      assertHeld(node, { holder, fence });
      if (node.allocation_uuid !== null) held.add(node.allocation_uuid);
      const fields = withoutLesseeOfLease(node, withoutInstance(node, set));
      return { ...node, ...fields, ...(release && { reservation: null }) };
    },
  });
  if (written.node.allocation_uuid === null)
    for (const allocation of held) await forgetAllocation(deps.stores, allocation);
  return written;
};
