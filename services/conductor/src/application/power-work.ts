import { BadRequestError, type CallContext, type NodeRecord } from '@tenure/contracts';
import { currentSpan } from '@tenure/process';
import {
  type PowerRequest,
  goalOf,
  freshPending,
  isPlain,
  isPowerTarget,
  PENDING_POWER,
  type PendingPower,
  type PowerOrder,
  type PowerState,
  toPendingRecord,
  withoutPending,
} from '../domain/power.js';
import { type NodeLock } from './node-locks.js';
import { execute, type Execution, type ExecutionOptions } from './power-execution.js';
import { createRunningTasks } from './running-tasks.js';
import { type SharedParts } from './shared-parts.js';
import { orRelease, abandonOnFailure } from './under-lock.js';

export interface PowerWorkOptions
  extends ExecutionOptions, Pick<SharedParts, 'inventory' | 'locks' | 'workers'> {}

/** A node, and how the caller named it. */
interface NamedNode {
  readonly uuid: string;
  readonly ident: string;
}

export interface PowerWork {
  /** Accepts the order: once this resolves, it is persisted with the lock and is carried out even if the process dies. */
  readonly accept: (context: CallContext, node: NamedNode, request: PowerRequest) => Promise<void>;
  /** Records an order under a lock that is ours, and carries it out as if a client had sent it. */
  readonly start: (lock: NodeLock, target: PowerState) => Promise<void>;
  /** Carries on with an order under a lock that is ours; `commandMs` when the command has less time than a fresh one. */
  readonly resume: (lock: NodeLock, pending: PendingPower, commandMs?: number) => void;
  /** Resolves when nothing is running any more. */
  readonly idle: () => Promise<void>;
}

const BUSY_STATES = new Set(['cleaning', 'clean wait']);

export function createPowerWork(options: PowerWorkOptions): PowerWork {
  const { inventory, locks, logger, limits } = options;
  const running = createRunningTasks(options.workers, 'power');

  const taskOf = (execution: Execution, commandMs = limits.commandMs): Promise<void> => {
    currentSpan()?.setAttributes({
      'tenure.node': execution.lock.uuid,
      'tenure.target': execution.pending.target,
    });
    const reserveMs = Math.min(limits.reserveMs, commandMs / 2);
    const within = { ...options, limits: { ...limits, commandMs, reserveMs } };
    const { lock } = execution;
    const task = execute(execution, within);
    return abandonOnFailure(lock, task, logger, 'a power command could not be completed');
  };

  return {
    accept: (context, { uuid, ident }, request) =>
      running.accept('urgent', async (begin) => {
        const before = await inventory.getNode(context, uuid);
        const order = checkedOrder(before, ident, request);
        // A resume must never find half an order: it would switch a machine off hard that was to be shut down softly.
        const written = isPlain(order) ? orderFields(order) : undefined;
        const lock = await locks.take(context, uuid, written);
        // Refused, so the order is removed again: a write whose response was lost may have been made.
        const undone = () => ({
          target_power_state: null,
          last_error: before.last_error,
          driver_internal_info: withoutPending(lock.node()),
        });
        await orRelease(lock, () => prepare(options, lock, { ident, order }), undone);
        begin(() => taskOf({ lock, pending: freshPending(order), resumed: false }));
      }),
    start: async (lock, target) => {
      const order = { target, timeoutSeconds: null };
      await lock.write({
        ...orderFields(order),
        driver_internal_info: withoutPending(lock.node()),
      });
      running.add(() => taskOf({ lock, pending: freshPending(order), resumed: false }));
    },
    resume: (lock, pending, commandMs) => {
      running.add(() => taskOf({ lock, pending, resumed: true }, commandMs));
    },
    idle: running.idle,
  };
}

function checkedOrder(node: NodeRecord, ident: string, request: PowerRequest): PowerOrder {
  const { target, timeoutSeconds } = request;
  if (!isPowerTarget(target)) throw invalidState(target, ident, node.power_state);
  if (BUSY_STATES.has(node.provision_state))
    throw invalidState(target, ident, node.provision_state);
  return { target, timeoutSeconds };
}

const orderFields = ({ target }: PowerOrder) => ({
  target_power_state: goalOf(target),
  last_error: null,
});

/** Checks an order again under its lock, and records what its reservation could not say. */
async function prepare(
  { driverOf, now }: PowerWorkOptions,
  lock: NodeLock,
  { ident, order }: { readonly ident: string; readonly order: PowerOrder },
): Promise<void> {
  const node = lock.node();
  checkedOrder(node, ident, order);
  await driverOf(node).validate(node);
  const info = withoutPending(node);
  if (!isPlain(order)) {
    const record = toPendingRecord(freshPending(order), now().toISOString());
    const driver_internal_info = { ...info, [PENDING_POWER]: record };
    await lock.write({ ...orderFields(order), driver_internal_info });
  } else if (PENDING_POWER in node.driver_internal_info)
    // Of work that was interrupted: a resume must not take its command for the one of this order.
    await lock.write({ driver_internal_info: info });
}

const invalidState = (action: string, ident: string, state: string | null): BadRequestError =>
  new BadRequestError(
    `The requested action "${action}" can not be performed on node "${ident}" while it is in state "${state ?? 'None'}".`,
  );
