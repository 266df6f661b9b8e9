import { type NodeRecord } from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import { toRouteError } from '../domain/driver-failure.js';
import { type Fields } from '../domain/members.js';
import { type NodeLock, isLockLost } from './node-locks.js';

/** The fields that add members to `driver_internal_info`; empty when there are none. */
export const withInternal = (node: NodeRecord, info: Fields): Fields =>
  Object.keys(info).length === 0
    ? {}
    : { driver_internal_info: { ...node.driver_internal_info, ...info } };

/** Releases a node that is written already; a release that has to wait goes on in the background. */
export const releaseQuietly = (lock: NodeLock, set: Fields = {}): Promise<void> =>
  lock.release(set).catch(() => undefined);

/**
 * Works on the node under its lock, and releases the lock only when that fails.
 * @param undone the fields to release the node with then
 * @throws AppError: a driver's failure as the response of a synchronous route
 */
export async function orRelease<T>(
  lock: NodeLock,
  work: (node: NodeRecord) => Promise<T> | T,
  undone: () => Fields = () => ({}),
): Promise<T> {
  try {
    return await work(lock.node());
  } catch (error) {
    await releaseQuietly(lock, undone());
    throw toRouteError(error);
  }
}

/** Works on the node under its lock, and releases it with the fields in `set`. Throws as `orRelease`. */
export async function finishUnderLock<T extends { readonly set: Fields }>(
  lock: NodeLock,
  work: (node: NodeRecord) => Promise<T>,
): Promise<T> {
  const done = await orRelease(lock, work);
  await lock.release(done.set);
  return done;
}

/** Runs work that writes its own results, and releases the lock in any case. */
export async function thenRelease<T>(lock: NodeLock, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await releaseQuietly(lock);
  }
}

/** Why failed work is abandoned: the lock is lost, or the process stops and the work is resumed after the restart. */
export function abandonedOn(
  error: unknown,
  lock: NodeLock,
  stopping: AbortSignal,
): 'handed_back' | 'lock_lost' | undefined {
  const isLost = isLockLost(error);
  if (!isLost && !stopping.aborted) return undefined;
  lock.abandon();
  return isLost ? 'lock_lost' : 'handed_back';
}

/** Waits for a task that releases its node itself. A failure is logged, and the lock abandoned: the record says what to resume. */
export const abandonOnFailure = (
  lock: NodeLock,
  task: Promise<void>,
  logger: Logger,
  failure: string,
): Promise<void> =>
  task.catch((error: unknown) => {
    lock.abandon();
    logger.error({ node: lock.uuid, err: error }, failure);
  });
