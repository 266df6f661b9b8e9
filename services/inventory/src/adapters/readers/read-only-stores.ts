import { AppError } from '@tenure/contracts';
import { eachStore } from '../../ports/each-store.js';
import { type Stores } from '../../ports/stores.js';

/**
 * Stores without writes, on either database.
 * @param onWrite called for each attempt to write, which fails
 */
export function readOnlyStores(stores: Stores, onWrite: () => void): Stores {
  const write = (): Promise<never> =>
    Promise.try(() => {
      onWrite();
      // The main thread then answers, so no client sees this error. An AppError below 500 is not logged as a failure.
      throw new AppError('reader_writes', 409, 'A reader writes nothing.');
    });
  return eachStore(stores, ({ findBy, list, page, countBy }) => ({
    findBy,
    list,
    page,
    countBy,
    insert: write,
    swap: write,
    remove: write,
    merge: write,
  }));
}
