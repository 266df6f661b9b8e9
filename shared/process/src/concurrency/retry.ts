import { sleep as realSleep } from './sleep.js';

export interface RetryOptions {
  /** Attempts in all; as many as it takes when absent. */
  readonly attempts?: number;
  /** Whether a further attempt may succeed. Called after each failure but the last one. */
  readonly isTransient: (error: unknown, attempt: number) => boolean;
  /** Milliseconds to wait after an attempt, of which the first has the number 1. */
  readonly pauseMs: (attempt: number) => number;
  /** Waits that many milliseconds; may end early, or reject to end all. */
  readonly sleep?: (ms: number) => Promise<void>;
}

/**
 * Runs a step again after transient failures.
 * @throws the error of the last attempt, or of the pause
 */
export async function retry<T>(
  step: () => T | Promise<T>,
  { attempts = Infinity, isTransient, pauseMs, sleep = realSleep }: RetryOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step();
    } catch (error) {
      if (attempt >= attempts || !isTransient(error, attempt)) throw error;
    }
    await sleep(pauseMs(attempt));
  }
}

/**
 * Pauses that double, up to the longest.
 * @param firstMs milliseconds after the first attempt
 */
export const doubling =
  (firstMs: number, longestMs: number) =>
  (attempt: number): number =>
    Math.min(longestMs, firstMs * 2 ** (attempt - 1));
