import { type CallContext, fieldOf, type NodeRecord } from '@tenure/contracts';
import { currentSpan, deadlineIn } from '@tenure/process';
import { ABORTED } from '../domain/clean-results.js';
import { isForTenant } from '../domain/hardware-before.js';
import { instanceTraitsOf, withTemplates } from '../domain/provision/deploy-templates.js';
import {
  abortAfterFields,
  failedFields,
  type Fields,
  lesseeWith,
  restFields,
  startFields,
} from '../domain/provision/fields.js';
import { type ProvisionOrder } from '../domain/provision/order.js';
import { pendingProvisionOf } from '../domain/provision/pending.js';
import { checkedTransition, unsupported } from '../domain/provision/refusals.js';
import { isBusyState } from '../domain/provision/states.js';
import { type Transition } from '../domain/provision/transitions.js';
import { isToGoOn } from './agent-wake.js';
import { reportCleanStopped } from './handover-work.js';
import { type NodeLock } from './node-locks.js';
import {
  dismissAgent,
  executeProvision,
  type ProvisionExecutionOptions,
} from './provision-execution.js';
import { createRunningTasks } from './running-tasks.js';
import { type ProvisioningPorts, type SharedParts } from './shared-parts.js';
import { releaseQuietly, orRelease, abandonOnFailure } from './under-lock.js';

export interface ProvisionWorkOptions
  extends
    ProvisionExecutionOptions,
    Pick<SharedParts, 'locks' | 'workers'>,
    Pick<ProvisioningPorts, 'templates'> {}

export interface ProvisionWork {
  /** Accepts the order: once this resolves, it is persisted under the lock and is carried out even if the process dies. */
  readonly accept: (context: CallContext, uuid: string, order: ProvisionOrder) => Promise<void>;
  /** Carries on with the pending order of the node, under a lock that is ours. */
  readonly resume: (lock: NodeLock) => void;
  /** Goes on with work that waits for its agent, which has just reported, under a lock that is ours. */
  readonly goOn: (lock: NodeLock) => void;
  /** Resolves when nothing is running any more. */
  readonly idle: () => Promise<void>;
}

/** Milliseconds in which the inventory has to take that a cleaning stopped: the caller waits for the answer. */
const STOPPED_MS = 2000;

type Next = 'dismiss' | 'rest' | 'work';

export function createProvisionWork(options: ProvisionWorkOptions): ProvisionWork {
  const { inventory, locks, workers, logger } = options;
  const running = createRunningTasks(workers, 'provision');

  const guarded = (lock: NodeLock, work: Promise<void>): Promise<void> =>
    abandonOnFailure(lock, work, logger, 'provisioning could not be completed');

  const taskOf = (lock: NodeLock): Promise<void> => {
    currentSpan()?.setAttributes({ 'tenure.node': lock.uuid });
    return guarded(lock, executeProvision(lock, options));
  };

  const dismissed = async (lock: NodeLock): Promise<void> =>
    lock.releaseWithRetry(await dismissAgent(lock, options));

  const continueOrRelease = async (lock: NodeLock): Promise<void> => {
    if (await isToGoOn(lock, options)) await executeProvision(lock, options);
  };

  return {
    accept: (context, uuid, order) =>
      running.accept(order.event === 'abort' ? 'urgent' : 'ordinary', async (begin) => {
        const seen = await inventory.getNode(context, uuid);
        // A lock that another conductor owns is reported first, with the inventory's error; a refusal then needs no lock.
        if (seen.reservation === null) checkedTransition(order, seen);
        const lock = await locks.take(context, uuid);
        const next = await recordOrder(lock, order, options);
        if (next === 'work') begin(() => taskOf(lock));
        else if (next === 'dismiss') begin(() => guarded(lock, dismissed(lock)));
      }),
    resume: (lock) => {
      const isOrdered = pendingProvisionOf(lock.node()) !== undefined;
      running.add(() => (isOrdered ? taskOf(lock) : guarded(lock, failInterrupted(lock, options))));
    },
    goOn: (lock) => {
      running.add(() => guarded(lock, continueOrRelease(lock)));
    },
    idle: running.idle,
  };
}

