import { type NodeRecord } from '@tenure/contracts';
import { type Deadline, deadlineWithin, sleepWithin } from '@tenure/process';
import { reportedByAgent, withCleanResult } from '../domain/clean-results.js';
import { DriverFailure } from '../domain/driver-failure.js';
import { type HardwareBefore, withHardwareBefore } from '../domain/hardware-before.js';
import { type PowerState } from '../domain/power.js';
import { type AgentProgress } from '../domain/provision/agent-progress.js';
import { agentStepParams } from '../domain/provision/agent-steps.js';
import { type Fields, pendingFields, type WorkResult } from '../domain/provision/fields.js';
import { isTenantsWork, type PendingProvision } from '../domain/provision/pending.js';
import { holdStateOf } from '../domain/provision/states.js';
import { begunFields, begunIndex, confirmedFields } from '../domain/provision/step-progress.js';
import {
  isCore,
  type PlannedStep,
  stepKindOf,
  stepName,
  type SteppedState,
} from '../domain/provision/steps.js';
import { begunParts, withParts } from '../domain/provision/work-parts.js';
import { type AgentCommand } from '../ports/agent-client.js';
import { type HardwareDriver } from '../ports/hardware-driver.js';
import { type DriverStep, type StepCall } from '../ports/provisioning.js';
import { askAgent, bootAgent, pendingOf, runCommand, withoutCommand } from './agent-session.js';
import { writeWithRetry } from './locked-write.js';
import { machineFor, planFor, type StepSession } from './step-plan.js';
import { jobUnder } from './work-job.js';

interface StepExecutionOptions {
  /** Reads BIOS settings and firmware versions again; never throws. */
  readonly refreshDocuments: (node: NodeRecord) => Promise<void>;
}

type Session = StepSession & {
  readonly options: StepSession['options'] & StepExecutionOptions;
};

/** Milliseconds that a change of power is given. */
const POWER_MS = 120_000;

type Run = (node: NodeRecord, call: StepCall, deadline: Deadline) => Promise<WorkResult>;

/** Number of parts of a long wait: a restart of the conductor does not begin the whole wait again. */
const WAIT_PARTS = 20;

/** A step as it is done: what the agent does of it, if any, and then what we do. */
interface Doing {
  readonly run: Run;
  readonly isRepeatable: boolean;
  readonly isInParts?: true | undefined;
  readonly bootsAgent?: true | undefined;
  readonly command?: (() => Promise<AgentCommand | undefined>) | undefined;
}

const IN_PARTS = { isInParts: true } as const;

/**
 * Runs the steps of the node's plan, one after the other. Each is persisted before it is sent, and again when it is
 * done. A resume goes on with the next one that was not begun.
 * @returns the fields to release the node with at a `hold` step, or to wait for its agent; undefined when all is done
 * @throws DriverFailure when no driver has the step, when it fails, or when it was begun before a restart and its result is unknown
 */
export async function executeSteps(session: Session): Promise<Fields | undefined> {
  const { lock, options } = session;
  const plan = await planFor(session);
  if (plan === undefined) return bootAgent(session, 0);
  for (;;) {
    const pending = pendingOf(session);
    const step = plan[pending.stepsDone];
    if (step === undefined) return undefined;
    if (step.interface === undefined && step.step === 'hold') {
      const onHold = { ...pending, stepsDone: pending.stepsDone + 1 };
      return pendingFields(lock.node(), holdStateOf(session.state), onHold, options.now());
    }
    const doing = doingOf(session, step);
    checkNotBegun(session, pending.stepsDone, step, doing);
    let waiting: Fields | undefined;
    try {
      waiting = await doStep(session, step, doing);
    } catch (error) {
      throw named(step, error);
    }
    if (waiting !== undefined) return waiting;
    checkNotAborted(pendingOf(session), step);
  }
}

function doingOf(session: Session, step: PlannedStep): Doing {
  if (step.in_band === true) return agentsDoing(session, step);
  const driver = session.options.driverOf(session.lock.node());
  const { jobs, steps } = driver.provisioning;
  const { state } = session;
  const offered = steps[state]?.find(
    (one) => stepName(one) === stepName(step) && (one.appliesTo?.(session.lock.node()) ?? true),
  );
  if (step.interface !== undefined && offered !== undefined) return driversDoing(session, offered);
  const run =
    step.interface === undefined
      ? reservedRun(driver, step.step)
      : isCore(step)
        ? jobs[state]
        : undefined;
  if (run === undefined)
    throw new DriverFailure('unsupported', `the driver has no step ${stepName(step)} any more`);
  // The deployment itself may be begun again: it starts over from a machine that is off.
  return { run, isRepeatable: isCore(step), ...(step.interface === undefined && IN_PARTS) };
}

