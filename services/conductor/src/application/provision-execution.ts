import { type NodeRecord } from '@tenure/contracts';
import { deadlineIn, deadlineWithin } from '@tenure/process';
import { ABORTED, stopOf } from '../domain/clean-results.js';
import { safeReason } from '../domain/driver-failure.js';
import { hardwareBefore, withHardwareBefore } from '../domain/hardware-before.js';
import {
  doneFields,
  failedFields,
  type Fields,
  tornDownFields,
  type WorkResult,
} from '../domain/provision/fields.js';
import {
  isTenantsWork,
  type PendingProvision,
  pendingProvisionOf,
} from '../domain/provision/pending.js';
import { unsupported } from '../domain/provision/refusals.js';
import { type BusyState, isBusyState } from '../domain/provision/states.js';
import { isSteppedState, type SteppedState } from '../domain/provision/steps.js';
import { type JobResult } from '../ports/provisioning.js';
import { executeInspection } from './agent-inspection.js';
import { executeRescue } from './agent-rescue.js';
import { agentBootOf } from './agent-session.js';
import { keepFoundPorts } from './found-ports.js';
import {
  clearTornDown,
  endsHandover,
  type HandoverWorkOptions,
  reportCleanStopped,
} from './handover-work.js';
import { type LockedWork, withInventoryRetry, writeWithRetry } from './locked-write.js';
import { type NodeLock, isLockLost } from './node-locks.js';
import { type ProvisioningPorts, type SharedParts } from './shared-parts.js';
import { executeSteps } from './step-execution.js';
import { needsAgentFirst } from './step-plan.js';
import { abandonedOn } from './under-lock.js';
import { jobUnder } from './work-job.js';

/** Time limits of provisioning, milliseconds. */
export interface ProvisionLimits {
  /** A whole order. */
  readonly orderMs: number;
}

export const PROVISION_LIMITS: ProvisionLimits = { orderMs: 1_800_000 };

type ProvisionOutcome = 'done' | 'failed' | 'lock_lost' | 'handed_back';

export interface ProvisionExecutionOptions
  extends
    HandoverWorkOptions,
    Pick<SharedParts, 'inventory' | 'logger' | 'stopping'>,
    Pick<ProvisioningPorts, 'agents' | 'media' | 'ports'> {
  readonly limits: ProvisionLimits;
  readonly observe: (driver: string, outcome: ProvisionOutcome) => void;
  /** Reads BIOS settings and firmware versions again; never throws. */
  readonly refreshDocuments: (node: NodeRecord) => Promise<void>;
}

/** Provisioning under a lock. */
interface Run extends LockedWork {
  readonly options: ProvisionExecutionOptions;
}

/** Milliseconds that the BMC is given to say what is set. */
const READ_MS = 60_000;

/** States whose work sets the boot device of the machine, with an agent or without one. */
const BOOTING: ReadonlySet<BusyState> = new Set(['deploying', 'rescuing', 'unrescuing']);

const NOT_CLEANED =
  'no agent can be booted without driver_info.deploy_iso: cleaning has only the steps of the driver';

/** Milliseconds in which firmware is read, and the inventory has to take what was cleaned. */
const REPORT_MS = 120_000;
/** Milliseconds in which the inventory has to take that a cleaning stopped; the record of the node does not wait longer. */
const STOPPED_MS = 15_000;

/** Milliseconds that are spent on taking the agent off a machine on which its work failed. */
const LEAVE_MS = 60_000;

const LEAVING = 'take the agent off';

/** Takes the agent off a machine on which its work failed; it is no failure of its own when that cannot be done. */
export async function dismissAgent(
  lock: NodeLock,
  {
    driverOf,
    logger,
    stopping,
  }: Pick<ProvisionExecutionOptions, 'driverOf' | 'logger' | 'stopping'>,
): Promise<Fields> {
  const node = lock.node();
  const boot = agentBootOf(driverOf, node);
  if (boot === undefined) return {};
  const deadline = deadlineIn(LEAVE_MS, stopping);
  try {
    const { set = {} } = await boot.leave(node, jobUnder({ lock, deadline }, LEAVING), deadline);
    return set;
  } catch (error) {
    if (isLockLost(error)) throw error;
    logger.warn({ node: node.uuid, err: error }, 'the agent could not be taken off the machine');
    return {};
  }
}

