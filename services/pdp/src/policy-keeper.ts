import { type KeptState } from './domain/policy-history.js';
import { firstPolicy } from './keeping/first-policy.js';
import { createFollower, printOrNothing } from './keeping/follow-source.js';
import { type KeeperOptions } from './keeping/keeper-options.js';
import { createLedger } from './keeping/ledger.js';
import { type Outcome, type Trouble } from './keeping/outcome.js';
import { type Serving } from './keeping/serving.js';
import { createTrials } from './keeping/trials.js';
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
  /** Puts one that was in service back, and keeps it until somebody reloads. */
  readonly rollBack: (revision: string) => Promise<Outcome>;
}

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
  const follower = createFollower(source, logger, {
    trials,
    ledger,
    print,
    refusal: first.trouble,
  });

  const rollBack = async (revision: string): Promise<Outcome> => {
    const attempted = { source: 'history', trigger: 'rollback' } as const;
    let parts: PolicyParts | undefined;
    try {
      parts = await store.get(revision);
    } catch (error) {
      return trials.refuse(attempted, error, revision);
    }
    if (parts === undefined)
      return {
        outcome: 'unknown',
        revision: trials.serving().policy.revision,
        reason: `no bundle of ${revision} is kept`,
      };
    const result = await trials.attempt({ ...attempted, parts }, revision);
    if (!('reason' in result)) follower.chosenOtherwise();
    return result;
  };

  // One at a time; none of them rejects but for a disk that fails.
  let busy: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = busy.then(work, work);
    busy = done;
    return done;
  };
  return {
    current: () => trials.serving().policy,
    serving: trials.serving,
    state: ledger.state,
    trouble: follower.trouble,
    reload: (trigger = 'push') => inTurn(() => follower.load(trigger)),
    reloadIfChanged: () => inTurn(follower.poll),
    rollBack: (revision) => inTurn(() => rollBack(revision)),
  };
};