/** @throws DriverFailure for a step that was begun before a restart, and is not recorded as done */
function checkNotBegun(
  { lock, state }: Session,
  next: number,
  step: PlannedStep,
  { isRepeatable, isInParts }: Doing,
): void {
  // A command is not sent to the agent twice either: the command that was sent is recorded beside the step.
  if (isRepeatable || begunIndex(lock.node(), stepKindOf(state)) !== next) return;
  if (isInParts === true && begunParts(lock.node(), unitOf(state, next)) !== undefined) return;
  throw new DriverFailure(
    'no_effect',
    `step ${stepName(step)} was sent, but the conductor was interrupted before it was confirmed; it is not sent again`,
  );
}

/** Returns what the node is to be released with when the step goes on with the agent; undefined once it is confirmed. */
async function doStep(
  session: Session,
  step: PlannedStep,
  doing: Doing,
): Promise<Fields | undefined> {
  await begin(session, step);
  if (doing.bootsAgent === true) return bootAgent(session, pendingOf(session).stepsDone + 1);
  let reported: string | undefined;
  if (doing.command !== undefined) {
    const waiting = await doAgentsPart(session, doing.command, (answer) => {
      reported = reportedByAgent(answer);
    });
    if (waiting !== undefined) return waiting;
  }
  const result = await runStep(session, step, doing.run);
  const pending = pendingOf(session);
  const agent = agentAfter(pending.agent, step, doing);
  const { lock, options } = session;
  const kept = withCleanResult(lock.node(), step, reported, options.now());
  const internal = { ...result.internal, ...kept };
  const done = { ...pending, stepsDone: pending.stepsDone + 1, agent };
  await confirm(session, done, { ...result, internal });
  await refreshAfter(session, step);
  return undefined;
}

const named = (step: PlannedStep, error: unknown): unknown =>
  error instanceof DriverFailure
    ? new DriverFailure(error.kind, `step ${stepName(step)} failed: ${error.message}`, {
        cause: error,
        powerState: error.powerState,
      })
    : error;

/** @throws DriverFailure once the step is done that was running when an abort was requested */
function checkNotAborted({ abortAfter }: PendingProvision, step: PlannedStep): void {
  if (abortAfter === true)
    throw new DriverFailure(
      'settings',
      `aborted by request after step ${stepName(step)} had ended`,
    );
}

/** A step that the agent lists itself. */
function agentsDoing(session: Session, step: PlannedStep): Doing {
  const kind = stepKindOf(session.state);
  return {
    run: nothingMore,
    isRepeatable: true,
    command: async () => ({
      name: `${kind}.execute_${kind}_step`,
      params: {
        step,
        ...(await machineFor(session)),
        ...agentStepParams(session.lock.node(), kind),
      },
    }),
  };
}

const driversDoing = (session: Session, { run, command, ...step }: DriverStep): Doing => ({
  run,
  isRepeatable: step.isRepeatable === true || command !== undefined,
  isInParts: step.isInParts,
  bootsAgent: step.bootsAgent,
  command:
    command === undefined ? undefined : () => command(session.lock.node(), askAgent(session)),
});

const reservedRun = (driver: HardwareDriver, name: string): Run | undefined =>
  new Map<string, Run>([
    ['power_off', power(driver, 'power off')],
    ['power_on', power(driver, 'power on')],
    ['reboot', power(driver, 'power off', 'power on')],
    ['wait', wait],
  ]).get(name);

const nothingMore: Run = () => Promise.resolve({});

const power =
  (driver: HardwareDriver, ...goals: readonly PowerState[]): Run =>
  async (node, job, deadline) => {
    let seen: PowerState | undefined;
    for (const goal of goals) {
      await job.part(goal, async (attempt) => {
        const at = { ...node, power_state: seen ?? node.power_state };
        const change = { goal, soft: false, attempt };
        seen = await driver.setPowerState(at, change, deadlineWithin(deadline, POWER_MS));
        return { set: { power_state: seen } };
      });
      seen ??= goal;
    }
    return { set: { power_state: seen } };
  };

