import { performance } from 'node:perf_hooks';
import { type CallContext, type NodeRecord } from '@tenure/contracts';
import { deadlineIn } from '@tenure/process';
import { newCallContext } from '@tenure/signed-context';
import { OVERDUE } from '../domain/clean-results.js';
import { failedFields, type Fields, timedOutFields } from '../domain/provision/fields.js';
import { isBusyState, type WaitState, waitsForAgent } from '../domain/provision/states.js';
import { stayOf, watchedFields } from '../domain/provision/watched-time.js';
import { isRefused } from '../domain/refused.js';
import { aboutNode } from './about-node.js';
import { eachNode } from './each-node.js';
import { reportCleanStopped } from './handover-work.js';
import { type NodeLock } from './node-locks.js';
import { PROVISION_LIMITS } from './provision-execution.js';
import { type SharedParts } from './shared-parts.js';
import { createWatchedTime } from './watched-time.js';

export interface OverdueWatchOptions extends Pick<
  SharedParts,
  'handovers' | 'inventory' | 'locks' | 'logger' | 'membership' | 'now'
> {
  readonly limits: WaitLimits;
  /** A clock that only goes forward, milliseconds. */
  readonly elapsedMs?: () => number;
}

/** Finds nodes of this conductor that are in a transient state although no conductor works on them. */
export interface OverdueWatch {
  readonly round: () => Promise<void>;
}

/** Maximum milliseconds between two rounds. */
const ROUND_MS = 120_000;
/** Looks in the shortest time that a node may wait. */
const LOOKS = 6;
/** A round that is later than its pause times this factor does not count as watched time. */
const LATE = 2;

/** Milliseconds that a node may be in a state, without a limit when there is none: watched ones, not those of a clock. */
export interface WaitLimits {
  /** Work that was given up: as long as a whole order may take. */
  readonly orderMs: number;
  /** By the state in which a node waits for its agent. */
  readonly waitMs: Readonly<Record<WaitState, number>>;
}

/** Half an hour each, as in Ironic. */
export const WAIT_LIMITS: WaitLimits = {
  orderMs: PROVISION_LIMITS.orderMs,
  waitMs: {
    'wait call-back': 1_800_000,
    'clean wait': 1_800_000,
    'inspect wait': 1_800_000,
    'rescue wait': 1_800_000,
    'service wait': 1_800_000,
  },
};

/** Milliseconds in which the inventory has to take that a cleaning stopped. */
const STOPPED_MS = 15_000;

const ABANDONED = 'the work on the node was given up, and nobody holds its lock';

/** Milliseconds between two looks: several in the shortest of the limits. */
export const overdueRoundMs = ({ orderMs, waitMs }: WaitLimits): number =>
  Math.min(ROUND_MS, ...[orderMs, ...Object.values(waitMs)].map((ms) => ms / LOOKS));

/**
 * Ends waits and abandoned work in the failed state, so that no node is stuck. The time is counted only while a conductor
 * sees the node in its state, round by round, by the monotonic clock. It is recorded now and then, so that a restart does
 * not begin it again. No work fails because a clock was set, or because no conductor ran for hours.
 */
export function createOverdueWatch(options: OverdueWatchOptions): OverdueWatch {
  const { inventory, handovers, locks, membership, logger, now, limits } = options;
  const { elapsedMs = () => performance.now() } = options;
  const roundMs = overdueRoundMs(limits);
  const watched = createWatchedTime(elapsedMs, roundMs * LATE);

  const end = async (lock: NodeLock, set: Fields): Promise<void> => {
    logger.warn({ node: lock.uuid, state: lock.node().provision_state }, 'overdue');
    const telling = { options: { handovers, now }, deadline: deadlineIn(STOPPED_MS) };
    await reportCleanStopped(lock.context(), lock.node(), OVERDUE, telling);
    await lock.releaseWithRetry(set);
  };
  /** Ends the stay that was seen, or records how long it was watched, if it is the same under the lock. */
  const endOrRecord = async (
    context: CallContext,
    seen: NodeRecord,
    isOver: boolean,
  ): Promise<void> => {
    const lock = await locks.take(aboutNode(context, seen), seen.uuid);
    // The page may be older than what ended the stay.
    const node = { ...lock.node(), reservation: null };
    const isSame = stayOf(node) === stayOf(seen) && limitOf(node, limits) !== undefined;
    const set = isSame && isOver ? endOf(node, now()) : undefined;
    if (set !== undefined) await end(lock, set);
    else await lock.releaseWithRetry(isSame ? watchedFields(lock.node(), watched.see(seen)) : {});
  };
  const visit = async (context: CallContext, seen: NodeRecord): Promise<void> => {
    const limit = limitOf(seen, limits);
    if (limit === undefined) return;
    const isOver = watched.see(seen) >= limit;
    const isToRecord = Number.isFinite(limit) && watched.unrecorded(seen) >= limit / LOOKS;
    if (seen.reservation === null && (isOver || isToRecord))
      await endOrRecord(context, seen, isOver);
  };
  return {
    round: async () => {
      const context = newCallContext('tenure:conductor:overdue');
      await membership.ensureLoaded();
      watched.begin();
      await eachNode(inventory, context, async (node) => {
        if (!membership.isMine(node)) return;
        try {
          await visit(context, node);
        } catch (error) {
          // Locked, changed hands or deleted meanwhile: the next round sees it as it is then.
          if (!isRefused(error)) throw error;
        }
      });
      watched.end();
    },
  };
}

/** Milliseconds that a node may be in its state; undefined when it may stay for ever, or a conductor works on it. */
function limitOf(node: NodeRecord, { orderMs, waitMs }: WaitLimits): number | undefined {
  const { provision_state: state } = node;
  if (node.maintenance) return undefined;
  // A lock on a busy node is that of its work; one on a waiting node passes, and does not end the wait.
  if (isBusyState(state)) return node.reservation === null ? orderMs : undefined;
  return waitsForAgent(state) ? waitMs[state] : undefined;
}

/** The fields that end the state of an overdue node. */
const endOf = (node: NodeRecord, now: Date): Fields | undefined =>
  isBusyState(node.provision_state)
    ? failedFields(node, node.provision_state, ABANDONED, now)
    : timedOutFields(node, now);
