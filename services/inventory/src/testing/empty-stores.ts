import { openMongoStore } from '../adapters/stores-mongo.js';
import { openSqliteStore } from '../adapters/stores-sqlite.js';
import { migrateSchema } from '../application/migrate-schema.js';
import { type OpenStore } from '../ports/open-store.js';
import { type SchemaStore } from '../ports/schema-store.js';
import { type Stores } from '../ports/stores.js';

/** Brings a store to the form of this release, without a word. */
export const migrated = (schema: SchemaStore, holder = 'test'): Promise<readonly number[]> =>
  migrateSchema({ schema, holder, now: () => new Date(), onProgress: () => undefined, waitMs: 0 });

/** Empty stores in memory. */
export const memoryStores = (): Promise<Stores> => readyStores(openSqliteStore(':memory:'));

/** The stores in a file. */
export const fileStores = (file: string): Promise<Stores> => readyStores(openSqliteStore(file));

/** The stores in a database of a MongoDB. */
export const mongoStores = async (uri: string, database: string): Promise<Stores> =>
  readyStores(await openMongoStore({ address: { uri, tls: {} }, database }));

async function readyStores({ schema, stores }: OpenStore): Promise<Stores> {
  await migrated(schema);
  return stores;
}