const wait: Run = async (_node, { args, part }, deadline) => {
  const ms = Number(args['seconds']) * 1000;
  const parts = Math.max(1, Math.min(WAIT_PARTS, Math.floor(ms / 1000)));
  for (let number = 1; number <= parts; number += 1)
    await part(`wait ${String(number)} of ${String(parts)}`, async () => {
      await sleepWithin(ms / parts, deadline);
      return {};
    });
  return {};
};

/** The name of a step as a piece of work. */
const unitOf = (state: SteppedState, index: number): string => `${state} step ${String(index)}`;

async function begin(session: Session, step: PlannedStep): Promise<void> {
  const { lock, state } = session;
  const { stepsDone } = pendingOf(session);
  const kind = stepKindOf(state);
  if (begunIndex(lock.node(), kind) === stepsDone) return;
  const before = await biosBefore(session, step);
  const bios =
    before === undefined ? {} : { driver_internal_info: withHardwareBefore(lock.node(), before) };
  const noted = { ...lock.node(), ...bios };
  const node = { ...noted, driver_internal_info: withParts(noted, unitOf(state, stepsDone)) };
  await writeWithRetry(session, begunFields(node, kind, stepsDone, step));
}

/** Sends the agent its part of the step. Returns the fields to release the node with while the agent works. */
async function doAgentsPart(
  session: Session,
  command: NonNullable<Doing['command']>,
  heard: (answer: unknown) => void,
): Promise<Fields | undefined> {
  const { agent, stepsDone } = pendingOf(session);
  if (agent?.phase !== 'here') return bootAgent(session, stepsDone);
  if (agent.command !== undefined)
    return runCommand(
      session,
      () => Promise.reject(new Error('a command is given already')),
      heard,
    );
  const wanted = await command();
  return wanted === undefined
    ? undefined
    : runCommand(session, () => Promise.resolve(wanted), heard);
}

/** Runs the conductor's part of a step. */
async function runStep(session: Session, step: PlannedStep, run: Run): Promise<WorkResult> {
  const unit = unitOf(session.state, pendingOf(session).stepsDone);
  const call = { args: step.args, ...jobUnder(session, unit) };
  try {
    return await run(session.lock.node(), call, session.deadline);
  } catch (error) {
    // Half a change of the BIOS is a change, too.
    await refreshAfter(session, step);
    throw error;
  }
}

/** Whether the agent is on the machine after a step: what we do to a machine ourselves may restart it. */
function agentAfter(
  agent: AgentProgress | undefined,
  step: PlannedStep,
  doing: Doing,
): AgentProgress | undefined {
  if (agent === undefined) return undefined;
  const isKept =
    step.step === 'wait' || (doing.command !== undefined && step.reboot_requested !== true);
  return isKept ? withoutCommand(agent) : { ...withoutCommand(agent), phase: 'gone' };
}

async function confirm(
  session: Session,
  pending: PendingProvision,
  result: WorkResult,
): Promise<void> {
  const { lock, options } = session;
  await writeWithRetry(session, confirmedFields(lock.node(), pending, result, options.now()));
}

/** Reads the BIOS settings again after a step that changed them. */
async function refreshAfter({ lock, options }: Session, step: PlannedStep): Promise<void> {
  if (step.interface === 'bios' && step.in_band !== true)
    await options.refreshDocuments(lock.node());
}

/**
 * The current BIOS settings that a step of a tenant is about to change. They are recorded with the step, so that they can be
 * restored.
 */
async function biosBefore(
  { lock, options, deadline }: Session,
  step: PlannedStep,
): Promise<HardwareBefore | undefined> {
  const node = lock.node();
  if (step.interface !== 'bios' || !isTenantsWork(node)) return undefined;
  const present = (await options.driverOf(node).bios?.settings(node, deadline)) ?? [];
  const { settings } = step.args;
  const named = Array.isArray(settings)
    ? new Set(settings.map((one: { readonly name?: unknown } | null) => one?.name))
    : undefined;
  const changed = present.filter(({ name }) => named?.has(name) ?? true);
  return { bios: Object.fromEntries(changed.map(({ name, value }) => [name, value])) };
}
