import { type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';

/** A verified request for a list. */
export interface ListRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty without a body. */
  readonly body: Uint8Array;
}

/** The complete response. */
export interface ListAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Uint8Array;
  /** Milliseconds of work in the reader. */
  readonly activeMs: number;
}

/** A response, and the milliseconds for which its request waited for a reader. */
export interface ReadList {
  readonly answer: ListAnswer;
  readonly waitedMs: number;
}

/** The tenant of a request, and the signal of its cancellation. */
export interface ReadOptions {
  /** Requests of one tenant wait for each other, not for requests of other tenants. */
  readonly tenant: string;
  /** Aborted when the client has closed the connection. */
  readonly signal: AbortSignal;
}

/** Answers lists outside the main thread. */
export interface ListReaders {
  /**
   * @returns undefined when the request would write: the caller answers it itself
   * @throws UnavailableError, with `Retry-After`, when too many requests wait, at the deadline, or when the reader ended
   */
  readonly read: (request: ListRequest, options: ReadOptions) => Promise<ReadList | undefined>;
}
