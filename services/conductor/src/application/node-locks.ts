import { AppError, type CallContext, type NodeRecord } from '@tenure/contracts';
import { doubling, retry, sleep, type Logger } from '@tenure/process';
import { type Fields } from '../domain/members.js';
import { isAway } from '../domain/refused.js';
import { type InventoryPort, type LockProof, type LockedNode } from '../ports/inventory-port.js';
import { aboutNode } from './about-node.js';
import { type TransitionWatch } from './transition-watch.js';

/** A lock that this process owns. Each write proves that it still does. */
export interface NodeLock {
  readonly uuid: string;
  /** The record as last written or read under the lock. */
  readonly node: () => NodeRecord;
  /** Milliseconds since the inventory last confirmed that the lock is ours; Infinity: it did not yet. */
  readonly unprovenMs: () => number;
  /** Proof of the lock, for writes to other resources of the node. */
  readonly proof: LockProof;
  /** The context that it was taken in, about the node as it is now. */
  readonly context: () => CallContext;
  /** Writes under the lock. Throws `lock_lost` when it is no longer ours: the caller must not act any more. */
  readonly write: (set: Fields) => Promise<NodeRecord>;
  /** Writes and releases. When the inventory does not answer it throws, and retries in the background. */
  readonly release: (set: Fields) => Promise<void>;
  /**
   * Writes and releases, with retry while the inventory is unavailable. Ends early only when the lock is lost or the process
   * stops.
   * @param handsOver whether the node is handed over with this very write
   */
  readonly releaseWithRetry: (set: Fields, handsOver?: boolean) => Promise<void>;
  /** Forgets the lock without releasing it: the record says what to resume. */
  readonly abandon: () => void;
}

/** Takes and tracks the locks of this process. */
export interface NodeLocks {
  readonly take: (context: CallContext, uuid: string, set?: Fields) => Promise<NodeLock>;
  /** Adopts a lock that this conductor took before it was restarted. */
  readonly adopt: (context: CallContext, node: NodeRecord) => NodeLock;
  /** Takes over the lock that another conductor left on the node. Throws `node_locked` when another conductor was faster. */
  readonly takeOver: (context: CallContext, node: NodeRecord, from: string) => Promise<NodeLock>;
  readonly isLocked: (uuid: string) => boolean;
  /** True once after a call whose outcome is unknown: it may have reserved a node for this conductor. */
  readonly takeUncertain: () => boolean;
}

export interface NodeLocksOptions {
  readonly inventory: InventoryPort;
  readonly holder: string;
  readonly logger: Logger;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
  readonly retryMs?: number;
  /** Sees every write to a node, since all of them are made under a lock. */
  readonly watch: TransitionWatch;
  /** Called with the number of acquired locks whenever it changes. */
  readonly observeLocks: (count: number) => void;
}

const RETRY_MS = 500;
const MAX_RETRY_MS = 5000;

/** True when another conductor owns the lock, or the node was deleted. */
export const isLockLost = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'lock_lost' || error.status === 404);

/** The shared state of the locks of one process. */
class LockRegistry {
  readonly options: NodeLocksOptions;
  readonly #counts = new Map<string, number>();
  #isUncertain = false;

  constructor(options: NodeLocksOptions) {
    this.options = options;
  }

