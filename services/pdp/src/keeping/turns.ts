/** Runs one work at a time, in the order in which they came, whatever becomes of those before. */
export const createTurns = (): (<T>(work: () => Promise<T>) => Promise<T>) => {
  let busy: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = busy.then(work, work);
    busy = done;
    return done;
  };
};
