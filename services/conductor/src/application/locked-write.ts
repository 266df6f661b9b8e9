import { type Deadline, isOver, retry, sleepWithin } from '@tenure/process';
import { isAway } from '../domain/refused.js';
import { type NodeLock, isLockLost } from './node-locks.js';

const INVENTORY_PAUSE_MS = 500;

/** Work under a lock, and until when it may take. */
export interface LockedWork {
  readonly lock: NodeLock;
  readonly deadline: Deadline;
}

/** Milliseconds for which a proof of a lock counts: much less than a conductor's heartbeats are good for. */
const PROOF_MS = 1000;

/**
 * Calls the inventory, and retries while it is unavailable, until the deadline: work must not end half way, for example
 * with the machine off.
 */
export const withInventoryRetry = <T>(ask: () => Promise<T>, deadline: Deadline): Promise<T> =>
  retry(ask, {
    isTransient: (error) => isAway(error) && !isOver(deadline),
    pauseMs: () => INVENTORY_PAUSE_MS,
    sleep: (ms) => sleepWithin(ms, deadline),
  });

/** Writes under the lock, with retry. Throws when the lock was lost: the caller must not act then. */
export async function writeWithRetry(
  { lock, deadline }: LockedWork,
  set: Readonly<Record<string, unknown>>,
): Promise<void> {
  await withInventoryRetry(() => lock.write(set), deadline);
}

/** Makes sure that the lock is ours, unless the inventory has just confirmed it. */
export async function proveLock(work: LockedWork): Promise<void> {
  if (work.lock.unprovenMs() > PROOF_MS) await writeWithRetry(work, {});
}

/** As `writeWithRetry`, for writes that the work does not depend on: only the loss of the lock is thrown. */
export async function noteWithRetry(
  work: LockedWork,
  set: Readonly<Record<string, unknown>>,
): Promise<void> {
  try {
    await writeWithRetry(work, set);
  } catch (error) {
    if (isLockLost(error)) throw error;
  }
}
