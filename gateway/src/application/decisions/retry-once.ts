import { UnavailableError } from '@tenure/contracts';
import { type Deadline, remainingMs, retry } from '@tenure/process';

/** Milliseconds before the second attempt: by then the overload may have passed. */
const PAUSE_MS = 50;

/**
 * Sends a read, and repeats it once when it is unavailable, within the request's deadline.
 * @param needMs maximum duration of an attempt in milliseconds; the second does not start when less is left
 * @throws the error of the last attempt
 */
export const retryOnce = <T>(
  deadline: Deadline,
  needMs: number,
  attempt: () => Promise<T>,
): Promise<T> =>
  retry(attempt, {
    attempts: 2,
    isTransient: (error) =>
      error instanceof UnavailableError && remainingMs(deadline) >= needMs + PAUSE_MS,
    pauseMs: () => PAUSE_MS,
  });
