import { sleep } from './sleep.js';

/** A task that is repeated until it is stopped. */
export interface Repetition {
  /** No run begins any more. Resolves when the one that is under way has ended. */
  readonly stop: () => Promise<void>;
}

/**
 * Runs a task again and again, the first time at once, each further time a pause after the end of the one before. The task
 * deals with its own failures. The pauses do not keep the process alive.
 * @param pauseMs milliseconds; called anew for each pause
 * @returns resolves when the signal is aborted and the last run has ended
 */
export async function repeat(
  task: () => unknown,
  pauseMs: () => number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await task();
    await sleep(pauseMs(), signal, { ref: false });
  }
}

/**
 * As `repeat`, with pauses of one length.
 * @param everyMs milliseconds
 */
export function every(everyMs: number, task: () => unknown): Repetition {
  const stopping = new AbortController();
  const ended = repeat(task, () => everyMs, stopping.signal);
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}
