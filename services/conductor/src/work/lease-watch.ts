import { AppError, type LeasePhase, type LeaseRecord, type NodeRecord } from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import { type Deadline, deadlineIn } from '../deadline.js';
import { DriverFailure } from '../domain/driver-failure.js';
import { type LeaseStep, nextStep } from '../domain/lease-end.js';
import { plainOrder } from '../domain/provision/order.js';
import { type Behalf, type InventoryPort } from '../ports/inventory-port.js';
import { type LeaseBook } from '../ports/lease-book.js';
import { aboutNode, ownBehalf } from './behalf.js';
import { eachNode } from './each-node.js';
import { type Membership } from './membership.js';
import { type HeldLock, type NodeLocks } from './node-locks.js';
import { type ProvisionWork } from './provision-work.js';
import { createRunningTasks } from './running-tasks.js';
import { type Workers } from './workers.js';

/** What became of a look at leases: so many began, are over and not cleared yet; or what became of one. */
export interface LeaseObserver {
  readonly begun: (count: number) => void;
  readonly over: (count: number) => void;
  readonly outcome: (outcome: 'cleared' | 'ordered' | 'failed' | 'ended') => void;
}

export interface LeaseWatchOptions {
  readonly inventory: InventoryPort;
  readonly leases: LeaseBook;
  readonly locks: NodeLocks;
  readonly membership: Membership;
  readonly workers: Workers;
  readonly provision: Pick<ProvisionWork, 'accept'>;
  readonly clear: (lock: HeldLock, deadline: Deadline) => Promise<void>;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
  readonly now: () => Date;
  readonly observe: LeaseObserver;
}

/** Begins and ends leases. */
export interface LeaseWatch {
  /** Does the next step for every node of this conductor whose lease is over, and begins the leases that are due. */
  readonly round: () => Promise<void>;
  /** Resolves when nothing is running any more. */
  readonly idle: () => Promise<void>;
}

/** Milliseconds between two looks. */
export const LEASE_ROUND_MS = 1000;
/** Milliseconds until a node that could not be cleared is tried again. */
const RETRY_MS = 30_000;
const CLEAR_MS = 60_000;
/** So many nodes at the same time: one whose BMC hangs must not keep the others. */
const WORKERS = 16;

/** What is in the way, in words that a lessee may read: nothing of the hardware, which the owner finds on the node. */
const reasonOf = (error: unknown): string => {
  if (error instanceof AppError && error.code === 'node_protected') return 'The node is protected.';
  if (error instanceof AppError && error.code === 'node_retired') return 'The node is retired.';
  return error instanceof DriverFailure || error instanceof AppError
    ? 'The hardware of the node could not be cleared.'
    : 'An unexpected error happened in the conductor.';
};

/** Locked, changed or gone meanwhile, or the inventory is away: the next round sees it as it is then. */
const isPassing = (error: unknown): boolean =>
  error instanceof AppError && (error.status >= 500 || [404, 409, 412].includes(error.status))
    ? !error.code.startsWith('driver_')
    : false;

type Step<K extends LeaseStep['kind']> = Extract<LeaseStep, { readonly kind: K }>;

/** What is remembered of the nodes between two looks. */
interface Memory {
  /** Nodes whose next step is being done. */
  readonly busy: Set<string>;
  /** By lease: when a node that could not be cleared is tried again. */
  readonly retryAt: Map<string, number>;
}

/** One node and its lease, and on whose behalf. */
interface Over {
  readonly behalf: Behalf;
  readonly node: NodeRecord;
  readonly lease: LeaseRecord;
}

interface Failure {
  readonly reason: string;
  readonly phase?: LeasePhase;
}

