import { setTimeout as delay } from 'node:timers/promises';
import { AppError, type NodeRecord } from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import {
  type Behalf,
  type InventoryPort,
  type LockedNode,
  type LockProof,
} from '../ports/inventory-port.js';
import { aboutNode } from './behalf.js';
import { type TransitionWatch } from './transition-watch.js';

type Fields = Readonly<Record<string, unknown>>;

/** A lock that this process holds. Each write proves that it still does. */
export interface HeldLock {
  readonly uuid: string;
  /** The record as last written or read under the lock. */
  readonly node: () => NodeRecord;
  /** Milliseconds since the inventory last confirmed that the lock is ours; Infinity: it did not yet. */
  readonly unprovenMs: () => number;
  /** What a write to anything else of the node proves the lock with. */
  readonly proof: LockProof;
  /** On whose behalf it was taken, about the node as it is now. */
  readonly behalf: () => Behalf;
  /** Writes under the lock. Throws `lock_lost` when it is no longer ours: the caller must not act any more. */
  readonly write: (set: Fields) => Promise<NodeRecord>;
  /** Writes and releases. When the inventory does not answer it throws, and goes on trying in the background. */
  readonly release: (set: Fields) => Promise<void>;
  /**
   * Writes and releases, however long the inventory is away; ends early only when the lock is lost or the process stops.
   * @param handsOver whether the node is handed over with this very write
   */
  readonly settle: (set: Fields, handsOver?: boolean) => Promise<void>;
  /** Forgets the lock without releasing it: the record says what to resume. */
  readonly abandon: () => void;
}

/** Takes and keeps track of the locks of this process. */
export interface NodeLocks {
  readonly take: (behalf: Behalf, uuid: string, set?: Fields) => Promise<HeldLock>;
  /** Adopts a lock that an earlier life of this conductor took. */
  readonly adopt: (behalf: Behalf, node: NodeRecord) => HeldLock;
  /** Takes over the lock that another conductor left on the node. Throws `node_locked` when it is not to be had. */
  readonly takeOver: (behalf: Behalf, node: NodeRecord, from: string) => Promise<HeldLock>;
  readonly isHeld: (uuid: string) => boolean;
  /** True once after a call whose outcome is unknown: a node may be reserved by us without our knowing. */
  readonly takeDoubt: () => boolean;
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
  /** Told how many locks are held, whenever that changes. */
  readonly observeHeld: (count: number) => void;
}

const RETRY_MS = 500;
const MAX_RETRY_MS = 5000;

/** True when the lock belongs to somebody else by now, or the node is gone. */
export const isLockLost = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'lock_lost' || error.status === 404);

const isTransient = (error: unknown): boolean => error instanceof AppError && error.status >= 500;

/** What the locks of one process have in common. */
class Ledger {
  readonly options: NodeLocksOptions;
  readonly #held = new Map<string, number>();
  #doubt = false;

  constructor(options: NodeLocksOptions) {
    this.options = options;
  }

