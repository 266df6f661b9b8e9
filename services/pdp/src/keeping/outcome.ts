import { CaseFailed, wordsOf } from '@tenure/policy';

/** Why the newest policy is not the one in service. */
export interface Trouble {
  readonly reason: string;
  /** The golden decision, or question of the self-test, that was answered otherwise. */
  readonly failingCase?: string;
}

/** What became of something that was asked of the keeper. */
export type Outcome =
  | {
      readonly outcome: 'activated' | 'unchanged';
      readonly revision: string;
      /** Whether the other replicas know of it; absent where there are none. */
      readonly others?: 'told' | 'not told';
    }
  | ({ readonly outcome: 'refused' | 'away' | 'unknown'; readonly revision: string } & Trouble);

/** What was thrown, for whoever asks later. */
export const troubleOf = (error: unknown): Trouble => ({
  reason: wordsOf(error),
  ...(error instanceof CaseFailed && { failingCase: error.failingCase }),
});

/** The trouble of an outcome; undefined when there is none. */
export const troubleIn = (outcome: Outcome): Trouble | undefined => {
  if (!('reason' in outcome)) return undefined;
  const { reason, failingCase } = outcome;
  return { reason, ...(failingCase !== undefined && { failingCase }) };
};
