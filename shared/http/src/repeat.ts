import { retry } from '@tenure/process';

/** How a connection fails that could not be made: nothing was sent. */
const NOT_MADE: ReadonlySet<string> = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH']);
/** Codes of an established connection that failed: the request may have taken effect. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

const TRIES = 3;
const PAUSE_MS = 50;

/**
 * Repeats a call over another connection when one fails: a dead replica takes its connections with it, and new connections may
 * still be routed to it for a moment. The caller sets one deadline for all tries.
 * @param ask one try; a failed connection is an error with a code of Node's or undici's
 * @param isSafe whether the call has no effect, so that it may be sent twice; otherwise it is repeated only when it was not sent
 */
export const repeatOnFailedConnection = <T>(ask: () => Promise<T>, isSafe: boolean): Promise<T> =>
  retry(ask, {
    attempts: TRIES,
    isTransient: (error) => {
      const code = codeOf(error);
      return NOT_MADE.has(code) || (isSafe && BROKEN.has(code));
    },
    pauseMs: (attempt) => PAUSE_MS * attempt,
  });

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
