import { type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '../deadline.js';
import { DriverFailure } from '../domain/driver-failure.js';
import { MEDIA_DEVICES } from '../domain/virtual-media.js';
import { type DriverOf } from '../ports/hardware-driver.js';
import { isSwitchedOff } from './capability.js';
import { type HeldLock } from './node-locks.js';
import { withInternal } from './under-lock.js';

type Fields = Readonly<Record<string, unknown>>;

export interface LeaseClearingOptions {
  readonly driverOf: DriverOf;
  /** Detaches every VIF of the node. */
  readonly detachAll: (lock: HeldLock, deadline: Deadline) => Promise<void>;
}

/** Hardware that cannot do it at all has nothing of the kind to clear. */
const unlessUnsupported = async (act: () => Promise<Fields>): Promise<Fields> => {
  try {
    return await act();
  } catch (error) {
    if (error instanceof DriverFailure && error.kind === 'unsupported') return {};
    throw error;
  }
};

const ejectMedia = async (
  driverOf: DriverOf,
  node: NodeRecord,
  deadline: Deadline,
): Promise<Fields> => {
  const { virtualMedia: media } = driverOf(node);
  if (media === undefined) return {};
  const drives = await media.list(node, deadline);
  if (!drives.some(({ inserted }) => inserted)) return {};
  return withInternal(node, await media.detach(node, MEDIA_DEVICES, deadline));
};

const closeConsole = async (
  driverOf: DriverOf,
  node: NodeRecord,
  deadline: Deadline,
): Promise<Fields> => {
  if (node['console_enabled'] !== true) return {};
  const driver = driverOf(node);
  if (driver.console !== undefined && !isSwitchedOff(driver, node, 'console'))
    await driver.console.stop(node, deadline);
  return { console_enabled: false };
};

/**
 * Takes away what the lessee had attached to a node, under its lock, which is let go of whatever happens: VIFs first, for
 * they need no BMC; then the console; then virtual media. Safe to repeat.
 * @throws AppError, DriverFailure
 */
export const createLeaseClearing =
  ({ driverOf, detachAll }: LeaseClearingOptions) =>
  async (lock: HeldLock, deadline: Deadline): Promise<void> => {
    try {
      await detachAll(lock, deadline);
      const closed = await unlessUnsupported(() => closeConsole(driverOf, lock.node(), deadline));
      if (Object.keys(closed).length > 0) await lock.write(closed);
      const ejected = await unlessUnsupported(() => ejectMedia(driverOf, lock.node(), deadline));
      if (Object.keys(ejected).length > 0) await lock.write(ejected);
    } finally {
      // What was done is written; a release that has to wait goes on in the background.
      await lock.release({}).catch(() => undefined);
    }
  };
