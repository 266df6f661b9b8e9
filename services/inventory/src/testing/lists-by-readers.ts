import { AsyncLocalStorage } from 'node:async_hooks';
import { type RequestListener } from 'node:http';
import { eachStore } from '../ports/each-store.js';
import { type ListReaders } from '../ports/list-readers.js';
import { type RecordQuery } from '../ports/record-store.js';
import { type Stores } from '../ports/stores.js';

interface UnderWay {
  readonly name: string;
  readonly isRead: boolean;
  isGivenToReader: boolean;
}

/** Holds an app to the rule that whatever reads a list is given to the readers first. */
export interface ListRule {
  /** The stores, whose lists fail for a request that was not given to a reader. */
  readonly watched: (stores: Stores) => Stores;
  /** Readers that hand everything back. */
  readonly readers: ListReaders;
  readonly watching: (app: RequestListener) => RequestListener;
}

/** Fields that name one thing. */
const NAMING = /(?:_uuid|^volume_id|^connector_id)$/u;

/** What is narrowed to what hangs on one thing, or to things that are named, is short. */
const isShort = ({ where, limit }: RecordQuery): boolean =>
  limit === 1 || where.some(({ field, op }) => op === 'in' || (op === 'eq' && NAMING.test(field)));

/** One rule for one app. */
export const listRule = (): ListRule => {
  const current = new AsyncLocalStorage<UnderWay>();
  const assertGiven = (query: RecordQuery): void => {
    const request = current.getStore();
    if (request?.isRead === true && !request.isGivenToReader && !isShort(query))
      throw new Error(`${request.name} reads a list: its route needs byReader`);
  };
  return {
    watched: (stores) => ({
      ...eachStore(stores, (store) => ({
        ...store,
        list: (query) => Promise.try(assertGiven, query).then(() => store.list(query)),
        page: (query) => Promise.try(assertGiven, query).then(() => store.page(query)),
      })),
      // There are few, and every node that is shown says which one serves it.
      conductors: stores.conductors,
    }),
    readers: {
      read: () => {
        const request = current.getStore();
        if (request !== undefined) request.isGivenToReader = true;
        return Promise.resolve(undefined);
      },
    },
    watching: (app) => (request, response) => {
      const { method = '', url = '' } = request;
      const underWay: UnderWay = {
        name: `${method} ${url}`,
        isRead: method === 'GET' || method === 'HEAD',
        isGivenToReader: false,
      };
      current.run(underWay, () => {
        app(request, response);
      });
    },
  };
};
