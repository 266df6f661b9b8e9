import { type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';

/** A verified request for a list, as it came. */
export interface ListRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty when there is none. */
  readonly body: Uint8Array;
}

/** The whole answer to one. */
export interface ListAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Uint8Array;
  /** Milliseconds for which the reader worked on it. */
  readonly activeMs: number;
}

/** An answer, and the milliseconds for which its request waited for a reader. */
export interface ReadList {
  readonly answer: ListAnswer;
  readonly waitedMs: number;
}

/** Whose turn a request takes, and when it is not wanted any more. */
export interface ListTurn {
  /** Requests of one tenant wait behind each other, not those of other tenants behind them. */
  readonly tenant: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Answers lists beside the thread that answers everything else. */
export interface ListReaders {
  /**
   * @returns undefined when the request would write: who asks answers it itself
   * @throws UnavailableError, with `Retry-After`, when too many wait, time is over, or the reader ended
   */
  readonly read: (request: ListRequest, turn: ListTurn) => Promise<ReadList | undefined>;
}
