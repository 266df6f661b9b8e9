const LAST = new WeakMap<object, Map<string, Promise<unknown>>>();

/**
 * Runs the work on one key of a store sequentially within this process.
 * @returns the result of the work; its error reaches only its own caller
 */
export const inTurn = async <T>(store: object, key: string, work: () => Promise<T>): Promise<T> => {
  const queues = LAST.get(store) ?? new Map<string, Promise<unknown>>();
  LAST.set(store, queues);
  const before = queues.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  const settled = mine.catch(() => undefined);
  queues.set(key, settled);
  try {
    return await mine;
  } finally {
    if (queues.get(key) === settled) queues.delete(key);
  }
};
