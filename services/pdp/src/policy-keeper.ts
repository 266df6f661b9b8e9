import { type KeptState } from './domain/policy-history.js';
import { type PolicyWish } from './domain/policy-wish.js';
import { firstPolicy } from './keeping/first-policy.js';
import { createFollower, printOrNothing } from './keeping/follow-source.js';
import { createWishFollower } from './keeping/follow-wish.js';
import { type KeeperOptions } from './keeping/keeper-options.js';
import { createLedger, type Ledger } from './keeping/ledger.js';
import { type Outcome, type Trouble } from './keeping/outcome.js';
import { type Serving } from './keeping/serving.js';
import { createTrials, type Trials } from './keeping/trials.js';
import { createTurns } from './keeping/turns.js';
import { type ActivePolicy } from './policy-loader.js';
import { type PolicyParts } from './ports/policy-source.js';

export interface PolicyKeeper {
  readonly current: () => ActivePolicy;
  readonly serving: () => Serving;
  readonly state: () => KeptState;
  /** Undefined while all is well. */
  readonly trouble: () => Trouble | undefined;
  /**
   * Loads what the source has now, also when another was rolled back to. What is refused changes nothing but the history,
   * a log line and a metric.
   */
  readonly reload: (trigger?: 'push' | 'unpin') => Promise<Outcome>;
  /** Reloads when the source has changed since it was last read; does nothing while a policy is pinned. */
  readonly reloadIfChanged: () => Promise<void>;
  /** Puts one that was in service, here or at another replica, back, and keeps it until somebody reloads. */
  readonly rollBack: (revision: string) => Promise<Outcome>;
  /** Does what other replicas were told. */
  readonly obey: (wish: PolicyWish) => Promise<void>;
  /** Remembers that this is what this replica was told, and did. */
  readonly note: (wish: PolicyWish) => Promise<void>;
  /** What is kept here of a revision. */
  readonly partsOf: (revision: string) => Promise<PolicyParts | undefined>;
}

type TakeBack = (revision: string, source: string) => Promise<Outcome>;

const createTakeBack =
  ({ store, elsewhere }: KeeperOptions, trials: Trials): TakeBack =>
  async (revision, source) => {
    const attempted = { source, trigger: 'rollback' } as const;
    let parts: PolicyParts | undefined;
    try {
      parts = (await store.get(revision)) ?? (await elsewhere?.(revision));
    } catch (error) {
      return trials.refuse(attempted, error, revision);
    }
    return parts === undefined
      ? {
          outcome: 'unknown',
          revision: trials.serving().policy.revision,
          reason: `no bundle of ${revision} is kept`,
        }
      : trials.attempt({ ...attempted, parts }, revision);
  };

const noteObeyed = async (ledger: Ledger, wish: PolicyWish | undefined): Promise<void> => {
  if (wish === undefined) return;
  await ledger.pin(wish.pinned ?? undefined);
  await ledger.wish(wish);
};

/**
 * Loads the first policy and keeps the best one in service from then on.
 * @throws PolicyRefused or PolicyFailure when the first one cannot be taken into service
 */
export const createPolicyKeeper = async (options: KeeperOptions): Promise<PolicyKeeper> => {
  const { source, store, logger } = options;
  const kept = await store.load();
  const print = await printOrNothing(source);
  const first = await firstPolicy(options, kept);
  const ledger = createLedger(options, kept);
  const trials = createTrials(options, ledger, first.serving);
  const start = {
    parts: first.serving.verified.parts,
    source: first.serving.source,
    trigger: 'start',
  } as const;
  await ledger.started(start, first.serving.policy.revision);
  await noteObeyed(ledger, first.obeyed);
  const takeBack = createTakeBack(options, trials);
  const follower = createFollower(source, logger, {
    trials,
    ledger,
    print,
    refusal: first.trouble,
    isHeld: () => wishes.trouble() !== undefined,
  });
  const wishes = createWishFollower({ ledger, takeBack, load: () => follower.load('push') });

  /** What this replica itself is told. */
  const told = async (work: () => Promise<Outcome>): Promise<Outcome> => {
    const result = await work();
    if (!('reason' in result)) {
      follower.chosenOtherwise();
      wishes.chosenOtherwise();
    }
    return result;
  };

  // None of them rejects but for a disk that fails.
  const inTurn = createTurns();
  return {
    current: () => trials.serving().policy,
    serving: trials.serving,
    state: ledger.state,
    trouble: () => wishes.trouble() ?? follower.trouble(),
    reload: (trigger = 'push') => inTurn(() => told(() => follower.load(trigger))),
    reloadIfChanged: () => inTurn(follower.poll),
    rollBack: (revision) => inTurn(() => told(() => takeBack(revision, 'history'))),
    obey: (wish) => inTurn(() => wishes.obey(wish)),
    note: (wish) => inTurn(() => ledger.wish(wish)),
    partsOf: store.get,
  };
};
