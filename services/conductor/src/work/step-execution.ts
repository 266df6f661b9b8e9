import { type NodeRecord } from '@tenure/contracts';
import { type Deadline, pause, within } from '../deadline.js';
import { DriverFailure } from '../domain/driver-failure.js';
import { type PowerState } from '../domain/power.js';
import { type Fields, heldFields, type WorkResult } from '../domain/provision/fields.js';
import { type PendingProvision } from '../domain/provision/pending.js';
import {
  begunFields,
  begunIndex,
  confirmedFields,
  plannedFields,
  recordedPlan,
} from '../domain/provision/step-progress.js';
import {
  isCore,
  type PlannedStep,
  planOf,
  stepKindOf,
  stepName,
  type SteppedState,
} from '../domain/provision/steps.js';
import { type DriverOf, type HardwareDriver } from '../ports/hardware-driver.js';
import { type StepCall } from '../ports/provisioning.js';
import { type HeldLock } from './node-locks.js';
import { writePatiently } from './patient-write.js';

export interface StepExecutionOptions {
  readonly driverOf: DriverOf;
  readonly now: () => Date;
  /** Reads what the hardware says of itself anew; never throws. */
  readonly refreshDocuments: (node: NodeRecord) => Promise<void>;
}

/** Milliseconds that a change of power is given. */
const POWER_MS = 120_000;

/** Asks the inventory whether the lock is still ours. */
export const proofOf = (lock: HeldLock, deadline: Deadline) => (): Promise<void> =>
  writePatiently(lock, {}, deadline);

type Run = (node: NodeRecord, call: StepCall, deadline: Deadline) => Promise<WorkResult>;

const power =
  (driver: HardwareDriver, ...goals: readonly PowerState[]): Run =>
  async (node, { proceed }, deadline) => {
    let seen: PowerState | undefined;
    for (const goal of goals) {
      await proceed();
      const at = { ...node, power_state: seen ?? node.power_state };
      seen = await driver.setPowerState(at, { goal, soft: false }, within(deadline, POWER_MS));
    }
    return { set: { power_state: seen } };
  };

const wait: Run = async (_node, { args }, deadline) => {
  await pause(Number(args['seconds']) * 1000, deadline);
  return {};
};

const reservedRun = (driver: HardwareDriver, name: string): Run | undefined =>
  new Map<string, Run>([
    ['power_off', power(driver, 'power off')],
    ['power_on', power(driver, 'power on')],
    ['reboot', power(driver, 'power off', 'power on')],
    ['wait', wait],
  ]).get(name);

const runOf = (driver: HardwareDriver, state: SteppedState, step: PlannedStep): Run => {
  const { jobs, steps } = driver.provisioning;
  const run =
    step.interface === undefined
      ? reservedRun(driver, step.step)
      : (steps[state]?.find((one) => stepName(one) === stepName(step))?.run ??
        (isCore(step) ? jobs[state] : undefined));
  if (run === undefined)
    throw new DriverFailure('unsupported', `the driver has no step ${stepName(step)} any more`);
  return run;
};

const named = (step: PlannedStep, error: unknown): unknown =>
  error instanceof DriverFailure
    ? new DriverFailure(error.kind, `step ${stepName(step)} failed: ${error.message}`, {
        cause: error,
        powerState: error.powerState,
      })
    : error;

interface Place {
  readonly state: SteppedState;
  readonly pending: PendingProvision;
}

/** The plan as written down; written down and read back first when there is none. */
const planFor = async (
  lock: HeldLock,
  { state, pending }: Place,
  { driverOf }: StepExecutionOptions,
  deadline: Deadline,
): Promise<readonly PlannedStep[]> => {
  const kind = stepKindOf(state);
  const recorded = recordedPlan(lock.node(), kind);
  if (recorded !== undefined) return recorded;
  const offered = driverOf(lock.node()).provisioning.steps[state] ?? [];
  const plan = planOf(lock.node(), state, pending.steps, offered);
  await writePatiently(lock, plannedFields(lock.node(), kind, plan), deadline);
  const readBack = recordedPlan(lock.node(), kind);
  if (readBack?.length !== plan.length) throw new Error('the steps were not kept by the inventory');
  return readBack;
};

/** @throws DriverFailure for a step that an earlier life of the conductor began, and does not know to be done */
const checkNotBegun = (
  lock: HeldLock,
  state: SteppedState,
  next: number,
  step: PlannedStep,
): void => {
  const begun = begunIndex(lock.node(), stepKindOf(state));
  // The deployment itself may be begun again: it starts over from a machine that is off.
  if (begun !== next || isCore(step)) return;
  throw new DriverFailure(
    'no_effect',
    `step ${stepName(step)} was sent, but the conductor was interrupted before it was confirmed; it is not sent again`,
  );
};

interface Session {
  readonly lock: HeldLock;
  readonly options: StepExecutionOptions;
  readonly deadline: Deadline;
}

const doStep = async (
  { lock, options, deadline }: Session,
  { state, pending }: Place,
  step: PlannedStep,
): Promise<PendingProvision> => {
  const index = pending.stepsDone;
  checkNotBegun(lock, state, index, step);
  const run = runOf(options.driverOf(lock.node()), state, step);
  await writePatiently(lock, begunFields(lock.node(), stepKindOf(state), index, step), deadline);
  const call = { args: step.args, proceed: proofOf(lock, deadline) };
  const refresh = async (): Promise<void> => {
    if (step.interface === 'bios') await options.refreshDocuments(lock.node());
  };
  let result: WorkResult;
  try {
    result = await run(lock.node(), call, deadline);
  } catch (error) {
    // Half a change of the BIOS is a change, too.
    await refresh();
    throw named(step, error);
  }
  const confirmed = { ...pending, stepsDone: index + 1 };
  await writePatiently(
    lock,
    confirmedFields(lock.node(), confirmed, result, options.now()),
    deadline,
  );
  await refresh();
  return confirmed;
};

/**
 * Does the steps that were asked for, one after the other: each is written down before it is sent, and again when it is done.
 * A resume goes on with the next one that was not begun.
 * @returns what the node is to be released with at a `hold` step; undefined when all is done
 * @throws DriverFailure when a step is not the driver's, fails, or was begun by an earlier life and is not known to be done
 */
export const executeSteps = async (
  lock: HeldLock,
  place: Place,
  options: StepExecutionOptions,
  deadline: Deadline,
): Promise<Fields | undefined> => {
  const { state } = place;
  const plan = await planFor(lock, place, options, deadline);
  let { pending } = place;
  for (const step of plan.slice(pending.stepsDone)) {
    if (step.interface === undefined && step.step === 'hold') {
      const held = { ...pending, stepsDone: pending.stepsDone + 1 };
      return heldFields(lock.node(), state, held, options.now());
    }
    pending = await doStep({ lock, options, deadline }, { state, pending }, step);
  }
  return undefined;
};
