import { type DecisionRecord } from '../domain/decision-record.js';

/** The parts of a question that the log's shares depend on. */
export interface AuditRequest {
  readonly input: unknown;
  readonly requestedBy: string;
  readonly requestId: string | undefined;
  /** Bytes a day for its account; null: no limit; undefined: the default applies. */
  readonly auditLimit?: number | null | undefined;
}

/** Takes a record for every answer. */
export interface DecisionLog {
  /**
   * Checks, before a question is answered, whether the log will accept its record.
   * @throws AppError 429 when the share of its account is used up, 503 when the log is full: the question has no answer then
   */
  readonly admit: (request: AuditRequest) => void;
  /**
   * @returns undefined when the answer may go at once; else a promise: the answer waits for it, and is a denial when it rejects
   * @throws UnavailableError when the record cannot be taken: the answer is a denial then
   */
  readonly record: (entry: DecisionRecord) => Promise<void> | undefined;
}
