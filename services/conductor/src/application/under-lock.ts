import { type NodeRecord } from '@tenure/contracts';
import { toRouteError } from '../domain/driver-failure.js';
import { type HeldLock } from './node-locks.js';

type Fields = Readonly<Record<string, unknown>>;

/** What to write when members are added to `driver_internal_info`; nothing when there are none. */
export const withInternal = (node: NodeRecord, info: Fields): Fields =>
  Object.keys(info).length === 0
    ? {}
    : { driver_internal_info: { ...node.driver_internal_info, ...info } };

/**
 * Does one thing to the node while its lock is held, writes the fields in `set`, and lets go of the lock, whatever happens.
 * @throws AppError: what a driver says, as the answer of a synchronous route
 */
export const finishUnderLock = async <T extends { readonly set: Fields }>(
  lock: HeldLock,
  work: (node: NodeRecord) => Promise<T>,
): Promise<T> => {
  let done: T;
  try {
    done = await work(lock.node());
  } catch (error) {
    await lock.release({}).catch(() => undefined);
    throw toRouteError(error);
  }
  await lock.release(done.set);
  return done;
};
