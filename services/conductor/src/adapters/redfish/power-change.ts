import { performance } from 'node:perf_hooks';
import { isOver, remainingMs, sleepWithin } from '@tenure/process';
import { type Attempt } from '../../domain/attempt.js';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type PowerChange, type PowerState, type PowerStep } from '../../domain/power.js';
import { type BmcClient } from './bmc-client.js';
import { BmcCallFailure } from './bmc-error.js';
import { readSystem, resetSystem, type SystemView } from './computer-system.js';

/** Rhythm of a power change, milliseconds. */
export interface PowerPace {
  readonly firstPollMs: number;
  readonly slowestPollMs: number;
  /**
   * Time to wait for the effect of a command whose outcome is uncertain: its response was a failure, or missing, or it was begun
   * before a restart.
   */
  readonly uncertainMs: number;
  /** Pause before a command that the BMC refused as untimely (409) is tried again. */
  readonly busyMs: number;
}

const STATES: Readonly<Record<string, PowerState>> = { On: 'power on', Off: 'power off' };

const RESET_TYPES: Readonly<Record<'on' | 'off' | 'soft', readonly string[]>> = {
  on: ['On', 'ForceOn'],
  off: ['ForceOff'],
  soft: ['GracefulShutdown'],
};

type Sending = { readonly sent: false } | { readonly sent: true; readonly doubt: unknown };

interface PowerOrderOnBmc {
  readonly change: PowerChange;
  readonly pace: PowerPace;
}

interface Progress {
  seen: PowerState | undefined;
  sending: Sending;
  /** The BMC, for as long as the effect is looked for. */
  bmc: BmcClient;
  lastReadFailure: unknown;
  /** Resolves or rejects once the record says that the command may have arrived. */
  noted: Promise<void>;
}

/** After this many restarts, the conductor looks for the effect of a command for a shorter time. */
const FULL_TIME_RESTARTS = 3;

/** Poll intervals that BMCs can sustain, and the seconds to wait for the effect of a command whose outcome is uncertain. */
export const powerPace = (uncertainSeconds: number): PowerPace => ({
  firstPollMs: 250,
  slowestPollMs: 1000,
  uncertainMs: uncertainSeconds * 1000,
  busyMs: 3000,
});

/** The power state as Redfish reports it; null while it changes, or when it is unknown. */
export const powerStateOf = (system: SystemView): PowerState | null =>
  STATES[system.powerState] ?? null;

/**
 * Brings the power to the step's goal and reads it back. The command is sent at most once, and not at all
 * when the goal is there already or an earlier attempt may have sent it.
 * @throws DriverFailure carrying the power state last read; AppError `lock_lost` when the lock was lost before the command was recorded
 */
export async function changePower(
  bmc: BmcClient,
  path: string,
  order: PowerOrderOnBmc,
): Promise<PowerState> {
  const progress = progressOf(bmc, order);
  try {
    return await run(path, order, progress);
  } catch (error) {
    throw error instanceof DriverFailure ? error.withPowerState(progress.seen) : error;
  } finally {
    await progress.noted;
  }
}

const progressOf = (bmc: BmcClient, { change: { attempt }, pace }: PowerOrderOnBmc): Progress => ({
  seen: undefined,
  sending: attempt.wasSent ? { sent: true, doubt: undefined } : { sent: false },
  bmc: attempt.wasSent ? bmc.within(sentEffectMs(attempt, pace, remainingMs(bmc.deadline))) : bmc,
  lastReadFailure: undefined,
  noted: Promise.resolve(),
});

