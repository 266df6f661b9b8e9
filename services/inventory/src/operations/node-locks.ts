import { BadRequestError, nodeField, type NodeRecord } from '@tenure/contracts';
import { assertConditions } from '../domain/conditions.js';
import { checkedValue } from '../domain/node-values.js';
import { type NodeStore } from '../ports/stores.js';
import {
  assertCurrent,
  changeNode,
  lockedError,
  lockLost,
  type WriteContext,
} from './change-node.js';

type Values = Readonly<Record<string, unknown>>;

// Identity and tenancy are not a conductor's to write; the lock is written by taking and releasing it only.
const NOT_A_CONDUCTORS: ReadonlySet<string> = new Set([
  'uuid',
  'created_at',
  'updated_at',
  'name',
  'owner',
  'lessee',
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

export interface LockDependencies {
  readonly nodes: NodeStore;
  readonly now: () => Date;
}

export interface Lock {
  readonly uuid: string;
  readonly holder: string;
  readonly set: Values;
}

/**
 * Takes the lock and writes `set` in one compare-and-set, so that an acknowledged request survives a crash.
 * @throws ConflictError `node_locked`, `condition_not_met`; TenancyChangedError when the decision was made on another tenancy; NotFoundError
 */
export const takeLock = (
  { nodes, now }: LockDependencies,
  { uuid, holder, set }: Lock,
  context: WriteContext,
): Promise<NodeRecord> =>
  changeNode({
    nodes,
    now,
    uuid,
    ident: uuid,
    change: (node) => {
      assertCurrent(node, context);
      if (node.reservation !== null) throw lockedError(node, context.obligations.fields.masked);
      assertConditions(node, context.obligations, 'act on node');
      return { ...node, ...set, reservation: holder, fence: node.fence + 1 };
    },
  });

/**
 * Writes under the lock. The right to do so is the fence, not the context's tenancy: tenancy cannot change through the
 * API while the lock is held, and a holder must always be able to let go.
 * @throws ConflictError `lock_lost` when holder or fence are not the lock's
 */
export const writeUnderLock = (
  { nodes, now }: LockDependencies,
  { uuid, holder, set }: Lock,
  { fence, release }: { readonly fence: number; readonly release: boolean },
): Promise<NodeRecord> =>
  changeNode({
    nodes,
    now,
    uuid,
    ident: uuid,
    change: (node) => {
      if (node.reservation !== holder || node.fence !== fence) throw lockLost(uuid);
      return { ...node, ...set, ...(release && { reservation: null }) };
    },
  });
