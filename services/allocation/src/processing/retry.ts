import { AppError } from '@tenure/contracts';

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
export const retrying = async <T>(step: () => Promise<T>, options: RetryOptions): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step();
    } catch (error) {
      if (!isTransient(error) || attempt >= options.attempts || options.signal.aborted) throw error;
    }
    const longest = Math.min(options.maxPauseMs, options.firstPauseMs * 2 ** (attempt - 1));
    await options.sleep(longest * (0.5 + options.random() / 2), options.signal);
  }
};
