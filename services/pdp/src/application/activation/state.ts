import { CaseFailed, messageOf } from '@tenure/policy';
import { type DesiredRevision } from '../../domain/desired-revision.js';
import { type StoredState, type Trigger } from '../../domain/stored-state.js';
import { type PolicyParts } from '../../ports/policy-source.js';
import { type ActivePolicy, type VerifiedPolicy } from './loader.js';

/** The reason why the newest policy is not active. */
export interface Trouble {
  readonly reason: string;
  /** The golden decision, or the question of the self-test, that was answered wrongly. */
  readonly failingCase?: string;
}

/** The result of a command. `revision` is the active one. */
export type Outcome =
  | {
      readonly outcome: 'activated' | 'unchanged';
      readonly revision: string;
      /** Whether the command was published to the other replicas; absent where there are none. */
      readonly peers?: 'notified' | 'not notified';
    }
  | ({ readonly outcome: 'refused' | 'away' | 'unknown'; readonly revision: string } & Trouble);

/** The policy in service and its origin. */
export interface Active {
  readonly policy: ActivePolicy;
  readonly verified: VerifiedPolicy;
  readonly source: string;
  readonly since: Date;
}

/** A policy that is being tried. The active one answers meanwhile. */
export interface Candidate {
  /** An operator at this replica, the desired revision of all replicas, or a change of the source. */
  readonly cause: 'command' | 'desired' | 'poll';
  readonly source: string;
  readonly trigger: Trigger;
  /** The revision that it must have, and that stays pinned; undefined for what the source has. */
  readonly pin?: string;
  /** Undefined until it is verified. */
  readonly revision?: string;
}

export interface ActivationState {
  readonly active: Active;
  readonly candidate: Candidate | undefined;
  readonly stored: StoredState;
  /** Fingerprint of the source when it was read last; undefined when it was away. */
  readonly fingerprint: string | undefined;
  // Two members, because a source that is available again does not make its refused bundle good.
  readonly refused: Trouble | undefined;
  readonly away: Trouble | undefined;
  /** The reason why the desired revision is not active here. One that was refused is not tried again. */
  readonly unmet: { readonly trouble: Trouble; readonly isRefused: boolean } | undefined;
}

export type ActivationEvent =
  /** Commands. */
  | { readonly type: 'reload'; readonly trigger: 'push' | 'unpin' }
  | { readonly type: 'roll back'; readonly revision: string }
  | { readonly type: 'poll' }
  /** Other replicas received a command. */
  | { readonly type: 'desire'; readonly desired: DesiredRevision }
  /** This replica carried out a command, and published it. */
  | { readonly type: 'published'; readonly desired: DesiredRevision }
  /** Results of queries. */
  | { readonly type: 'fingerprint'; readonly fingerprint: string }
  | { readonly type: 'away'; readonly error: unknown }
  | { readonly type: 'fetched'; readonly parts: PolicyParts }
  | { readonly type: 'missing'; readonly revision: string }
  | { readonly type: 'unreadable'; readonly revision: string; readonly error: unknown }
  | { readonly type: 'verified'; readonly verified: VerifiedPolicy }
  | {
      readonly type: 'prepared';
      readonly policy: ActivePolicy;
      readonly verified: VerifiedPolicy;
    }
  | { readonly type: 'rejected'; readonly error: unknown };

/** Work whose result is the next event. */
export type Query =
  | { readonly query: 'fingerprint' | 'source' }
  | { readonly query: 'bundle'; readonly revision: string }
  | { readonly query: 'verify'; readonly parts: PolicyParts }
  | { readonly query: 'prepare'; readonly verified: VerifiedPolicy };

/** Work without a result. It is done before the new state counts. */
export type Effect =
  | { readonly do: 'store bundle'; readonly revision: string; readonly parts: PolicyParts }
  | { readonly do: 'save'; readonly stored: StoredState }
  | { readonly do: 'report active'; readonly active: Active }
  | { readonly do: 'report unchanged' }
  | {
      readonly do: 'report refused';
      readonly error: unknown;
      readonly active: string;
      readonly refused: string | undefined;
      readonly reason: string;
    }
  | { readonly do: 'report away'; readonly error: unknown; readonly reason: string };

export interface Step {
  readonly state: ActivationState;
  readonly effects: readonly Effect[];
  /** An outcome ends it. */
  readonly next: Query | Outcome;
}

/** Settings that are constant while the process runs. */
export interface ActivationSettings {
  /** Name of the source. */
  readonly source: string;
  /** Entries of the history that are kept. */
  readonly keep: number;
}

export const troubleOf = (error: unknown): Trouble => ({
  reason: messageOf(error),
  ...(error instanceof CaseFailed && { failingCase: error.failingCase }),
});

/** Undefined while all is well. */
export const troubleNow = ({ unmet, refused, away }: ActivationState): Trouble | undefined =>
  unmet?.trouble ?? refused ?? away;
