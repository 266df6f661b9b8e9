import { eachStore } from '../ports/each-store.js';
import { type PageQuery } from '../ports/record-store.js';
import { type Stores } from '../ports/stores.js';

/** Default maximum of a page in bytes, as its rows are stored. */
export const DEFAULT_LIST_BYTES = 4 * 1024 * 1024;

/** Stores whose pages have at most this many bytes for every caller, except a page with a single larger row. */
export const boundedPages = (stores: Stores, bytes: number): Stores =>
  eachStore(stores, (store) => ({
    ...store,
    page: (query: PageQuery) =>
      store.page({ ...query, bytes: Math.min(bytes, query.bytes ?? bytes) }),
  }));
