const LAST = new WeakMap<object, Map<string, Promise<unknown>>>();

/**
 * Runs what is done to one key of a store one after the other, within this process.
 * @returns what the work returns; its failure is its caller's alone
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
