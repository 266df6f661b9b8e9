import { type NodeRecord } from '@tenure/contracts';
import { type Deadline, pause, remainingMs } from '../../deadline.js';
import { DriverFailure } from '../../domain/driver-failure.js';

const MAX_DELAY_MS = 600_000;

/**
 * Milliseconds that everything takes on this node: `fake_delay_ms`.
 * @throws DriverFailure (`settings`)
 */
export const delayOf = (node: NodeRecord): number => {
  const delay = node.driver_info['fake_delay_ms'] ?? 0;
  if (typeof delay !== 'number' || !Number.isInteger(delay) || delay < 0 || delay > MAX_DELAY_MS)
    throw new DriverFailure(
      'settings',
      'fake_delay_ms must be a whole number of milliseconds up to 600000',
    );
  return delay;
};

/**
 * Takes as long as `fake_delay_ms` says, and fails when `fake_failure` names it: `power`, `boot_device`, `console`, …
 * @throws DriverFailure
 */
export const act = async (node: NodeRecord, what: string, deadline: Deadline): Promise<void> => {
  const delay = delayOf(node);
  const late = delay > remainingMs(deadline);
  await pause(delay, deadline);
  if (late) throw new DriverFailure('timeout', 'the simulated hardware did not answer in time');
  if (node.driver_info['fake_failure'] === what)
    throw new DriverFailure('simulated', 'the simulated hardware failed, as fake_failure asks');
};
