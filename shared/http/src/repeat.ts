import { retry } from '@tenure/process';

/** How a connection fails that could not be made: nothing was sent. */
const NOT_MADE: ReadonlySet<string> = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH']);
/** How one fails that was there: nobody knows what was done. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

const TRIES = 3;
const PAUSE_MS = 50;

/**
 * Asks again, over another connection, when one fails: a replica that is gone takes connections with it, and is still among those
 * that new ones lead to for a moment. Whoever asks sets the deadline of all tries together.
 * @param ask one try; a failed connection is an error with a code of Node's or undici's
 * @param isSafe whether the question does nothing, so that it may be asked twice; otherwise it is asked again only when it was not sent
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
