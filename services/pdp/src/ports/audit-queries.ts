import { type LoggedDecision } from '@tenure/decision-log';
import {
  type DecisionFilter,
  type JsonObject,
  type Matrix,
  type NearestMiss,
  type PolicyAnswer,
  type RulePlace,
  type Why,
} from '@tenure/policy';

/** What is looked for in the log. */
export interface DecisionSearch extends DecisionFilter {
  /** From then on, as the log writes moments. */
  readonly since?: string;
  /** How many at most. */
  readonly limit: number;
  /** Of the records at the very moment of `until`, how many were shown before. */
  readonly skip: number;
}

export interface FoundDecisions {
  /** The newest first. */
  readonly decisions: readonly LoggedDecision[];
  /** Whether there are more behind them. */
  readonly hasMore: boolean;
  /** False when the time was up before the whole log was looked through. */
  readonly isComplete: boolean;
}

/** Why a record says what it says. */
export interface ExplainedDecision {
  readonly whys: readonly (Why & { readonly places: readonly RulePlace[] })[];
  /** False when another policy made it than the one in service, of which the nearest misses are. */
  readonly isSamePolicy: boolean;
}

/** Whose a thing is. */
export interface AttemptedThing {
  readonly owner: string | null;
  readonly lessee: string | null;
}

/** A caller of the matrix, by its code, and what it would do; without a thing, to the caller's own of the matrix. */
export interface Attempt {
  readonly persona: string;
  readonly action: string;
  readonly thing?: AttemptedThing;
}

/** A question that nobody asked, put to the policy in service, and recorded nowhere. */
export interface TriedQuestion {
  readonly question: JsonObject;
  readonly answer: PolicyAnswer;
  readonly misses: readonly NearestMiss[];
  /** The row of the action, and the rules that give what matched, or what was nearest. */
  readonly places: readonly RulePlace[];
}

/**
 * What auditors look up and work out. Done away from the thread that decides, in bounded time and memory.
 * All of it throws UnavailableError when it takes too long or too many ask at once.
 */
export interface AuditDesk {
  readonly search: (search: DecisionSearch) => Promise<FoundDecisions>;
  readonly find: (decisionId: string) => Promise<LoggedDecision | undefined>;
  readonly explain: (decision: LoggedDecision) => Promise<ExplainedDecision>;
  /** Of the policy in service, under its own switches. */
  readonly matrix: () => Promise<Matrix>;
  readonly attempt: (attempted: Attempt) => Promise<TriedQuestion>;
  /**
   * Decisions as they are made, some at a time, until the signal; at first the newest of those that were made from a
   * moment on, the oldest of them first.
   */
  readonly follow: (
    filter: DecisionFilter,
    from: string | undefined,
    signal: AbortSignal,
    onBatch: (batch: FollowedDecisions) => void,
  ) => Promise<void>;
}

export interface FollowedDecisions {
  readonly decisions: readonly LoggedDecision[];
  /** How many more there were in the same moment. */
  readonly left: number;
}
