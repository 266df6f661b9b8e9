/** A receiver of records: a log service, or a collection for search. */
export interface RecordReceiver {
  /** Its name in metrics and in the file with its position. */
  readonly name: string;
  /**
   * Takes records, each a line of JSON. It may get some records again.
   * @throws Error when it did not take all of them
   */
  readonly send: (records: readonly Buffer[]) => Promise<void>;
  readonly close: () => Promise<void>;
}
