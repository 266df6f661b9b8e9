import { type PolicyWish } from '../domain/policy-wish.js';
import { type ReplicaCall, type ReplicaReport } from '../domain/replica-report.js';
import { type PolicyParts } from './policy-source.js';

/** What was on the board when somebody looked. */
export interface SeenWish {
  readonly wish: PolicyWish | undefined;
  /** Tells whether it is still the same. */
  readonly mark: string;
}

/**
 * Where replicas of the decision point tell each other what they were told. Whatever was not written by one of them is not there.
 * All of it throws Error while the board cannot be used.
 */
export interface ReplicaBoard {
  readonly readWish: () => Promise<SeenWish>;
  /** @returns false when there is another one than was seen */
  readonly writeWish: (wish: PolicyWish, seen: SeenWish) => Promise<boolean>;
  /** For some minutes. @throws Error also when it is too large */
  readonly putBundle: (revision: string, parts: PolicyParts) => Promise<void>;
  /** Unchecked, as from any other source. */
  readonly getBundle: (revision: string) => Promise<PolicyParts | undefined>;
  readonly report: (report: ReplicaReport) => Promise<void>;
  readonly leave: (id: string) => Promise<void>;
  /** Of all replicas, however old. */
  readonly reports: () => Promise<readonly ReplicaReport[]>;
  readonly call: (call: ReplicaCall) => Promise<void>;
  /** @param onCall also told to look at everything when calls may have been missed */
  readonly listen: (onCall: (call: ReplicaCall) => void) => void;
}
