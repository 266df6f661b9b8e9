import { wordsOf } from '@tenure/policy';
import { type Trigger } from '../domain/policy-history.js';
import { type PolicyParts, type PolicySource, SourceAway } from '../ports/policy-source.js';
import { type KeeperOptions } from './keeper-options.js';
import { type Ledger } from './ledger.js';
import { type Outcome, type Trouble, troubleIn, troubleOf } from './outcome.js';
import { type Trials } from './trials.js';

/** What is known when a source begins to be followed. */
export interface Following {
  readonly trials: Trials;
  readonly ledger: Ledger;
  /** Of the source when it was read; undefined when it was away. */
  readonly print: string | undefined;
  /** Why what it had was not taken. */
  readonly refusal: Trouble | undefined;
  /** Whether the source is of no account now, besides while a policy is pinned. */
  readonly isHeld: () => boolean;
}

export interface Follower {
  /** Tries what the source has now. */
  readonly load: (trigger: Trigger) => Promise<Outcome>;
  /** The same when it has changed and nothing is pinned. */
  readonly poll: () => Promise<void>;
  /** Undefined while what the source has is in service. */
  readonly trouble: () => Trouble | undefined;
  /** Somebody put another policy into service; what was refused before is no trouble any more. */
  readonly chosenOtherwise: () => void;
}

/** @returns undefined when the source is away */
export const printOrNothing = async (source: PolicySource): Promise<string | undefined> => {
  try {
    return await source.fingerprint();
  } catch (error) {
    if (error instanceof SourceAway) return undefined;
    throw error;
  }
};

/** Follows a source for the policies that it has. */
export const createFollower = (
  source: PolicySource,
  logger: KeeperOptions['logger'],
  { trials, ledger, isHeld, ...first }: Following,
): Follower => {
  let { print, refusal } = first;
  // Two troubles, because a server that is back does not make the bundle good that it had before.
  let away: Trouble | undefined;

  const isAway = (error: unknown): Trouble => {
    // Once, not at every poll.
    if (away === undefined) logger.error({ err: error }, wordsOf(error));
    return (away = troubleOf(error));
  };

  const load = async (trigger: Trigger): Promise<Outcome> => {
    const attempted = { source: source.name, trigger };
    let parts: PolicyParts;
    try {
      print = await source.fingerprint();
      away = undefined;
      parts = await source.read();
    } catch (error) {
      if (error instanceof SourceAway)
        return { outcome: 'away', revision: trials.serving().policy.revision, ...isAway(error) };
      refusal = troubleOf(error);
      return trials.refuse(attempted, error, undefined);
    }
    const result = await trials.attempt({ ...attempted, parts });
    refusal = troubleIn(result);
    return result;
  };

  return {
    load,
    poll: async () => {
      if (ledger.state().pinned !== undefined || isHeld()) return;
      try {
        const seen = await source.fingerprint();
        away = undefined;
        if (seen !== print) await load('poll');
      } catch (error) {
        isAway(error);
      }
    },
    trouble: () => refusal ?? away,
    chosenOtherwise: () => {
      refusal = undefined;
    },
  };
};
