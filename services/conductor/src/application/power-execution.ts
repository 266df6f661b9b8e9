import { type Deadline, deadlineIn, deadlineWithin } from '@tenure/process';
import { DriverFailure, safeReason } from '../domain/driver-failure.js';
import {
  freshPending,
  type PendingPower,
  type PowerState,
  type PowerStep,
  stepsOf,
  takenUp,
  withoutPending,
} from '../domain/power.js';
import { type NodeLock } from './node-locks.js';
import { pendingPowerUnder } from './pending-power.js';
import { type SharedParts } from './shared-parts.js';
import { abandonedOn } from './under-lock.js';

/** Time limits of power commands, milliseconds. */
export interface PowerLimits {
  /** A whole command, whatever the client asks for. */
  readonly commandMs: number;
  /** One hard change of power. */
  readonly changeMs: number;
  /** Milliseconds that a soft reboot reserves for its second half. */
  readonly reserveMs: number;
}

export const POWER_LIMITS: PowerLimits = {
  commandMs: 110_000,
  changeMs: 60_000,
  reserveMs: 40_000,
};

/** How a command ended; `handed_back`: the process stops, the next one resumes it. */
type PowerOutcome = 'done' | 'failed' | 'lock_lost' | 'handed_back';

export interface ExecutionOptions extends Pick<
  SharedParts,
  'driverOf' | 'logger' | 'now' | 'stopping'
> {
  readonly observe: (driver: string, outcome: PowerOutcome) => void;
  readonly limits: PowerLimits;
}

/** An order under its lock. */
export interface Execution {
  readonly lock: NodeLock;
  readonly pending: PendingPower;
  /** Taken up from the record, and not just accepted. */
  readonly resumed: boolean;
}

/**
 * Carries an order out and releases the node, in the state that was read back or with `last_error`.
 * Stops acting at once when the lock is lost.
 */
export async function execute(execution: Execution, options: ExecutionOptions): Promise<void> {
  const { lock } = execution;
  const { driver } = lock.node();
  let outcome: PowerOutcome = 'done';
  try {
    const state = await carryOut(execution, options);
    await release(lock, state, null, options.now);
  } catch (error) {
    outcome = await fail(execution, error, options);
  }
  options.observe(driver, outcome);
}

async function carryOut(execution: Execution, options: ExecutionOptions): Promise<PowerState> {
  const { lock, pending, resumed } = execution;
  const whole: Deadline = deadlineIn(options.limits.commandMs, options.stopping);
  const steps = stepsOf(pending.target);
  const records = pendingPowerUnder({ lock, deadline: whole }, options.now);
  let at: PendingPower = resumed ? takenUp(pending) : pending;
  let state: PowerState | undefined;
  for (const [index, step] of steps.entries()) {
    if (index < pending.stepsDone) continue;
    if (index > at.stepsDone) at = freshPending({ ...pending, stepsDone: index });
    // A fresh order is recorded with its lock.
    if (resumed || index > 0)
      await records.write(at, state === undefined ? {} : { power_state: state });
    const deadline = deadlineWithin(
      whole,
      stepMs(step, index === steps.length - 1, pending, options.limits),
    );
    const change = { ...step, attempt: records.attempt(at) };
    state = await options.driverOf(lock.node()).setPowerState(lock.node(), change, deadline);
  }
  if (state === undefined) throw new Error('an order without a step');
  return state;
}

const release = (
  lock: NodeLock,
  state: PowerState | undefined,
  lastError: string | null,
  now: () => Date,
): Promise<void> =>
  lock.releaseWithRetry({
    ...(state !== undefined && { power_state: state }),
    target_power_state: null,
    last_error: lastError,
    driver_internal_info: {
      ...withoutPending(lock.node()),
      ...(lastError === null && { last_power_state_change: now().toISOString() }),
    },
  });

async function fail(
  { lock, pending }: Execution,
  error: unknown,
  options: ExecutionOptions,
): Promise<PowerOutcome> {
  const { logger, stopping, now } = options;
  const abandoned = abandonedOn(error, lock, stopping);
  if (abandoned === 'lock_lost')
    logger.warn(
      { node: lock.uuid },
      'the lock was lost while the power was being changed; nothing more is done',
    );
  if (abandoned !== undefined) return abandoned;
  logger.warn({ node: lock.uuid, target: pending.target, err: error }, 'a power command failed');
  const state = error instanceof DriverFailure ? error.powerState : undefined;
  const sentence = `Failed to change power state to '${pending.target}'. Error: ${safeReason(error)}.`;
  await release(lock, state, sentence, now);
  return 'failed';
}

function stepMs(
  step: PowerStep,
  isLast: boolean,
  pending: PendingPower,
  limits: PowerLimits,
): number {
  const usual = step.soft ? limits.commandMs : limits.changeMs;
  const requested = pending.timeoutSeconds === null ? usual : pending.timeoutSeconds * 1000;
  return Math.min(requested, limits.commandMs - (isLast ? 0 : limits.reserveMs));
}
