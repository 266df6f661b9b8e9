/** So many things at a time, and no more. */
export interface Crew {
  /** Waits for a free place, then begins; resolves when it has begun. The task deals with its own failures. */
  readonly start: (task: () => Promise<void>) => Promise<void>;
  /** Resolves when nothing runs and nothing waits any more. */
  readonly idle: () => Promise<void>;
}

/** @param size how many tasks run at the same time */
export const createCrew = (size: number): Crew => {
  const waiting: (() => void)[] = [];
  const resting: (() => void)[] = [];
  let running = 0;
  const leave = (): void => {
    const next = waiting.shift();
    // The place goes straight to who waits longest: nobody else can slip in.
    if (next !== undefined) {
      next();
      return;
    }
    running -= 1;
    if (running === 0) for (const rest of resting.splice(0)) rest();
  };
  const place = (): Promise<void> => {
    if (running < size) {
      running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      waiting.push(resolve);
    });
  };
  return {
    start: async (task) => {
      await place();
      void task().finally(leave);
    },
    idle: () =>
      running === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            resting.push(resolve);
          }),
  };
};
