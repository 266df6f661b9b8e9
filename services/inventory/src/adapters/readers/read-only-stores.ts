import { AppError } from '@tenure/contracts';
import { eachStore } from '../../ports/each-store.js';
import { type Stores } from '../../ports/stores.js';

/**
 * The stores, in which nothing can be written, on whichever database.
 * @param onWrite called for each attempt, which fails
 */
export const readOnlyStores = (stores: Stores, onWrite: () => void): Stores => {
  const write = (): Promise<never> =>
    Promise.try(() => {
      onWrite();
      // Seen by nobody; of this form, because it is no failure and not worth a line of the log.
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
};