  enter(uuid: string): void {
    this.#counts.set(uuid, (this.#counts.get(uuid) ?? 0) + 1);
    this.options.observeLocks(this.#counts.size);
  }

  /** A function that leaves a lock once, however often it is called. */
  leaveOnce(uuid: string): () => void {
    let left = false;
    return () => {
      if (!left) this.leave(uuid);
      left = true;
    };
  }

  leave(uuid: string): void {
    const count = (this.#counts.get(uuid) ?? 0) - 1;
    if (count > 0) this.#counts.set(uuid, count);
    else this.#counts.delete(uuid);
    this.options.observeLocks(this.#counts.size);
  }

  isLocked(uuid: string): boolean {
    return this.#counts.has(uuid);
  }

  /** Logs the error of a release that failed permanently. */
  unreleased(uuid: string): (error: unknown) => void {
    return (error) => {
      this.options.logger.error({ node: uuid, err: error }, 'the node could not be released');
    };
  }

  markUncertain(): void {
    this.#isUncertain = true;
  }

  /** Whether a release that failed may succeed later. Its outcome is unknown, unless the lock was lost. */
  mayRetry(error: unknown): boolean {
    if (isLockLost(error)) return false;
    this.markUncertain();
    return isAway(error) && !this.options.stopping.aborted;
  }

  takeUncertain(): boolean {
    const had = this.#isUncertain;
    this.#isUncertain = false;
    return had;
  }
}

const HANDS_OVER = { handover: 'complete' } as const;

interface Taken extends Pick<LockedNode, 'node' | 'fence'> {
  /** When the request began that took the lock, on the monotonic clock; -Infinity: it was taken before a restart. */
  readonly provenAt: number;
}

export function createNodeLocks(options: NodeLocksOptions): NodeLocks {
  const { inventory, holder } = options;
  const registry = new LockRegistry(options);
  const obtain = async (
    context: CallContext,
    uuid: string,
    ask: () => Promise<LockedNode>,
  ): Promise<NodeLock> => {
    registry.enter(uuid);
    try {
      const provenAt = performance.now();
      const taken = await ask();
      options.watch(context, taken);
      return createNodeLock(registry, context, { ...taken, provenAt });
    } catch (error) {
      registry.leave(uuid);
      if (isAway(error)) registry.markUncertain();
      throw error;
    }
  };
  return {
    take: (context, uuid, set) => {
      const reservation = { holder, ...(set !== undefined && { set }) };
      return obtain(context, uuid, () => inventory.reserve(context, uuid, reservation));
    },
    takeOver: (context, { uuid, fence }, from) =>
      obtain(context, uuid, () => inventory.takeOver(context, uuid, { holder, from, fence })),
    adopt: (context, node) => {
      registry.enter(node.uuid);
      return createNodeLock(registry, context, { node, fence: node.fence, provenAt: -Infinity });
    },
    isLocked: (uuid) => registry.isLocked(uuid),
    takeUncertain: () => registry.takeUncertain(),
  };
}

function createNodeLock(registry: LockRegistry, context: CallContext, first: Taken): NodeLock {
  const { inventory, logger, stopping, retryMs = RETRY_MS } = registry.options;
  const { uuid } = first.node;
  const proof = { holder: registry.options.holder, fence: first.fence };
  let { node, provenAt } = first;
  const leave = registry.leaveOnce(uuid);

  const change = async (set: Fields, release: boolean, handsOver = false): Promise<NodeRecord> => {
    const last = { ...(release && { release }), ...(handsOver && HANDS_OVER) };
    const fenced = { ...proof, set, ...last };
    const requestedAt = performance.now();
    const written = await inventory.change(aboutNode(context, node), uuid, fenced);
    provenAt = requestedAt;
    registry.options.watch(context, written, node);
    ({ node } = written);
    if (release) leave();
    return node;
  };
  const lost = (error: unknown): void => {
    leave();
    logger.warn({ node: uuid, request_id: context.request_id, err: error }, 'the lock was lost');
  };
  const releaseWithRetry = async (set: Fields, handsOver = false): Promise<void> => {
    try {
      await retry(() => change(set, true, handsOver), {
        isTransient: (error) => registry.mayRetry(error),
        pauseMs: doubling(retryMs, MAX_RETRY_MS),
        sleep: (ms) => sleep(ms, stopping),
      });
    } catch (error) {
      if (isLockLost(error)) {
        lost(error);
        return;
      }
      leave();
      if (!isAway(error)) throw error;
    }
  };
  const release = async (set: Fields): Promise<void> => {
    try {
      await change(set, true);
    } catch (error) {
      if (isLockLost(error)) lost(error);
      else void releaseWithRetry(set).catch(registry.unreleased(uuid));
      throw error;
    }
  };
  return {
    uuid,
    node: () => node,
    unprovenMs: () => performance.now() - provenAt,
    proof,
    context: () => aboutNode(context, node),
    write: (set) => change(set, false),
    release,
    releaseWithRetry,
    abandon: leave,
  };
}
