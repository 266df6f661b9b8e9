import { setTimeout as delay } from 'node:timers/promises';

/** Runs a task again and again, `pauseMs()` milliseconds after it ended, until the signal aborts. The task deals with its own failures. */
export const repeat = async (
  task: () => Promise<void>,
  pauseMs: () => number,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    await task();
    await delay(pauseMs(), undefined, { signal }).catch(() => undefined);
  }
};
