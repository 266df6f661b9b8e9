import { type DecisionRecord } from '../domain/decision-record.js';

/** Takes a record for every answer. */
export interface DecisionLog {
  /**
   * @returns undefined when the answer may go at once; else a promise: the answer waits for it, and is a denial when it rejects
   * @throws UnavailableError when the record cannot be taken: the answer is a denial then
   */
  readonly record: (entry: DecisionRecord) => Promise<void> | undefined;
}
