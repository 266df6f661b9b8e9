import { type ListAnswer, type ListRequest } from '../../ports/list-readers.js';

/** A reader, which answers one request at a time. */
export interface Reader {
  /**
   * @returns undefined when the request would write
   * @throws Error when the reader ended before it answered
   */
  readonly read: (request: ListRequest) => Promise<ListAnswer | undefined>;
  /** Resolves when the reader has ended, for any reason. */
  readonly ended: Promise<void>;
  /** Terminates it, even during a request. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a reader.
 * @throws Error when it cannot read the store
 */
export type StartReader = () => Promise<Reader>;
