import {
  type HistoryEntry,
  type KeptState,
  type Trigger,
  withEntry,
  withPin,
} from '../domain/policy-history.js';
import { isNewer, type PolicyWish } from '../domain/policy-wish.js';
import { type PolicyParts } from '../ports/policy-source.js';
import { type KeeperOptions } from './keeper-options.js';
import { type Trouble } from './outcome.js';

type LedgerOptions = Pick<KeeperOptions, 'store' | 'logger' | 'metrics' | 'now' | 'keep'>;

/** A policy that is tried. */
export interface Attempt {
  readonly parts: PolicyParts;
  readonly source: string;
  readonly trigger: Trigger;
}

/** A policy that takes the place of another. */
interface Activated {
  readonly revision: string;
  /** What is otherwise in it. */
  readonly changes: readonly string[];
}

export interface Ledger {
  readonly state: () => KeptState;
  /** The first policy of this process. A restart with the policy of before is no news. */
  readonly started: (attempt: Attempt, revision: string) => Promise<void>;
  /** @param pinned the revision that stays from now on; with undefined the source is followed */
  readonly activated: (attempt: Attempt, tried: Activated, pinned?: string) => Promise<void>;
  readonly refused: (
    attempt: Omit<Attempt, 'parts'>,
    trouble: Trouble,
    revision: string | undefined,
  ) => Promise<void>;
  readonly pin: (pinned: string | undefined) => Promise<void>;
  /** Remembers what the replicas were told, unless something newer is known. */
  readonly wish: (wish: PolicyWish) => Promise<void>;
}

/** What is kept over restarts, and the only functions that change it. */
export const createLedger = (options: LedgerOptions, first: KeptState): Ledger => {
  const { store, logger, metrics, now, keep } = options;
  let state = first;
  metrics.pinned(first.pinned !== undefined);
  // Service does not depend on it; a decision point whose disk is full goes on deciding.
  const save = async (next: KeptState): Promise<void> => {
    state = next;
    metrics.pinned(next.pinned !== undefined);
    try {
      await store.save(next);
    } catch (error) {
      logger.error({ err: error }, 'the history of bundles could not be written');
    }
  };
  const cannotKeep = (error: unknown): void => {
    logger.error({ err: error }, 'the bundle could not be kept for a rollback');
  };
  const entryOf = (
    { source, trigger }: Omit<Attempt, 'parts'>,
    rest: Omit<HistoryEntry, 'at' | 'source' | 'trigger'>,
  ): HistoryEntry => ({ at: now().toISOString(), source, trigger, ...rest });
  return {
    state: () => state,
    started: async (attempt: Attempt, revision: string): Promise<void> => {
      if (state.last_good === revision) return;
      await store.put(revision, attempt.parts).catch(cannotKeep);
      const entry = entryOf(attempt, { outcome: 'activated', revision });
      await save(withEntry({ ...state, last_good: revision }, entry, keep));
    },
    activated: async (attempt, { revision, changes }, pinned): Promise<void> => {
      await store.put(revision, attempt.parts).catch(cannotKeep);
      const entry = entryOf(attempt, { outcome: 'activated', revision, changes: [...changes] });
      const next = { ...withPin(state, pinned), last_good: revision };
      await save(withEntry(next, entry, keep));
    },
    refused: async (
      attempt: Omit<Attempt, 'parts'>,
      { reason, failingCase }: Trouble,
      revision: string | undefined,
    ): Promise<void> => {
      const entry = entryOf(attempt, {
        outcome: 'refused',
        reason,
        ...(revision !== undefined && { revision }),
        ...(failingCase !== undefined && { failing_case: failingCase }),
      });
      await save(withEntry(state, entry, keep));
    },
    pin: async (pinned: string | undefined): Promise<void> => {
      if (state.pinned === pinned) return;
      await save(withPin(state, pinned));
    },
    wish: async (wish: PolicyWish): Promise<void> => {
      if (isNewer(wish, state.wish)) await save({ ...state, wish });
    },
  };
};
