import { createHash } from 'node:crypto';
import {
  AppError,
  timestampOf,
  type CallContext,
  type HandoverStep,
  type NodeRecord,
} from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { agentAddressOf } from '../domain/agent.js';
import {
  cleanedByDriver,
  type CleanResult,
  cleanResultsOf,
  type CleanStop,
  isCleanedForHandover,
  notCleaned,
  resultsUntil,
} from '../domain/clean-results.js';
import { type Fields } from '../domain/provision/fields.js';
import { recordedPlan } from '../domain/provision/step-progress.js';
import { type HandoverReport } from '../ports/handover-book.js';
import { firmwareNow } from './firmware-now.js';
import { type Clear, ClearingFailure } from './handover-clearing.js';
import { type LockedWork, withInventoryRetry } from './locked-write.js';
import { isLockLost } from './node-locks.js';
import { type SharedParts } from './shared-parts.js';

export interface HandoverWorkOptions extends Pick<SharedParts, 'driverOf' | 'handovers' | 'now'> {
  /** Clears a machine under its lock. */
  readonly clear: Clear;
}

interface Cleaning {
  readonly outcome: HandoverStep['outcome'];
  readonly erased: readonly CleanResult[];
}

const SWITCHED_OFF = 'Automated cleaning is off for the node.';
const NO_STEP = 'No clean step could be run on the node.';

/** Maximum length of a step's error text. */
const MAX_STEP_DETAIL = 255;

/**
 * Clears a machine that is being torn down, before it is cleaned, and records the progress of its handover.
 * @throws what the step that failed threw
 */
export async function clearTornDown(work: LockedWork, options: HandoverWorkOptions): Promise<void> {
  const at = timestampOf(options.now());
  const undeployed: HandoverStep = { step: 'undeploy', outcome: 'done', at, detail: null };
  try {
    const { steps, put_back } = await options.clear(work);
    const said = { status: 'open', phase: 'undeploying', put_back } as const;
    await report(work, options, { ...said, steps: [undeployed, ...steps] });
  } catch (error) {
    if (!(error instanceof ClearingFailure) || isLockLost(error)) throw error;
    await report(work, options, { status: 'open', ...error.cleared });
    throw error.cause;
  }
}

/**
 * Records that the cleaning of a node in a handover has stopped, with the results of its steps. An error of the inventory
 * is not thrown.
 * @param node as it was when the cleaning stopped
 */
export async function reportCleanStopped(
  context: CallContext,
  node: NodeRecord,
  stop: CleanStop,
  {
    options: { handovers, now },
    deadline,
  }: {
    readonly options: Pick<HandoverWorkOptions, 'handovers' | 'now'>;
    readonly deadline: Deadline;
  },
): Promise<void> {
  const uuid = handoverOf(node);
  if (uuid === undefined || !isCleanedForHandover(node)) return;
  const at = timestampOf(now());
  const detail = (stop.detail ?? stop.reason).slice(0, MAX_STEP_DETAIL);
  const said: HandoverReport = {
    status: 'open',
    steps: [{ step: 'clean', outcome: 'failed', at, detail }],
    erased: resultsUntil(node, stop, now()).map((result) => ({ ...result })),
  };
  try {
    await withInventoryRetry(() => handovers.report(context, uuid, said), deadline);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/**
 * Whether the work that has just been done on a node ends its handover: it was cleared, and is cleaned with this. Records
 * what was cleaned. When the inventory refuses that, the handover is ended later.
 * @param set the fields that the node is about to be released with
 */
export async function endsHandover(
  work: LockedWork,
  set: Fields,
  options: HandoverWorkOptions,
): Promise<boolean> {
  try {
    return await reportCleaned(work, set, options);
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

async function report(
  { lock, deadline }: LockedWork,
  { handovers }: HandoverWorkOptions,
  said: HandoverReport,
): Promise<void> {
  const uuid = handoverOf(lock.node());
  if (uuid === undefined) return;
  await withInventoryRetry(() => handovers.report(lock.context(), uuid, said), deadline);
}

const handoverOf = ({ handover_uuid: uuid }: NodeRecord): string | undefined =>
  typeof uuid === 'string' ? uuid : undefined;

/** As `endsHandover`. @throws AppError */
async function reportCleaned(
  work: LockedWork,
  set: Fields,
  options: HandoverWorkOptions,
): Promise<boolean> {
  const { lock, deadline } = work;
  const node = lock.node();
  const uuid = handoverOf(node);
  if (uuid === undefined || !isCleaned(node, set)) return false;
  // A handover whose cleaning is not reported is cleaned again.
  const record = await withInventoryRetry(
    () => options.handovers.get(lock.context(), uuid),
    deadline,
  );
  if (record === undefined || record.phase === null) return false;
  const agent = agentDigestOf(node);
  const { outcome, erased } = cleaningOf(node, options);
  const at = timestampOf(options.now());
  const said: HandoverReport = {
    status: 'open',
    phase: 'cleaning',
    steps: [{ step: 'clean', outcome, at, detail: null }],
    erased: erased.map((result) => ({ ...result })),
    firmware: await firmwareNow(options, node, deadline),
    ...(agent !== undefined && { agent }),
  };
  await report(work, options, said);
  return true;
}

/** Whether automated cleaning has just ended, and the node comes to rest. */
const isCleaned = (node: NodeRecord, { provision_state: state }: Fields): boolean =>
  node.provision_state === 'cleaning' &&
  node.target_provision_state === 'available' &&
  (state === 'available' || state === 'manageable');

/** Digest that identifies the agent that cleaned: of its certificate, or else of its secret. */
function agentDigestOf(node: NodeRecord): string | undefined {
  const agent = agentAddressOf(node);
  if (agent === undefined) return undefined;
  return createHash('sha256')
    .update(agent.verifyCa ?? agent.token)
    .digest('hex');
}

/** The results of cleaning as the steps reported them, not as they were planned. */
function cleaningOf(
  node: NodeRecord,
  { driverOf, now }: Pick<HandoverWorkOptions, 'driverOf' | 'now'>,
): Cleaning {
  if (node.automated_clean === false)
    return { outcome: 'nothing_to_do', erased: [notCleaned(SWITCHED_OFF, now())] };
  const results = cleanResultsOf(node);
  if (results.length > 0) return { outcome: 'done', erased: results };
  const isByJob = driverOf(node).provisioning.cleansByJob === true;
  return isByJob && recordedPlan(node, 'clean') === undefined
    ? { outcome: 'done', erased: [cleanedByDriver(now())] }
    : { outcome: 'unsupported', erased: [notCleaned(NO_STEP, now())] };
}
