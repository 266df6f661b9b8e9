import { isNewer, type PolicyWish } from '../domain/policy-wish.js';
import { type Ledger } from './ledger.js';
import { type Outcome, type Trouble, troubleIn } from './outcome.js';

export interface WishOptions {
  readonly ledger: Ledger;
  /** Puts a revision into service, and keeps it. */
  readonly takeBack: (revision: string, source: string) => Promise<Outcome>;
  /** Loads what the source has. */
  readonly load: () => Promise<Outcome>;
}

/** Does what other replicas were told. */
export interface WishFollower {
  /** Does nothing when it is done; tries again what could not be had, but not what was refused. */
  readonly obey: (wish: PolicyWish) => Promise<void>;
  /** Why what they pinned is not in service here. */
  readonly trouble: () => Trouble | undefined;
  /** Somebody told this replica otherwise. */
  readonly chosenOtherwise: () => void;
}

export const createWishFollower = ({ ledger, takeBack, load }: WishOptions): WishFollower => {
  let trouble: Trouble | undefined;
  let isRefused = false;

  const followSource = async (): Promise<void> => {
    const outcome = await load();
    trouble = undefined;
    // What is wrong with the source is known as its own trouble, and it is looked at again.
    if ('reason' in outcome) await ledger.pin(undefined);
  };

  const pin = async (revision: string, by: string): Promise<void> => {
    const outcome = await takeBack(revision, `history, as ${by} was told`);
    trouble = troubleIn(outcome);
    isRefused = outcome.outcome === 'refused';
  };

  return {
    obey: async (wish) => {
      const { wish: known, pinned } = ledger.state();
      if (!isNewer(wish, known) && (isRefused || wish.pinned === (pinned ?? null))) return;
      await ledger.wish(wish);
      isRefused = false;
      if (wish.pinned === null) await followSource();
      else await pin(wish.pinned, wish.by);
    },
    trouble: () => trouble,
    chosenOtherwise: () => {
      trouble = undefined;
      isRefused = false;
    },
  };
};
