import { type NodeRecord } from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import { toRouteError } from '../domain/driver-failure.js';
import { type Fields } from '../domain/members.js';
import { type NodeLock, isLockLost } from './node-locks.js';

/** What to write when members are added to `driver_internal_info`; nothing when there are none. */
export const withInternal = (node: NodeRecord, info: Fields): Fields =>
  Object.keys(info).length === 0
    ? {}
    : { driver_internal_info: { ...node.driver_internal_info, ...info } };

/** Releases a node that is written already; a release that has to wait goes on in the background. */
export const releaseQuietly = (lock: NodeLock, set: Fields = {}): Promise<void> =>
  lock.release(set).catch(() => undefined);

/**
 * Does something to the node while its lock is held, and lets go of the lock only when that fails.
 * @param undone what the node is released with then
 * @throws AppError: what a driver says, as the answer of a synchronous route
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

/** Does one thing to the node while its lock is held, and releases it with the fields in `set`. Throws as `orRelease`. */
export async function finishUnderLock<T extends { readonly set: Fields }>(
  lock: NodeLock,
  work: (node: NodeRecord) => Promise<T>,
): Promise<T> {
  const done = await orRelease(lock, work);
  await lock.release(done.set);
  return done;
}

/** Does what writes for itself, and lets go of the lock whatever happens. */
export async function thenRelease<T>(lock: NodeLock, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await releaseQuietly(lock);
  }
}

/** Why work that failed is not settled: nothing more must be done, or the next life of this conductor goes on with it. */
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

/** A task that settles its node itself. When it cannot, that is logged, and the record says what to resume. */
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
