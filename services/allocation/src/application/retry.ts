import { AppError } from '@tenure/contracts';
import { doubling, retry } from '@tenure/process';

export interface RetryOptions {
  /** Tries in all. */
  readonly attempts: number;
  /** Milliseconds: the first pause is at most this, each further at most twice the one before. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  readonly random: () => number;
  /** Resolves early when the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** What may go away by itself: an inventory that is gone, slow or broken; not one that refused. */
export const isTransient = (error: unknown): boolean =>
  error instanceof AppError && error.status >= 500;

/** Runs `step` again after transient errors, with growing random pauses, and gives up in the end with the last error. */
export const retrying = <T>(
  step: () => Promise<T>,
  { attempts, firstPauseMs, maxPauseMs, random, sleep, signal }: RetryOptions,
): Promise<T> => {
  const longestMs = doubling(firstPauseMs, maxPauseMs);
  return retry(step, {
    attempts,
    isTransient: (error) => isTransient(error) && !signal.aborted,
    pauseMs: (attempt) => longestMs(attempt) * (0.5 + random() / 2),
    sleep: (ms) => sleep(ms, signal),
  });
};
