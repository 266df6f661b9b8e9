import { type CallContext, type NodeRecord } from '@tenure/contracts';
import { currentSpan, deadlineIn, type Deadline } from '@tenure/process';
import { safeReason, toRouteError } from '../domain/driver-failure.js';
import { isTenants, withHardwareBefore } from '../domain/hardware-before.js';
import {
  failureOfChange,
  type NodeChange,
  PENDING_CHANGE,
  type ResumableChange,
  withoutPendingChange,
} from '../domain/node-change.js';
import { type Perform, performerOf, type ReadBefore } from './change-performers.js';
import { writeWithRetry } from './locked-write.js';
import { type NodeLock } from './node-locks.js';
import { createRunningTasks } from './running-tasks.js';
import { type SharedParts } from './shared-parts.js';
import { abandonedOn, orRelease, abandonOnFailure } from './under-lock.js';

export type NodeChangesOptions = Pick<
  SharedParts,
  'driverOf' | 'inventory' | 'locks' | 'logger' | 'stopping' | 'workers'
>;

/** A change as accepted: checks come before the acknowledgement, the work after it. */
interface AcceptedChange {
  readonly change: NodeChange;
  /** Throws the error that the caller gets; called before and again after the lock is taken. */
  readonly check: (node: NodeRecord) => Promise<void> | void;
  readonly perform: Perform;
  /** Settings of the hardware that it changes, as they are. */
  readonly before?: ReadBefore | undefined;
}

export interface NodeChanges {
  /** Once this resolves, the change is persisted with the lock and is carried out even if the process dies. */
  readonly accept: (
    context: CallContext,
    uuid: string,
    change: ResumableChange,
    check?: AcceptedChange['check'],
  ) => Promise<void>;
  /** As `accept`, for a change that cannot be resumed: after a crash, `last_error` says that it was interrupted. */
  readonly acceptOnce: (
    context: CallContext,
    uuid: string,
    accepted: AcceptedChange,
  ) => Promise<void>;
  /** Does something without the lock, after it resolved; its failure is only logged. */
  readonly inBackground: (
    uuid: string,
    work: (deadline: Deadline) => Promise<unknown>,
  ) => Promise<void>;
  /** Carries on with a change under a lock that is ours. */
  readonly resume: (lock: NodeLock, change: NodeChange) => void;
  /** Resolves when nothing is running any more. */
  readonly idle: () => Promise<void>;
}

const CHANGE_MS = 60_000;
const NOT_COMPLETED = 'a change of a node could not be completed';

/** Changes that are answered with 202: accepted under the lock, persisted, then carried out. */
export function createNodeChanges(options: NodeChangesOptions): NodeChanges {
  const { driverOf, logger, stopping } = options;
  const running = createRunningTasks(options.workers, 'change');
  const taskOf = (
    lock: NodeLock,
    accepted: Pick<AcceptedChange, 'change' | 'perform'>,
  ): Promise<void> => {
    currentSpan()?.setAttributes({
      'tenure.node': lock.uuid,
      'tenure.change': accepted.change.kind,
    });
    return abandonOnFailure(lock, run(lock, accepted, options), logger, NOT_COMPLETED);
  };
  const takeOn = (context: CallContext, uuid: string, accepted: AcceptedChange): Promise<void> =>
    running.accept('ordinary', async (begin) => {
      const lock = await takeWritten(options, context, uuid, accepted);
      begin(() => taskOf(lock, accepted));
    });
  return {
    accept: async (context, uuid, change, check = () => undefined) => {
      const how = performerOf(driverOf, change);
      const both = async (node: NodeRecord): Promise<void> => {
        await check(node);
        await how.check(node);
      };
      const { perform, before } = how;
      await takeOn(context, uuid, { change, perform, check: both, before });
    },
    acceptOnce: takeOn,
    inBackground: (uuid, work) =>
      running.accept('ordinary', (begin) => {
        begin(async () => {
          await work(deadlineIn(CHANGE_MS, stopping)).catch((error: unknown) => {
            logger.error({ node: uuid, err: error }, NOT_COMPLETED);
          });
        });
        return Promise.resolve();
      }),
    resume: (lock, change) => {
      if (change.kind === 'vendor')
        running.add(() =>
          abandonOnFailure(
            lock,
            releaseFailed({ lock, change }, 'it was interrupted'),
            logger,
            NOT_COMPLETED,
          ),
        );
      else {
        const how = performerOf(driverOf, change);
        const perform: Perform = async (node, deadline) => {
          // Throws when the lock was lost meanwhile: nothing must be done then.
          await writeWithRetry({ lock, deadline }, {});
          return how.perform(node, deadline);
        };
        running.add(() => taskOf(lock, { change, perform }));
      }
    },
    idle: running.idle,
  };
}

async function run(
  lock: NodeLock,
  { change, perform }: Pick<AcceptedChange, 'change' | 'perform'>,
  { logger, stopping }: NodeChangesOptions,
): Promise<void> {
  try {
    const set = await perform(lock.node(), deadlineIn(CHANGE_MS, stopping));
    const internal = withoutPendingChange(lock.node());
    await lock.releaseWithRetry({ driver_internal_info: internal, ...set, last_error: null });
  } catch (error) {
    // Stopped: after the restart, this conductor finds the change in the record.
    if (abandonedOn(error, lock, stopping) !== undefined) return;
    logger.warn({ node: lock.uuid, change: change.kind, err: error }, 'a change of a node failed');
    await releaseFailed({ lock, change }, safeReason(error));
  }
}

/** Takes the lock and persists the change; a node that refuses it is left unchanged. */
async function takeWritten(
  { inventory, locks, stopping }: NodeChangesOptions,
  context: CallContext,
  uuid: string,
  { change, check, before: read }: AcceptedChange,
): Promise<NodeLock> {
  /** Records the settings that a tenant is about to change, so that they can be restored. */
  const internalBefore = async (node: NodeRecord): Promise<Readonly<Record<string, unknown>>> =>
    read === undefined || !isTenants(node, context)
      ? node.driver_internal_info
      : withHardwareBefore(node, await read(node, deadlineIn(CHANGE_MS, stopping)));
  const before = await inventory.getNode(context, uuid);
  try {
    await check(before);
  } catch (error) {
    throw toRouteError(error);
  }
  const lock = await locks.take(context, uuid);
  const take = async (node: NodeRecord): Promise<NodeLock> => {
    await check(node);
    const internal = await internalBefore(node);
    await lock.write({
      last_error: null,
      driver_internal_info: { ...internal, [PENDING_CHANGE]: change },
    });
    return lock;
  };
  // A write whose answer was lost may have been made.
  return orRelease(lock, take, () => ({
    last_error: before.last_error,
    driver_internal_info: withoutPendingChange(lock.node()),
  }));
}

const releaseFailed = async (
  { lock, change }: { readonly lock: NodeLock; readonly change: NodeChange },
  reason: string,
): Promise<void> =>
  lock.releaseWithRetry({
    last_error: failureOfChange(change, reason),
    driver_internal_info: withoutPendingChange(lock.node()),
  });
