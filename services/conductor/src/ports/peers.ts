import { type Buffer } from 'node:buffer';
import { type ServerResponse } from 'node:http';
import { type Deadline } from '@tenure/process';

/** Marks a request that another conductor sent on; its name is the value. Such a request is never sent on again. */
export const FORWARDED_HEADER = 'x-tenure-forwarded-by';

/** A request as it came, with the context that is bound to it. */
export interface ReceivedOrder {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly context: string;
  readonly body: Buffer;
}

/** Forwards requests to other conductors. */
export interface Peers {
  /**
   * Sends the request on as it came and streams the answer into `response`. It is sent at most once.
   * @param url where the other conductor is reached
   * @param deadline until when the answer may take, whole
   * @returns false when the request was never sent, because no connection came about: it may be sent to another conductor
   * @throws AppError 502, 503 or 504 when it was sent, and no answer came of it
   */
  readonly forward: (
    url: string,
    order: ReceivedOrder,
    response: ServerResponse,
    deadline: Deadline,
  ) => Promise<boolean>;
}