/**
 * Writes an order down under its lock. Returns what is left to do; a node that only rests elsewhere is released.
 * Throws the error that the caller gets; the node is left unchanged then.
 */
async function recordOrder(
  lock: NodeLock,
  order: ProvisionOrder,
  options: ProvisionWorkOptions,
): Promise<Next> {
  const before = lock.node();
  let set: Fields = {};
  const write = async (): Promise<Next> => {
    const transition = await checked(before, order, options);
    const wanted = transition.kind === 'work' ? await completed(lock, order, options) : order;
    const tenancy = { owner: before.owner, lessee: lesseeWith(before, wanted) };
    const ordered = { ...wanted, byTenant: isForTenant(tenancy, lock.context()) };
    const todo = written(before, ordered, transition, options.now());
    ({ set } = todo);
    await lock.write(set);
    return todo.next;
  };
  const next = await orRelease(lock, write, () => asBefore(before, set));
  if (order.event === 'abort' && lock.node().provision_state === 'clean failed') {
    const telling = { options, deadline: deadlineIn(STOPPED_MS, options.stopping) };
    await reportCleanStopped(lock.context(), before, ABORTED, telling);
  }
  if (next === 'rest') await releaseQuietly(lock);
  return next;
}

/** Fails a node that was left in a busy state without a pending order. */
async function failInterrupted(
  lock: NodeLock,
  { now }: Pick<ProvisionWorkOptions, 'now'>,
): Promise<void> {
  const node = lock.node();
  const reason = 'the conductor was interrupted, and no order was recorded';
  if (isBusyState(node.provision_state))
    await lock.releaseWithRetry(failedFields(node, node.provision_state, reason, now()));
}

/** The transition of the order, checked against the node and its driver. */
async function checked(
  node: NodeRecord,
  order: ProvisionOrder,
  { driverOf }: ProvisionWorkOptions,
): Promise<Transition> {
  const transition = checkedTransition(order, node);
  if (transition.kind === 'rest') return transition;
  const driver = driverOf(node);
  const { jobs, check } = driver.provisioning;
  if (jobs[transition.enters] === undefined) throw unsupported(node, order.target);
  // The work of `manage` itself checks the settings of the node.
  if (order.event === 'manage') return transition;
  check?.(node, transition.enters);
  await driver.validate(node);
  return transition;
}

/**
 * The order with the steps that the templates of the instance add to it now. It is persisted so: a later change of a template
 * does not change a deployment that has begun.
 */
async function completed(
  lock: NodeLock,
  order: ProvisionOrder,
  { templates }: ProvisionWorkOptions,
): Promise<ProvisionOrder> {
  if (order.event !== 'deploy' && order.event !== 'rebuild') return order;
  const traits = instanceTraitsOf(lock.node());
  return traits.length === 0
    ? order
    : withTemplates(order, await templates.find(lock.context(), traits));
}

/** The fields to write for an order, and the action that follows. */
function written(
  node: NodeRecord,
  order: ProvisionOrder,
  transition: Transition,
  now: Date,
): { readonly set: Fields; readonly next: Next } {
  if (transition.kind === 'work')
    return { set: startFields(node, order, transition, now), next: 'work' };
  const later = order.event === 'abort' ? abortAfterFields(node, now) : undefined;
  if (later !== undefined) return { set: later, next: 'rest' };
  const hasAgent = pendingProvisionOf(node)?.agent !== undefined;
  return {
    set: restFields(node, order.event, transition, now),
    next: hasAgent && node.provision_state !== 'service wait' ? 'dismiss' : 'rest',
  };
}

const asBefore = (before: NodeRecord, written: Fields): Fields =>
  Object.fromEntries(Object.keys(written).map((name) => [name, fieldOf(before, name)]));
