import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type OpenStore } from '../ports/open-store.js';
import { type Stores } from '../ports/stores.js';
import { createSqliteRecordStore } from './record-store-sqlite.js';
import { createSqliteSchema } from './schema-sqlite.js';
import { storesOf } from './stores-of.js';

// FULL: what was acknowledged is on disk, also after power loss.
const WRITING = ['PRAGMA journal_mode = WAL', 'PRAGMA synchronous = FULL'] as const;
const READING = [
  'PRAGMA busy_timeout = 5000',
  'PRAGMA cache_size = -65536',
  'PRAGMA trusted_schema = OFF',
] as const;

/**
 * Makes the file, or makes sure of it, so that its owner alone can read it: it holds the BMCs' passwords. SQLite gives
 * the files beside it the mode of the file itself.
 */
const keepPrivate = (file: string): void => {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
  for (const one of [file, `${file}-wal`, `${file}-shm`])
    if (existsSync(one)) chmodSync(one, 0o600);
};

const storesIn = (database: DatabaseSync): Stores => ({
  ...storesOf((shape) => createSqliteRecordStore(database, shape)),
  // A file has no clock: the process that has it open is the only one.
  clock: async () => Promise.resolve(new Date()),
  ping: async () => {
    database.prepare('SELECT 1').get();
    return Promise.resolve();
  },
  close: async () => {
    database.close();
    return Promise.resolve();
  },
});

const openStoreIn = (database: DatabaseSync): OpenStore => ({
  stores: storesIn(database),
  schema: createSqliteSchema(database),
});

/**
 * The embedded store. Its tables are there once it was migrated.
 * @param file a path, or `:memory:`
 */
export const openSqliteStore = (file: string): OpenStore => {
  if (file !== ':memory:') keepPrivate(file);
  const database = new DatabaseSync(file);
  for (const pragma of [...WRITING, ...READING]) database.exec(pragma);
  return openStoreIn(database);
};

/**
 * The embedded store as it is, only to be read; nothing is made or changed.
 * @param file a path; where there is none, the store is an empty one
 */
export const viewSqliteStore = (file: string): OpenStore => {
  const database = existsSync(file)
    ? new DatabaseSync(file, { readOnly: true })
    : new DatabaseSync(':memory:');
  for (const pragma of READING) database.exec(pragma);
  return openStoreIn(database);
};
