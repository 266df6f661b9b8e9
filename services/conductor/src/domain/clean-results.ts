import { type NodeRecord, timestampOf } from '@tenure/contracts';
import { DriverFailure, type FailureKind, safeReason } from './driver-failure.js';
import { type Fields } from './provision/fields.js';
import { pendingProvisionOf } from './provision/pending.js';
import { CLEAN_RESULTS, recordedPlan } from './provision/step-progress.js';
import { type PlannedStep } from './provision/steps.js';

/** How a clean step ended, as a handover records it. */
export interface CleanResult {
  readonly interface: string | null;
  readonly step: string;
  readonly priority: number;
  readonly outcome: 'done' | 'failed' | 'skipped';
  /** The reporter of the outcome; null for a step that did not run. */
  readonly by: 'agent' | 'driver' | null;
  readonly at: string;
  /** Why it was not done, in a text that a lessee may read. */
  readonly reason: string | null;
  /** The reported text, shortened: it may name parts of the hardware. */
  readonly detail: string | null;
}

/** The step that represents a cleaning without recorded steps. */
const WHOLE = { interface: 'deploy', step: 'clean', priority: 0 } as const;
/** Maximum length of a reported text. */
const MAX_DETAIL = 300;

type Named = Pick<CleanResult, 'interface' | 'step' | 'priority'>;

const CLEANING: ReadonlySet<string> = new Set(['cleaning', 'clean wait', 'clean hold']);

const SILENT = 'The hardware, or the agent on it, did not answer as it should.';
const REASONS: Readonly<Partial<Record<FailureKind, string>>> = {
  answer: 'The hardware, or the agent on it, reported a failure.',
  no_effect: 'The step had no effect, or its effect is uncertain.',
  settings: 'The settings of the node do not allow it.',
  simulated: 'The hardware, or the agent on it, reported a failure.',
  unsupported: 'The hardware does not have this step.',
};

/** The reason why a cleaning stopped. */
export interface CleanStop {
  /** A text that a lessee may read. */
  readonly reason: string;
  readonly detail: string | null;
}

/** For a cleaning that was aborted by a caller. */
export const ABORTED: CleanStop = { reason: 'It was aborted by request.', detail: null };
/** For a cleaning whose agent did not report in time, or that the conductor ended as overdue. */
export const OVERDUE: CleanStop = { reason: SILENT, detail: null };

const NOT_REACHED = 'An earlier step failed.';

/** Whether the machine is cleaned between two tenancies, so that the result of each step is recorded. */
export const isCleanedForHandover = (node: NodeRecord): boolean =>
  typeof node.handover_uuid === 'string' &&
  node.target_provision_state === 'available' &&
  CLEANING.has(node.provision_state);

/** The results that were recorded so far, in the order of the steps. */
export function cleanResultsOf(node: NodeRecord): readonly CleanResult[] {
  const results = node.driver_internal_info[CLEAN_RESULTS];
  return Array.isArray(results) ? (results as readonly CleanResult[]) : []; // only `withCleanResult` writes it
}

/** The agent's result of a step's command, as one line. */
export function reportedByAgent(answer: unknown): string {
  const result =
    typeof answer === 'object' && answer !== null && 'clean_result' in answer
      ? answer.clean_result
      : null;
  return cut(result === null ? 'SUCCEEDED' : `SUCCEEDED: ${JSON.stringify(result)}`);
}

/**
 * Members of `driver_internal_info` with the result of a step that was done.
 * @param reported the agent's report of it; undefined when the driver did it
 */
export function withCleanResult(
  node: NodeRecord,
  step: PlannedStep,
  reported: string | undefined,
  now: Date,
): Fields {
  if (!isCleanedForHandover(node)) return {};
  const result = done(named(step), reported, now);
  return { [CLEAN_RESULTS]: [...cleanResultsOf(node), result] };
}

/** A whole cleaning that the driver did in one piece. */
export const cleanedByDriver = (now: Date): CleanResult => done(WHOLE, undefined, now);

/** A cleaning in which nothing was erased. */
export const notCleaned = (reason: string, now: Date): CleanResult => skipped(WHOLE, reason, now);

export const stopOf = (error: unknown): CleanStop => ({
  reason: reasonOf(error),
  detail: cut(safeReason(error)),
});

/**
 * The results of a cleaning that stopped: what was done until then, the step that failed, and those that were not begun.
 * @param node as it was when the cleaning stopped
 */
export function resultsUntil(
  node: NodeRecord,
  { reason, detail }: CleanStop,
  now: Date,
): readonly CleanResult[] {
  const plan = recordedPlan(node, 'clean') ?? [];
  const [stopped, ...left] = plan.slice(pendingProvisionOf(node)?.stepsDone ?? 0);
  const failed: CleanResult = {
    ...(stopped === undefined ? WHOLE : named(stopped)),
    outcome: 'failed',
    by: stopped?.in_band === true ? 'agent' : 'driver',
    at: timestampOf(now),
    reason,
    detail,
  };
  const notReached = left.map((step) => skipped(named(step), NOT_REACHED, now));
  return [...cleanResultsOf(node), failed, ...notReached];
}

const cut = (text: string): string =>
  text.length > MAX_DETAIL ? `${text.slice(0, MAX_DETAIL - 1)}…` : text;

const done = (step: Named, reported: string | undefined, now: Date): CleanResult => ({
  ...step,
  outcome: 'done',
  by: reported === undefined ? 'driver' : 'agent',
  at: timestampOf(now),
  reason: null,
  detail: reported ?? null,
});

const named = (step: PlannedStep): Named => ({
  interface: step.interface ?? null,
  step: step.step,
  priority: step.priority,
});

const skipped = (step: Named, reason: string, now: Date): CleanResult => ({
  ...step,
  outcome: 'skipped',
  by: null,
  at: timestampOf(now),
  reason,
  detail: null,
});

/** Why a step failed, in a text that a lessee may read. */
const reasonOf = (error: unknown): string =>
  error instanceof DriverFailure
    ? (REASONS[error.kind] ?? SILENT)
    : 'An unexpected error happened in the conductor.';
