import { type Db } from 'mongodb';

/** Called before each call of a collection's method; it may wait, or throw in the place of the call. */
export type Intercept = (
  collection: string,
  method: string,
  args: readonly unknown[],
) => Promise<void>;

// Those that answer with a promise; `find` and `aggregate` answer with a cursor at once.
const METHODS: ReadonlySet<string> = new Set([
  'findOne',
  'insertOne',
  'insertMany',
  'replaceOne',
  'updateOne',
  'deleteOne',
  'bulkWrite',
  'findOneAndUpdate',
]);

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** The database, with something in the way of each call of a collection. */
export const interceptedDatabase = (database: Db, intercept: Intercept): Db =>
  new Proxy(database, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      if (name !== 'collection') return (member as Method).bind(target);
      return (collection: string): unknown =>
        new Proxy(target.collection(collection), {
          get: (records, method) => {
            const own: unknown = Reflect.get(records, method, records);
            if (typeof own !== 'function') return own;
            const call = (own as Method).bind(records);
            if (typeof method !== 'string' || !METHODS.has(method)) return call;
            return async (...args: readonly unknown[]) => {
              await intercept(collection, method, args);
              return call(...args);
            };
          },
        });
    },
  });
