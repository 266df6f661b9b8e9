import { type HandoverPhase, type HandoverRecord, type HandoverStep } from '@tenure/contracts';
import { type StoredHandover } from '../../ports/stores.js';
import { changeLease } from '../leases/find-lease.js';
import { changeHandover, type HandoverDependencies } from './change-handover.js';
import { findHandover } from './find-handover.js';

/** A conductor's report on an open handover. */
export interface HandoverReport {
  readonly status: 'open' | 'failed';
  readonly reason?: string | null;
  /** Left out: as it was. */
  readonly phase?: HandoverPhase;
  readonly steps?: readonly HandoverStep[];
  /** Added to those that are there, each once. */
  readonly erased?: HandoverRecord['erased'];
  /** In place of those before, unless there are none. */
  readonly firmware?: HandoverRecord['firmware'];
  readonly put_back?: HandoverRecord['put_back'];
  readonly agent?: string | null;
}

/** So many are kept: the newest. */
const MAX_STEPS = 200;
const MAX_ERASED = 400;

type Erased = HandoverRecord['erased'];

/**
 * Records the progress of a handover. Safe to repeat; a completed handover does not change.
 * @throws NotFoundError
 */
export async function reportHandover(
  deps: HandoverDependencies,
  uuid: string,
  report: HandoverReport,
): Promise<StoredHandover> {
  const found = await findHandover(deps, uuid);
  const record = await changeHandover(deps, found.uuid, (current) =>
    current.status === 'complete' ? undefined : reported(current, report),
  );
  if (record.status !== 'complete') await reportToLease(deps, record);
  return record;
}

const reported = (
  { phase, steps, erased, put_back, agent, firmware }: StoredHandover,
  report: HandoverReport,
): Partial<StoredHandover> => ({
  status: report.status,
  reason: report.reason ?? null,
  phase: report.phase === undefined ? phase : report.phase,
  steps: withSteps(steps, report.steps ?? []),
  erased: withErased(erased, report.erased ?? []),
  firmware: (report.firmware ?? []).length > 0 ? (report.firmware ?? []) : firmware,
  put_back: { ...put_back, ...report.put_back },
  agent: report.agent ?? agent,
});

/** Copies the state of a handover to its ended lease: in progress, or the reason of a failure. */
async function reportToLease(
  deps: HandoverDependencies,
  { lease_uuid: uuid, status, reason }: StoredHandover,
): Promise<void> {
  if (uuid === null || (await deps.stores.leases.findBy('uuid', uuid)) === undefined) return;
  const wanted = status === 'failed' ? 'error' : 'ending';
  await changeLease(deps, uuid, (lease) => {
    const isOver = lease.status === 'ending' || lease.status === 'error';
    const isReported = lease.status === wanted && lease.reason === reason;
    return isOver && !isReported ? { status: wanted, reason } : undefined;
  });
}

const withSteps = (
  before: readonly HandoverStep[],
  steps: readonly HandoverStep[],
): readonly HandoverStep[] =>
  steps
    .reduce<readonly HandoverStep[]>((all, step) => {
      if (all.some((one) => isSame(one, step))) return all;
      return isAgain(all.at(-1), step) ? [...all.slice(0, -1), step] : [...all, step];
    }, before)
    .slice(-MAX_STEPS);

/** Results of earlier cleanings stay, also of failed ones: they are part of the work on the machine. */
const withErased = (before: Erased, results: Erased): Erased =>
  [
    ...before,
    ...results.filter((result) => !before.some((one) => isSameResult(one, result))),
  ].slice(-MAX_ERASED);

const isSame = (left: HandoverStep, right: HandoverStep): boolean =>
  left.step === right.step && left.outcome === right.outcome && left.at === right.at;

/** A step that fails repeatedly is recorded once, with its last failure. */
const isAgain = (left: HandoverStep | undefined, right: HandoverStep): boolean =>
  left?.step === right.step && left.outcome === 'failed';

const isSameResult = (left: Erased[number], right: Erased[number]): boolean =>
  ['interface', 'step', 'outcome', 'at'].every((name) => left[name] === right[name]);