  enter(uuid: string): void {
    this.#held.set(uuid, (this.#held.get(uuid) ?? 0) + 1);
    this.options.observeHeld(this.#held.size);
  }

  /** What leaves a lock that was entered, however often it is called. */
  leaveOnce(uuid: string): () => void {
    let left = false;
    return () => {
      if (!left) this.leave(uuid);
      left = true;
    };
  }

  leave(uuid: string): void {
    const count = (this.#held.get(uuid) ?? 0) - 1;
    if (count > 0) this.#held.set(uuid, count);
    else this.#held.delete(uuid);
    this.options.observeHeld(this.#held.size);
  }

  isHeld(uuid: string): boolean {
    return this.#held.has(uuid);
  }

  /** What to do with the error of a release that failed for good. */
  unreleased(uuid: string): (error: unknown) => void {
    return (error) => {
      this.options.logger.error({ node: uuid, err: error }, 'the node could not be released');
    };
  }

  doubt(): void {
    this.#doubt = true;
  }

  takeDoubt(): boolean {
    const had = this.#doubt;
    this.#doubt = false;
    return had;
  }
}

/** Tries again and again, each time after a longer pause; a stop ends the pauses. */
const untilDone = async (
  isDone: () => Promise<boolean>,
  firstMs: number,
  stopping: AbortSignal,
): Promise<void> => {
  for (let wait = firstMs; !(await isDone()); wait = Math.min(wait * 2, MAX_RETRY_MS))
    await delay(wait, undefined, { signal: stopping }).catch(() => undefined);
};

const HANDS_OVER = { handover: 'complete' } as const;

interface Taken extends Pick<LockedNode, 'node' | 'fence'> {
  /** When the request began that took the lock, on the monotonic clock; -Infinity: an earlier life took it. */
  readonly provenAt: number;
}

const createHeldLock = (ledger: Ledger, behalf: Behalf, first: Taken): HeldLock => {
  const { inventory, logger, stopping, retryMs = RETRY_MS } = ledger.options;
  const { uuid } = first.node;
  const proof = { holder: ledger.options.holder, fence: first.fence };
  let { node, provenAt } = first;
  const leave = ledger.leaveOnce(uuid);

  const change = async (set: Fields, release: boolean, handsOver = false): Promise<NodeRecord> => {
    const last = { ...(release && { release }), ...(handsOver && HANDS_OVER) };
    const fenced = { ...proof, set, ...last };
    const requestedAt = performance.now();
    const written = await inventory.change(aboutNode(behalf, node), uuid, fenced);
    provenAt = requestedAt;
    ledger.options.watch(behalf, written, node);
    ({ node } = written);
    if (release) leave();
    return node;
  };
  const lost = (error: unknown): void => {
    leave();
    logger.warn({ node: uuid, request_id: behalf.request_id, err: error }, 'the lock was lost');
  };
  /** True when there is nothing left to try. */
  const tryLast = async (set: Fields, handsOver = false): Promise<boolean> => {
    try {
      await change(set, true, handsOver);
      return true;
    } catch (error) {
      if (isLockLost(error)) {
        lost(error);
        return true;
      }
      ledger.doubt();
      if (isTransient(error) && !stopping.aborted) return false;
      leave();
      if (isTransient(error)) return true;
      throw error;
    }
  };
  const settle = (set: Fields, handsOver = false): Promise<void> =>
    untilDone(() => tryLast(set, handsOver), retryMs, stopping);
  const release = async (set: Fields): Promise<void> => {
    try {
      await change(set, true);
    } catch (error) {
      if (isLockLost(error)) lost(error);
      else void settle(set).catch(ledger.unreleased(uuid));
      throw error;
    }
  };
  return {
    uuid,
    node: () => node,
    unprovenMs: () => performance.now() - provenAt,
    proof,
    behalf: () => aboutNode(behalf, node),
    write: (set) => change(set, false),
    release,
    settle,
    abandon: leave,
  };
};

export const createNodeLocks = (options: NodeLocksOptions): NodeLocks => {
  const { inventory, holder } = options;
  const ledger = new Ledger(options);
  const obtain = async (
    behalf: Behalf,
    uuid: string,
    ask: () => Promise<LockedNode>,
  ): Promise<HeldLock> => {
    ledger.enter(uuid);
    try {
      const provenAt = performance.now();
      const taken = await ask();
      options.watch(behalf, taken);
      return createHeldLock(ledger, behalf, { ...taken, provenAt });
    } catch (error) {
      ledger.leave(uuid);
      if (isTransient(error)) ledger.doubt();
      throw error;
    }
  };
  return {
    take: (behalf, uuid, set) => {
      const reservation = { holder, ...(set !== undefined && { set }) };
      return obtain(behalf, uuid, () => inventory.reserve(behalf, uuid, reservation));
    },
    takeOver: (behalf, { uuid, fence }, from) =>
      obtain(behalf, uuid, () => inventory.takeOver(behalf, uuid, { holder, from, fence })),
    adopt: (behalf, node) => {
      ledger.enter(node.uuid);
      return createHeldLock(ledger, behalf, { node, fence: node.fence, provenAt: -Infinity });
    },
    isHeld: (uuid) => ledger.isHeld(uuid),
    takeDoubt: () => ledger.takeDoubt(),
  };
};
