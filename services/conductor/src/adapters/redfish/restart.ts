import { type NodeRecord } from '@tenure/contracts';
import { type Deadline, isOver, pause, within } from '../../deadline.js';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type PowerState } from '../../domain/power.js';
import { type HardwareDriver } from '../../ports/hardware-driver.js';
import { type PowerPace } from './power-change.js';

export type PoweredMachine = Pick<HardwareDriver, 'getPowerState' | 'setPowerState'>;

/** Milliseconds that one change of power is given. */
const POWER_MS = 90_000;
/** So much slower than a change of power is what a machine does while it starts. */
const SLOWER = 5;

export interface Restart {
  readonly machine: PoweredMachine;
  readonly pace: PowerPace;
  readonly node: NodeRecord;
  /** Proves that the lock is still ours; asked before every command. */
  readonly proceed: () => Promise<void>;
}

/**
 * Looks until something is so.
 * @throws DriverFailure: the failure of the last look, or `no_effect` with the sentence
 */
export const waitUntil = async (
  look: () => Promise<boolean>,
  pace: PowerPace,
  missing: string,
  deadline: Deadline,
): Promise<void> => {
  let failure: DriverFailure | undefined;
  for (let pollMs = pace.firstPollMs; !isOver(deadline); pollMs *= 1.5) {
    try {
      if (await look()) return;
      failure = undefined;
    } catch (error) {
      // A machine that starts may keep its BMC from answering; a look that our own deadline cut short says nothing.
      if (!(error instanceof DriverFailure)) throw error;
      if (!isOver(deadline)) failure = error;
    }
    await pause(Math.min(pollMs, pace.slowestPollMs * SLOWER), deadline);
  }
  throw failure ?? new DriverFailure('no_effect', missing);
};

/**
 * Starts the machine anew and waits until the start had its effect. A machine that was off is off again afterwards.
 * @returns the power it is left with
 */
export const restartFor = async (
  { machine, pace, node, proceed }: Restart,
  effect: { readonly isThere: () => Promise<boolean>; readonly missing: string },
  deadline: Deadline,
): Promise<PowerState> => {
  const to = async (goal: PowerState): Promise<PowerState> => {
    await proceed();
    return machine.setPowerState(node, { goal, soft: false }, within(deadline, POWER_MS));
  };
  const before = await machine.getPowerState(node, within(deadline, POWER_MS));
  if (before !== 'power off') await to('power off');
  const after = await to('power on');
  await waitUntil(effect.isThere, pace, effect.missing, deadline);
  return before === 'power off' ? to('power off') : after;
};
