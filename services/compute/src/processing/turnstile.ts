/** Lets so many through at once; the others wait in line. */
export const createTurnstile = (places: number): (<T>(work: () => Promise<T>) => Promise<T>) => {
  const line: (() => void)[] = [];
  let free = places;
  const enter = (): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      line.push(resolve);
    });
  };
  const leave = (): void => {
    const next = line.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return async (work) => {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
};
