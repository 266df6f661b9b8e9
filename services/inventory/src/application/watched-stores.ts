import { eachStore } from '../ports/each-store.js';
import { type Stores } from '../ports/stores.js';
import { type StoreHealth } from './store-health.js';

/** The stores, whose outcomes are reported to `health`. */
export function watchedStores(
  stores: Stores,
  { wrote, failed }: Pick<StoreHealth, 'wrote' | 'failed'>,
): Stores {
  const noting = async <T>(work: Promise<T>, onDone?: () => void): Promise<T> => {
    try {
      const result = await work;
      onDone?.();
      return result;
    } catch (error) {
      failed(error);
      throw error;
    }
  };
  const watched = eachStore(stores, (store) => ({
    findBy: (...given) => noting(store.findBy(...given)),
    list: (...given) => noting(store.list(...given)),
    page: (...given) => noting(store.page(...given)),
    countBy: (...given) => noting(store.countBy(...given)),
    insert: (...given) => noting(store.insert(...given), wrote),
    swap: (...given) => noting(store.swap(...given), wrote),
    remove: (...given) => noting(store.remove(...given), wrote),
    merge: (...given) => noting(store.merge(...given), wrote),
  }));
  return { ...watched, clock: () => noting(stores.clock()) };
}
