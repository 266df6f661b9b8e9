import { type JsonObject } from '@tenure/policy';
import { type ReplicaReport } from '../domain/replica-messages.js';

/** A policy that was in service, or was refused. */
interface PolicyPast {
  readonly revision: string;
  readonly at: string;
  /** Such as "in service", "refused: …", "rolled back". */
  readonly event: string;
  /** The changes: a Markdown or plain-text report of `policy diff`; undefined where there is none. */
  readonly diff: string | undefined;
}

/** Differences of a policy that is evaluated beside the one in service. */
export interface ShadowStatus {
  readonly revision: string;
  readonly evaluated: number;
  readonly differences: number;
  readonly samples: readonly {
    readonly decisionId: string;
    readonly action: string;
    readonly live: boolean;
    readonly shadow: boolean;
  }[];
}

/** The policy in service, and what came before it. */
export interface PolicyStatus {
  readonly revision: string;
  readonly since: string;
  readonly overlays: readonly string[];
  readonly switches: JsonObject;
  /** Sentences about what an operator has to see to; empty when all is well. */
  readonly faults: readonly string[];
  /** The newest first; undefined where no history is kept. */
  readonly history: readonly PolicyPast[] | undefined;
  /** This one first; undefined where it is the only one. */
  readonly replicas: readonly Omit<ReplicaReport, 'id' | 'at'>[] | undefined;
  /** Undefined where there is no shadow. */
  readonly shadow: ShadowStatus | undefined;
}

/** Returns the state of the policy to the console. */
export type ConsoleStatus = () => PolicyStatus;
