import { type DecisionRecord } from '../domain/decision-record.js';

/** A question before it is answered, as far as the log's shares go. */
export interface AuditAsked {
  readonly input: unknown;
  readonly requestedBy: string;
  readonly requestId: string | undefined;
  /** Bytes a day that its account may have, where its asker knows: null is no limit. Undefined: as everybody. */
  readonly auditLimit?: number | null | undefined;
}

/** Takes a record for every answer. */
export interface DecisionLog {
  /**
   * Before a question is answered: whether the log will take its record.
   * @throws AppError 429 when the share of its account is used up, 503 when the log is full: the question has no answer then
   */
  readonly admit: (asked: AuditAsked) => void;
  /**
   * @returns undefined when the answer may go at once; else a promise: the answer waits for it, and is a denial when it rejects
   * @throws UnavailableError when the record cannot be taken: the answer is a denial then
   */
  readonly record: (entry: DecisionRecord) => Promise<void> | undefined;
}
