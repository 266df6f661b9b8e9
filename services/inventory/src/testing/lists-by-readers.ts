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

/** Checks that an app passes every request that reads a list to the readers first. */
export interface ListRule {
  /** Stores whose lists fail for a request that was not passed to a reader. */
  readonly watched: (stores: Stores) => Stores;
  /** Readers that return every request to the main thread. */
  readonly readers: ListReaders;
  readonly watching: (app: RequestListener) => RequestListener;
}

/** Fields that identify one object. */
const NAMING = /(?:_uuid|^volume_id|^connector_id)$/u;

/** Creates the check for one app. */
export function listRule(): ListRule {
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
      // There are few conductors, and every node view needs the one that serves the node.
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
}

/** A query for the records of one object, or for named objects, has few results. */
const isShort = ({ where, limit }: RecordQuery): boolean =>
  limit === 1 || where.some(({ field, op }) => op === 'in' || (op === 'eq' && NAMING.test(field)));