/**
 * Carries on with the work that the node's state requires, and releases the node: in the state it was to reach, or in the
 * failed one with `last_error`. Stops acting at once when the lock is lost.
 */
export async function executeProvision(
  lock: NodeLock,
  options: ProvisionExecutionOptions,
): Promise<void> {
  const { driver } = lock.node();
  let outcome: ProvisionOutcome = 'done';
  try {
    const set = await carryOut(lock, options);
    const deadline = deadlineIn(REPORT_MS, options.stopping);
    await lock.releaseWithRetry(set, await endsHandover({ lock, deadline }, set, options));
  } catch (error) {
    outcome = await fail(lock, error, options);
  }
  options.observe(driver, outcome);
}

/**
 * Does the work of the node's state, and of the states that follow from it, each persisted before it is begun.
 * Returns the fields to release the node with.
 */
async function carryOut(lock: NodeLock, options: ProvisionExecutionOptions): Promise<Fields> {
  const { stopping, limits, now, logger } = options;
  const run = { lock, options, deadline: deadlineIn(limits.orderMs, stopping) };
  for (;;) {
    const node = lock.node();
    const state = node.provision_state;
    const pending = pendingProvisionOf(node);
    if (!isBusyState(state) || pending === undefined)
      throw new Error(`an order without work in state ${state}`);
    await keepBootDevice(run, state);
    if (isAgents(state, node)) return executeInspection(run, pending);
    const stepped = steppedStateOf(node, state, pending, options);
    if (stepped !== undefined) return carryOutSteps(run, stepped);
    if (isAgentsRescue(state, node, options)) return carryOutRescue(run);
    if (isCleanedWithoutAgent(state, node, options)) logger.info({ node: node.uuid }, NOT_CLEANED);
    const result = await performAndStore(run, state);
    if (state !== 'deleting') return doneFields(lock.node(), state, result, now());
    await clearTornDown(run, options);
    await writeWithRetry(run, tornDownFields(lock.node(), result, now()));
  }
}

async function fail(
  lock: NodeLock,
  error: unknown,
  options: ProvisionExecutionOptions,
): Promise<ProvisionOutcome> {
  const { logger, stopping, now } = options;
  const abandoned = abandonedOn(error, lock, stopping);
  if (abandoned === 'lock_lost')
    logger.warn({ node: lock.uuid }, 'the lock was lost during provisioning; nothing more is done');
  if (abandoned !== undefined) return abandoned;
  const { provision_state: state } = lock.node();
  logger.warn({ node: lock.uuid, state, err: error }, 'provisioning failed');
  if (!isBusyState(state)) {
    await lock.releaseWithRetry({});
    return 'failed';
  }
  const stop = pendingProvisionOf(lock.node())?.abortAfter === true ? ABORTED : stopOf(error);
  const telling = { options, deadline: deadlineIn(STOPPED_MS, stopping) };
  await reportCleanStopped(lock.context(), lock.node(), stop, telling);
  const hadAgent = pendingProvisionOf(lock.node())?.agent !== undefined;
  const left = hadAgent && state !== 'servicing' ? await dismissAgent(lock, options) : {};
  await lock.releaseWithRetry({
    ...left,
    ...failedFields(lock.node(), state, safeReason(error), now()),
  });
  return 'failed';
}

/** Records the boot device before a tenant's work changes it, so that it can be restored. */
async function keepBootDevice(run: Run, state: BusyState): Promise<void> {
  const node = run.lock.node();
  const { driverOf } = run.options;
  if (!isTenantsWork(node) || hardwareBefore(node).boot_device !== undefined) return;
  if (!BOOTING.has(state) && agentBootOf(driverOf, node) === undefined) return;
  const deadline = deadlineWithin(run.deadline, READ_MS);
  const boot_device = await driverOf(node).getBootDevice(node, deadline);
  const info = withHardwareBefore(node, { boot_device });
  await writeWithRetry({ ...run, deadline }, { driver_internal_info: info });
}

