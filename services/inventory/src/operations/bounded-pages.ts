import { eachStore } from '../ports/each-store.js';
import { type PageQuery } from '../ports/record-store.js';
import { type Stores } from '../ports/stores.js';

/** Bytes of a page, as its rows are stored, unless something else is configured. */
export const DEFAULT_LIST_BYTES = 4 * 1024 * 1024;

/** The stores, no page of which has more bytes than this (but for a single row that has), whoever asks for it. */
export const boundedPages = (stores: Stores, bytes: number): Stores =>
  eachStore(stores, (store) => ({
    ...store,
    page: (query: PageQuery) =>
      store.page({ ...query, bytes: Math.min(bytes, query.bytes ?? bytes) }),
  }));
