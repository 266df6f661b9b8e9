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

/** A search in the log. */
export interface DecisionSearch extends DecisionFilter {
  /** From then on, as the log writes moments. */
  readonly since?: string;
  /** How many at most. */
  readonly limit: number;
  /** Number of records at the very moment of `until` that were returned before. */
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

/** The explanation of a record. */
export interface ExplainedDecision {
  readonly whys: readonly (Why & { readonly places: readonly RulePlace[] })[];
  /** False when another policy made it than the one in service. The nearest misses are always those of the one in service. */
  readonly isSamePolicy: boolean;
}

/** Owner and lessee of a resource. */
export interface AttemptedResource {
  readonly owner: string | null;
  readonly lessee: string | null;
}

/** A caller of the matrix, by its code, and an action. Without a resource, the action is on the caller's own one of the matrix. */
export interface Attempt {
  readonly persona: string;
  readonly action: string;
  readonly resource?: AttemptedResource;
}

/** A hypothetical question to the policy in service. It is not recorded. */
export interface TriedQuestion {
  readonly question: JsonObject;
  readonly answer: PolicyAnswer;
  readonly misses: readonly NearestMiss[];
  /** The row of the action, and the rules that give what matched, or what was nearest. */
  readonly places: readonly RulePlace[];
}

/**
 * Queries of auditors. They run outside the thread that decides, in bounded time and memory.
 * Each throws UnavailableError when it takes too long or there are too many at once.
 */
export interface AuditQueries {
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
