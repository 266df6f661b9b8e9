import { type DesiredRevision } from '../domain/desired-revision.js';
import { type ReplicaMessage, type ReplicaReport } from '../domain/replica-messages.js';
import { type PolicyParts } from './policy-source.js';

/** The registry's desired revision when it was read. */
export interface FoundDesired {
  readonly desired: DesiredRevision | undefined;
  /** The entry as it is stored, to be compared before it is replaced. */
  readonly mark: string;
}

/**
 * State that the replicas of the decision point share. Entries that none of them wrote are treated as missing.
 * Every method throws Error while the registry cannot be used.
 */
export interface ReplicaRegistry {
  readonly readDesired: () => Promise<FoundDesired>;
  /** @returns false when the entry is another than the one that was found */
  readonly writeDesired: (desired: DesiredRevision, found: FoundDesired) => Promise<boolean>;
  /** For some minutes. @throws Error also when it is too large */
  readonly putBundle: (revision: string, parts: PolicyParts) => Promise<void>;
  /** Unchecked, as from any other source. */
  readonly getBundle: (revision: string) => Promise<PolicyParts | undefined>;
  readonly report: (report: ReplicaReport) => Promise<void>;
  readonly remove: (id: string) => Promise<void>;
  /** Of all replicas, however old. */
  readonly reports: () => Promise<readonly ReplicaReport[]>;
  readonly publish: (message: ReplicaMessage) => Promise<void>;
  /** @param onMessage also called to look at everything when messages may have been missed */
  readonly subscribe: (onMessage: (message: ReplicaMessage) => void) => void;
}