const fail = async (
  { leases, logger, observe, now }: LeaseWatchOptions,
  { retryAt }: Memory,
  { behalf, lease: { uuid } }: Over,
  failure: Failure,
): Promise<void> => {
  retryAt.set(uuid, now().getTime() + RETRY_MS);
  observe.outcome('failed');
  const { reason, phase } = failure;
  logger.warn({ lease: uuid, reason }, 'a node could not be cleared after its lease');
  await leases.report(behalf, uuid, {
    status: 'error',
    reason,
    ...(phase !== undefined && { phase }),
  });
};

const perform = async (
  options: LeaseWatchOptions,
  { behalf, node, lease: { uuid } }: Over,
  step: Step<'clear' | 'order'>,
): Promise<void> => {
  const { leases, locks, clear, provision, stopping, observe } = options;
  const about = aboutNode(behalf, node);
  if (step.kind === 'clear') {
    await clear(await locks.take(about, node.uuid), deadlineIn(CLEAR_MS, stopping));
    await leases.report(behalf, uuid, { status: 'ending', phase: 'cleared' });
    observe.outcome('cleared');
    return;
  }
  await provision.accept(about, node.uuid, plainOrder(step.target));
  await leases.report(behalf, uuid, { status: 'ending', phase: step.phase });
  observe.outcome('ordered');
};

const advance = async (options: LeaseWatchOptions, memory: Memory, over: Over): Promise<void> => {
  const { leases, observe, logger } = options;
  const { behalf, node, lease } = over;
  const step = nextStep(node, lease);
  if (step.kind === 'wait') return;
  if (step.kind === 'failed') {
    if (lease.status !== 'error' || lease.phase !== step.phase)
      await fail(options, memory, over, step);
    return;
  }
  if (step.kind === 'done') {
    await leases.report(behalf, lease.uuid, { status: 'ended' });
    observe.outcome('ended');
    logger.info({ node: node.uuid, lease: lease.uuid }, 'a lease has ended');
    return;
  }
  try {
    await perform(options, over, step);
  } catch (error) {
    if (isPassing(error)) throw error;
    await fail(options, memory, over, { reason: reasonOf(error) });
  }
};

const visit = async (
  options: LeaseWatchOptions,
  memory: Memory,
  behalf: Behalf,
  node: NodeRecord,
): Promise<void> => {
  const { leases, now } = options;
  const uuid = node.lease_uuid ?? '';
  if ((memory.retryAt.get(uuid) ?? 0) > now().getTime()) return;
  memory.retryAt.delete(uuid);
  const found = await leases.get(behalf, uuid);
  if (found === undefined) return;
  const isNew = found.status === 'pending' || found.status === 'active';
  const lease = isNew ? await leases.report(behalf, uuid, { status: 'ending' }) : found;
  await advance(options, memory, { behalf, node, lease });
};

export const createLeaseWatch = (options: LeaseWatchOptions): LeaseWatch => {
  const { inventory, leases, membership, logger, stopping, observe } = options;
  const running = createRunningTasks(options.workers, 'lease');
  const memory: Memory = { busy: new Set(), retryAt: new Map() };
  const { busy } = memory;

  const begin = (behalf: Behalf, node: NodeRecord): void => {
    busy.add(node.uuid);
    const work = (): Promise<void> =>
      visit(options, memory, behalf, node)
        .catch((error: unknown) => {
          const level = isPassing(error) || stopping.aborted ? 'debug' : 'error';
          logger[level]({ node: node.uuid, err: error }, 'a step after a lease was not done');
        })
        .finally(() => busy.delete(node.uuid));
    running.add(work);
  };

  return {
    round: async () => {
      const behalf = ownBehalf('tenure:conductor:lease');
      await membership.known();
      let over = 0;
      const visited = (node: NodeRecord): void => {
        if (!membership.isMine(node)) return;
        over += 1;
        if (!busy.has(node.uuid) && busy.size < WORKERS) begin(behalf, node);
      };
      await eachNode(inventory, behalf, visited, { leaseOver: true });
      observe.over(over);
      observe.begun(await leases.beginDue(behalf));
    },
    idle: running.idle,
  };
};
