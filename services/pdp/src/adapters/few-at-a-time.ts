import { UnavailableError } from '@tenure/contracts';

/**
 * Lets few tasks run at a time, and some wait for their turn.
 * @returns what runs a task when its turn has come; it throws UnavailableError when too many wait
 */
export const fewAtATime = (
  maxRunning: number,
  maxWaiting: number,
): (<Result>(task: () => Promise<Result>) => Promise<Result>) => {
  let running = 0;
  const waiting: (() => void)[] = [];
  const turn = async (): Promise<void> => {
    if (running < maxRunning) {
      running += 1;
      return;
    }
    if (waiting.length >= maxWaiting) throw new UnavailableError('Too many ask at once.');
    // Whoever ends hands its place on.
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return async (task) => {
    await turn();
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
};
