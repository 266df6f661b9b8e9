/** Somebody to whom records are sent on: a log service, a collection for search. */
export interface RecordReceiver {
  /** For metrics and the file that remembers how far it is. */
  readonly name: string;
  /**
   * Takes records, each a line of JSON. May get some again that it got before.
   * @throws Error when it did not take all of them
   */
  readonly send: (records: readonly Buffer[]) => Promise<void>;
  readonly close: () => Promise<void>;
}
