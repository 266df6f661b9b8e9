import { type Deadline, deadlineWithin, isOver, sleepWithin } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type PowerState } from '../../domain/power.js';
import { type HardwareDriver } from '../../ports/hardware-driver.js';
import { type MachineWork, powerTo, start } from './machine.js';
import { type PowerPace } from './power-change.js';

export type PoweredMachine = Pick<HardwareDriver, 'getPowerState' | 'setPowerState'>;

/** Milliseconds that one change of power is given. */
const POWER_MS = 90_000;
/** So much slower than a change of power is what a machine does while it starts. */
const SLOWER = 5;

/** Work of which a restart is a part. */
export interface Restart extends Omit<MachineWork<PoweredMachine>, 'deadline'> {
  readonly pace: PowerPace;
}

/**
 * Looks until something is so.
 * @throws DriverFailure: the failure of the last look, or `no_effect` with the sentence
 */
export async function waitUntil(
  look: () => Promise<boolean>,
  pace: PowerPace,
  missing: string,
  deadline: Deadline,
): Promise<void> {
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
    await sleepWithin(Math.min(pollMs, pace.slowestPollMs * SLOWER), deadline);
  }
  throw failure ?? new DriverFailure('no_effect', missing);
}

/**
 * Restarts the machine and waits until the start had its effect. A machine that was off is off again afterwards.
 * @returns the power it is left with
 */
export async function restartFor(
  { machine, pace, node, job }: Restart,
  effect: { readonly isThere: () => Promise<boolean>; readonly missing: string },
  deadline: Deadline,
): Promise<PowerState> {
  const work = { machine, node, job, deadline };
  const before = await job.noted(
    'power before the restart',
    async () =>
      (await machine.getPowerState(node, deadlineWithin(deadline, POWER_MS))) ?? 'unknown',
  );
  if (before !== 'power off') await powerTo(work, 'power off');
  const after = await start(work);
  await job.part('see the effect of the restart', async () => {
    await waitUntil(effect.isThere, pace, effect.missing, deadline);
    return {};
  });
  return before === 'power off' ? powerTo(work, 'power off', 'power off again') : after;
}