async function run(
  path: string,
  { change, pace }: PowerOrderOnBmc,
  progress: Progress,
): Promise<PowerState> {
  let pollMs = pace.firstPollMs;
  const mayBeSentAt = performance.now() + effectMs(change.attempt, pace);
  while (!isOver(progress.bmc.deadline)) {
    const system = await look(path, progress);
    const state = system === undefined ? null : powerStateOf(system);
    if (state === change.goal) return state;
    if (system !== undefined && state !== null && isToSend(progress, mayBeSentAt)) {
      await change.attempt.prove();
      progress.sending = await trySend(progress.bmc, system, change);
      if (progress.sending.sent) {
        // The state that was read before the command may be outdated.
        progress.seen = undefined;
        noteSent(progress, change.attempt);
      } else await sleepWithin(pace.busyMs, progress.bmc.deadline);
      if (progress.sending.sent && progress.sending.doubt !== undefined)
        progress.bmc = progress.bmc.within(pace.uncertainMs);
    }
    await sleepWithin(pollMs, progress.bmc.deadline);
    pollMs = Math.min(pollMs * 1.5, pace.slowestPollMs);
  }
  throw outcomeOf(progress, change);
}

/**
 * Milliseconds for which the effect of a command is looked for that was sent before a restart. After some restarts, each further one
 * halves that time, so that an order without an effect ends although the conductor is killed again and again.
 */
const sentEffectMs = ({ begunBefore }: Attempt, pace: PowerPace, leftMs: number): number =>
  Math.max(pace.uncertainMs, leftMs / 2 ** Math.max(0, begunBefore - FULL_TIME_RESTARTS));

/**
 * Milliseconds to wait for the effect of a command that was begun before a restart, without a record of whether it was sent.
 * Each further restart halves the time, so that a conductor which is killed again and again sends the command in the end.
 */
const effectMs = ({ begunBefore }: Attempt, { uncertainMs }: PowerPace): number =>
  begunBefore === 0 ? 0 : uncertainMs / 2 ** (begunBefore - 1);

async function look(path: string, progress: Progress): Promise<SystemView | undefined> {
  const { deadline } = progress.bmc;
  try {
    const system = await readSystem(progress.bmc, path);
    progress.lastReadFailure = undefined;
    progress.seen = powerStateOf(system) ?? progress.seen;
    return system;
  } catch (error) {
    // Before the command, a BMC that cannot be read is a failure; after it, the effect is still looked for.
    if (!progress.sending.sent || deadline.signal.aborted) throw error;
    // A read that our own deadline cut short says nothing about the BMC.
    if (!isOver(deadline)) progress.lastReadFailure = error;
    return undefined;
  }
}

const isToSend = ({ sending }: Progress, earliest: number): boolean =>
  !sending.sent && performance.now() >= earliest;

/** Sends the command, and says whether it may have arrived. Only what certainly did not arrive may be sent again. */
async function trySend(bmc: BmcClient, system: SystemView, step: PowerStep): Promise<Sending> {
  try {
    await resetSystem(bmc, system, typesFor(step));
    return { sent: true, doubt: undefined };
  } catch (error) {
    if (!(error instanceof BmcCallFailure)) throw error;
    if (error.maybeSent) return { sent: true, doubt: error };
    if (error.status === 409) return { sent: false };
    throw error;
  }
}

/** The inventory may be away for a moment: the effect is looked for meanwhile. */
function noteSent(progress: Progress, attempt: Attempt): void {
  progress.noted = attempt.noteSent();
  progress.noted.catch(() => undefined);
}

function outcomeOf(progress: Progress, step: PowerStep): unknown {
  if (progress.sending.sent)
    return progress.sending.doubt ?? progress.lastReadFailure ?? noEffect(step);
  return new DriverFailure(
    'timeout',
    'the BMC did not take the command, or did not say whether the node is on or off, in time',
  );
}

function typesFor(step: PowerStep): readonly string[] {
  if (step.goal === 'power on') return RESET_TYPES.on;
  return step.soft ? RESET_TYPES.soft : RESET_TYPES.off;
}

const noEffect = (step: PowerStep): DriverFailure =>
  new DriverFailure(
    'no_effect',
    `the BMC took the command, but the node did not reach '${step.goal}' in time`,
  );
