import { AppError, type NodeRecord } from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import { deadlineIn } from '../deadline.js';
import { OVERDUE } from '../domain/clean-results.js';
import { failedFields, type Fields, timedOutFields } from '../domain/provision/fields.js';
import { isBusyState } from '../domain/provision/states.js';
import { type HandoverBook } from '../ports/handover-book.js';
import { type Behalf, type InventoryPort } from '../ports/inventory-port.js';
import { aboutNode, ownBehalf } from './behalf.js';
import { eachNode } from './each-node.js';
import { tellCleanStopped } from './handover-work.js';
import { type Membership } from './membership.js';
import { type NodeLocks } from './node-locks.js';

export interface OverdueWatchOptions {
  readonly inventory: InventoryPort;
  readonly handovers: HandoverBook;
  readonly locks: NodeLocks;
  readonly membership: Membership;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** Looks for nodes of this conductor that nobody works on, in states that somebody should have led them out of. */
export interface OverdueWatch {
  readonly round: () => Promise<void>;
}

/** Milliseconds between two looks. */
export const OVERDUE_ROUND_MS = 120_000;
/** Milliseconds that a node may wait for its agent, as in Ironic; no work takes longer either. */
const OVERDUE_MS = 1_800_000;

/** Milliseconds in which the inventory has to take that a cleaning stopped. */
const STOPPED_MS = 15_000;

const ABANDONED = 'the work on the node was given up, and nobody holds its lock';

/** What ends the state of an overdue node; undefined when the node is in no such state, or not overdue. */
const endOf = (node: NodeRecord, now: Date): Fields | undefined => {
  if (node.reservation !== null || node.maintenance) return undefined;
  const since = node['provision_updated_at'] ?? node.updated_at ?? node.created_at;
  if (typeof since !== 'string' || now.getTime() - Date.parse(since) < OVERDUE_MS) return undefined;
  return isBusyState(node.provision_state)
    ? failedFields(node, node.provision_state, ABANDONED, now)
    : timedOutFields(node, now);
};

/** Ends waits and abandoned work in the failed state, so that no node is stuck. */
export const createOverdueWatch = (options: OverdueWatchOptions): OverdueWatch => {
  const { inventory, handovers, locks, membership, logger, now } = options;
  const end = async (behalf: Behalf, seen: NodeRecord): Promise<void> => {
    if (endOf(seen, now()) === undefined) return;
    const lock = await locks.take(aboutNode(behalf, seen), seen.uuid);
    // As it is under the lock: the page may be older than what ended the state.
    const set = endOf({ ...lock.node(), reservation: null }, now());
    if (set !== undefined) {
      logger.warn({ node: seen.uuid, state: seen.provision_state }, 'overdue');
      const telling = { options: { handovers, now }, deadline: deadlineIn(STOPPED_MS) };
      await tellCleanStopped(lock.behalf(), lock.node(), OVERDUE, telling);
    }
    await lock.settle(set ?? {});
  };
  return {
    round: async () => {
      const behalf = ownBehalf('tenure:conductor:overdue');
      await membership.known();
      await eachNode(inventory, behalf, async (node) => {
        if (!membership.isMine(node)) return;
        try {
          await end(behalf, node);
        } catch (error) {
          // Locked, changed hands or deleted meanwhile: the next round sees it as it is then.
          if (!(error instanceof AppError && error.status < 500)) throw error;
        }
      });
    },
  };
};
