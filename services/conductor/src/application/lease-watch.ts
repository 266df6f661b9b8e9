import { type CallContext, type NodeRecord } from '@tenure/contracts';
import { newCallContext } from '@tenure/signed-context';
import { isPassing } from '../domain/refused.js';
import { type LeaseBook } from '../ports/lease-book.js';
import { eachNode } from './each-node.js';
import { type SharedParts } from './shared-parts.js';

/** Metrics of leases: how many began, and how many are over whose machines are not handed over yet. */
export interface LeaseObserver {
  readonly begun: (count: number) => void;
  readonly over: (count: number) => void;
  readonly outcome: (outcome: 'ended') => void;
}

export interface LeaseWatchOptions extends Pick<
  SharedParts,
  'inventory' | 'logger' | 'membership'
> {
  readonly leases: LeaseBook;
  readonly observe: LeaseObserver;
}

/** Begins and ends leases. */
export interface LeaseWatch {
  /** Records which leases are over, and begins those that are due. */
  readonly round: () => Promise<void>;
}

/** Milliseconds between two rounds over leases and handovers. */
export const LEASE_ROUND_MS = 1000;

export function createLeaseWatch(options: LeaseWatchOptions): LeaseWatch {
  const { inventory, leases, membership, logger, observe } = options;
  const visited = (context: CallContext, node: NodeRecord): Promise<void> =>
    visit(options, context, node).catch((error: unknown) => {
      const level = isPassing(error) ? 'debug' : 'error';
      logger[level]({ node: node.uuid, err: error }, 'a lease that is over was not ended');
    });
  return {
    round: async () => {
      const context = newCallContext('tenure:conductor:lease');
      await membership.ensureLoaded();
      let over = 0;
      const look = async (node: NodeRecord): Promise<void> => {
        if (!membership.isMine(node)) return;
        over += 1;
        await visited(context, node);
      };
      await eachNode(inventory, context, look, { leaseOver: true });
      observe.over(over);
      observe.begun(await leases.beginDue(context));
    },
  };
}

/**
 * A lease that is over opens the handover of its machine, and waits for it. One whose machine is handed over already, and
 * which a crash kept from ending, ends.
 */
async function visit(
  { leases, observe, logger }: LeaseWatchOptions,
  context: CallContext,
  { uuid, lease_uuid: lease }: NodeRecord,
): Promise<void> {
  const found = await leases.get(context, lease ?? '');
  if (found === undefined) return;
  const isNew = found.status === 'pending' || found.status === 'active';
  if (isNew) {
    await leases.report(context, found.uuid, { status: 'ending' });
    return;
  }
  await leases.report(context, found.uuid, { status: 'ended' });
  observe.outcome('ended');
  logger.info({ node: uuid, lease: found.uuid }, 'a lease has ended');
}