/** True when a lookup of the machine by its agent, and not the driver, is to inspect the node. */
const isAgents = (state: BusyState, node: NodeRecord): boolean =>
  state === 'inspecting' && node.inspect_interface === 'agent';

/** The state when its work consists of steps: because some were requested, or because the agent has some. */
function steppedStateOf(
  node: NodeRecord,
  state: BusyState,
  pending: PendingProvision,
  options: ProvisionExecutionOptions,
): SteppedState | undefined {
  if (!isSteppedState(state)) return undefined;
  if (pending.steps.length > 0 || pending.agent !== undefined) return state;
  if (isUnwanted(state, node)) return undefined;
  const { isDeployedByAgent } = options.driverOf(node).provisioning;
  const hasOwn =
    state === 'deploying'
      ? isDeployedByAgent?.(node) === true
      : needsAgentFirst(node, { state, options, pending });
  return hasOwn ? state : undefined;
}

async function carryOutSteps(run: Run, state: SteppedState): Promise<Fields> {
  const waiting = await executeSteps({ ...run, state });
  if (waiting !== undefined) return waiting;
  const ended = await endSteps(run, state);
  return doneFields(run.lock.node(), state, ended, run.options.now());
}

/** True when an agent, and not a job of the driver's, brings the machine into rescue. */
const isAgentsRescue = (
  state: BusyState,
  node: NodeRecord,
  { driverOf }: ProvisionExecutionOptions,
): boolean => state === 'rescuing' && driverOf(node).provisioning.agent !== undefined;

async function carryOutRescue(run: Run): Promise<Fields> {
  const waiting = await executeRescue({ ...run, state: 'rescuing' });
  return waiting ?? doneFields(run.lock.node(), 'rescuing', {}, run.options.now());
}

const isCleanedWithoutAgent = (
  state: BusyState,
  node: NodeRecord,
  { driverOf }: ProvisionExecutionOptions,
): boolean =>
  state === 'cleaning' &&
  !isUnwanted(state, node) &&
  driverOf(node).provisioning.agent !== undefined &&
  agentBootOf(driverOf, node) === undefined;

/** Does a job of the driver's, and keeps what it found. */
async function performAndStore(run: Run, state: BusyState): Promise<JobResult> {
  const result = await perform(run, state);
  await storeFindings(run, result);
  if (state === 'verifying') await run.options.refreshDocuments(run.lock.node());
  return result;
}

const isUnwanted = (state: BusyState, node: NodeRecord): boolean =>
  state === 'cleaning' &&
  node.target_provision_state === 'available' &&
  node.automated_clean === false;

/** After the steps the agent leaves the machine, which is off then, or in service again. */
async function endSteps(run: Run, state: SteppedState): Promise<WorkResult> {
  const { lock, deadline, options } = run;
  const { agent } = options.driverOf(lock.node()).provisioning;
  if (pendingProvisionOf(lock.node())?.agent === undefined || agent === undefined) return {};
  const job = jobUnder(run, `end of ${state}`);
  if (state === 'cleaning') return agent.leave(lock.node(), job, deadline);
  // A deployment has steps of its own for it.
  return state === 'servicing' ? agent.startInstance(lock.node(), job, deadline) : {};
}

async function perform(run: Run, state: BusyState): Promise<JobResult> {
  const node = run.lock.node();
  if (isUnwanted(state, node)) return {};
  const job = run.options.driverOf(node).provisioning.jobs[state];
  if (job === undefined) throw unsupported(node, state);
  return job(node, jobUnder(run, `job ${state}`), run.deadline);
}

/** Stores the results of an inspection other than the node's own fields. */
async function storeFindings(run: Run, { inventory: found, ports = [] }: JobResult): Promise<void> {
  const { lock, deadline, options } = run;
  if (found !== undefined) {
    const change = { ...lock.proof, document: found };
    await withInventoryRetry(
      () => options.inventory.putDocument(lock.context(), lock.uuid, 'inventory', change),
      deadline,
    );
  }
  await keepFoundPorts(run, ports, options);
}
