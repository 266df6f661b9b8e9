import { type ListAnswer, type ListRequest } from '../../ports/list-readers.js';

/** One reader. It answers one request at a time. */
export interface Reader {
  /**
   * @returns undefined when the request would write
   * @throws Error when the reader ended before it answered
   */
  readonly read: (request: ListRequest) => Promise<ListAnswer | undefined>;
  /** Resolves once the reader has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Ends it, whatever it is doing. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a reader.
 * @throws Error when it cannot read the store
 */
export type StartReader = () => Promise<Reader>;
