import { type NodeRecord } from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import { type Deadline, deadlineIn } from '../deadline.js';
import { safeReason } from '../domain/driver-failure.js';
import {
  doneFields,
  failedFields,
  type Fields,
  tornDownFields,
  waitingFields,
} from '../domain/provision/fields.js';
import { pendingProvisionOf } from '../domain/provision/pending.js';
import { unsupported } from '../domain/provision/refusals.js';
import { type BusyState, isBusyState } from '../domain/provision/states.js';
import { isSteppedState } from '../domain/provision/steps.js';
import { type DriverOf } from '../ports/hardware-driver.js';
import { type InventoryPort } from '../ports/inventory-port.js';
import { type JobResult } from '../ports/provisioning.js';
import { type KeepFoundPorts } from './found-ports.js';
import { type HeldLock, isLockLost } from './node-locks.js';
import { patiently, writePatiently } from './patient-write.js';
import { executeSteps, proofOf } from './step-execution.js';

/** Time limits of provisioning, milliseconds. */
export interface ProvisionLimits {
  /** A whole order. */
  readonly orderMs: number;
}

export const PROVISION_LIMITS: ProvisionLimits = { orderMs: 1_800_000 };

type ProvisionOutcome = 'done' | 'failed' | 'lock_lost' | 'handed_back';

export interface ProvisionExecutionOptions {
  readonly inventory: InventoryPort;
  readonly driverOf: DriverOf;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
  readonly now: () => Date;
  readonly limits: ProvisionLimits;
  readonly observe: (driver: string, outcome: ProvisionOutcome) => void;
  /** Detaches every VIF of a node that is being torn down. */
  readonly detachAll: (lock: HeldLock, deadline: Deadline) => Promise<void>;
  readonly keepFoundPorts: KeepFoundPorts;
  /** Reads what the hardware says of itself anew; never throws. */
  readonly refreshDocuments: (node: NodeRecord) => Promise<void>;
}

const isUnwanted = (state: BusyState, node: NodeRecord): boolean =>
  state === 'cleaning' &&
  node['target_provision_state'] === 'available' &&
  node['automated_clean'] === false;

const perform = async (
  lock: HeldLock,
  state: BusyState,
  { driverOf }: ProvisionExecutionOptions,
  deadline: Deadline,
): Promise<JobResult> => {
  const node = lock.node();
  if (isUnwanted(state, node)) return {};
  const job = driverOf(node).provisioning.jobs[state];
  if (job === undefined) throw unsupported(node, state);
  return job(node, { proceed: proofOf(lock, deadline) }, deadline);
};

/** What an inspection found beside the node itself. */
const storeFindings = async (
  lock: HeldLock,
  { inventory: found, ports = [] }: JobResult,
  { inventory, keepFoundPorts }: ProvisionExecutionOptions,
  deadline: Deadline,
): Promise<void> => {
  if (found !== undefined) {
    const change = { ...lock.proof, document: found };
    await patiently(
      () => inventory.putDocument(lock.behalf(), lock.uuid, 'inventory', change),
      deadline,
    );
  }
  await keepFoundPorts(lock, ports, deadline);
};

/** True when a lookup of the machine by its agent, and not the driver, is to inspect the node. */
const isAgents = (state: BusyState, node: NodeRecord): boolean =>
  state === 'inspecting' && node['inspect_interface'] === 'agent';

/**
 * Does the work of the node's state, and of the states that follow from it, each written down before it is begun.
 * Returns what the node is to be released with.
 */
const carryOut = async (lock: HeldLock, options: ProvisionExecutionOptions): Promise<Fields> => {
  const { stopping, limits, now } = options;
  const deadline = deadlineIn(limits.orderMs, stopping);
  for (;;) {
    const node = lock.node();
    const state = node.provision_state;
    const pending = pendingProvisionOf(node);
    if (!isBusyState(state) || pending === undefined)
      throw new Error(`an order without work in state ${state}`);
    if (isAgents(state, node)) return waitingFields('inspect wait', node, now());
    if (isSteppedState(state) && pending.steps.length > 0) {
      const held = await executeSteps(lock, { state, pending }, options, deadline);
      return held ?? doneFields(lock.node(), state, {}, now());
    }
    const result = await perform(lock, state, options, deadline);
    await storeFindings(lock, result, options, deadline);
    if (state === 'verifying') await options.refreshDocuments(lock.node());
    if (state !== 'deleting') return doneFields(lock.node(), state, result, now());
    await options.detachAll(lock, deadline);
    await writePatiently(lock, tornDownFields(lock.node(), result, now()), deadline);
  }
};

const fail = async (
  lock: HeldLock,
  error: unknown,
  { logger, stopping, now }: ProvisionExecutionOptions,
): Promise<ProvisionOutcome> => {
  if (isLockLost(error)) {
    lock.abandon();
    logger.warn({ node: lock.uuid }, 'the lock was lost during provisioning; nothing more is done');
    return 'lock_lost';
  }
  if (stopping.aborted) {
    lock.abandon();
    return 'handed_back';
  }
  const { provision_state: state } = lock.node();
  logger.warn({ node: lock.uuid, state, err: error }, 'provisioning failed');
  if (isBusyState(state))
    await lock.settle(failedFields(lock.node(), state, safeReason(error), now()));
  else await lock.settle({});
  return 'failed';
};

/**
 * Carries on with the work that the node's state asks for, and settles the node: in the state it was to reach, or in the
 * failed one with `last_error`, and released. Stops acting at once when the lock is lost.
 */
export const executeProvision = async (
  lock: HeldLock,
  options: ProvisionExecutionOptions,
): Promise<void> => {
  const { driver } = lock.node();
  let outcome: ProvisionOutcome = 'done';
  try {
    await lock.settle(await carryOut(lock, options));
  } catch (error) {
    outcome = await fail(lock, error, options);
  }
  options.observe(driver, outcome);
};
