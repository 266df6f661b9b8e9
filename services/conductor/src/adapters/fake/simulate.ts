import { type NodeRecord } from '@tenure/contracts';
import { type Deadline, remainingMs, sleepWithin } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type Job } from '../../ports/provisioning.js';

const MAX_DELAY_MS = 600_000;

/** Number of parts of a long delay, none of them shorter than half a second. */
const SLICES = 10;
const SLICE_MS = 500;

/**
 * Milliseconds that everything takes on this node: `fake_delay_ms`.
 * @throws DriverFailure (`settings`)
 */
export function delayOf(node: NodeRecord): number {
  const delay = node.driver_info['fake_delay_ms'] ?? 0;
  if (typeof delay !== 'number' || !Number.isInteger(delay) || delay < 0 || delay > MAX_DELAY_MS)
    throw new DriverFailure(
      'settings',
      'fake_delay_ms must be a whole number of milliseconds up to 600000',
    );
  return delay;
}

/** As `act`, in parts of a piece of work. */
export async function actInParts(
  node: NodeRecord,
  what: string,
  job: Job,
  deadline: Deadline,
): Promise<void> {
  const delay = delayOf(node);
  const late = delay > remainingMs(deadline);
  await pauseInParts(delay, what, job, deadline);
  checkOutcome(node, what, late);
}

/**
 * Takes as long as `fake_delay_ms` says, and fails when `fake_failure` names it: `power`, `boot_device`, `console`, …
 * @throws DriverFailure
 */
export async function act(node: NodeRecord, what: string, deadline: Deadline): Promise<void> {
  const delay = delayOf(node);
  const late = delay > remainingMs(deadline);
  await sleepWithin(delay, deadline);
  checkOutcome(node, what, late);
}

/**
 * Sleeps, in parts: simulated hardware is as far as it was when the conductor was interrupted.
 * @param what begins the names of the parts
 */
async function pauseInParts(ms: number, what: string, job: Job, deadline: Deadline): Promise<void> {
  const slices = Math.min(SLICES, Math.ceil(ms / SLICE_MS));
  for (let slice = 1; slice <= slices; slice += 1)
    await job.part(`${what} ${String(slice)} of ${String(slices)}`, async () => {
      await sleepWithin(ms / slices, deadline);
      return {};
    });
}

/** @throws DriverFailure when there was no time for it, or `fake_failure` names it */
function checkOutcome(node: NodeRecord, what: string, late: boolean): void {
  if (late) throw new DriverFailure('timeout', 'the simulated hardware did not answer in time');
  if (node.driver_info['fake_failure'] === what)
    throw new DriverFailure('simulated', 'the simulated hardware failed, as fake_failure asks');
}
