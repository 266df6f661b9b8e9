import { chmodSync, closeSync, existsSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '@tenure/contracts';
import { type OpenStore } from '../ports/open-store.js';
import { type Stores } from '../ports/stores.js';
import { createSqliteMarks } from './marks-sqlite.js';
import { createSqliteRecordStore } from './record-store-sqlite.js';
import { createSqliteSchema } from './schema-sqlite.js';
import { connectionTo, type SqliteConnection } from './sqlite-connection.js';
import { translated } from './sqlite-errors.js';
import { followStoreFile, isFull, STORE_FULL, type StoreFile } from './store-file.js';
import { storesOf } from './stores-of.js';

// FULL: what was acknowledged is on disk, also after power loss. A checkpoint is part of some commit and blocks it: small
// ones take milliseconds (docs/operations.md).
const WRITING = [
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'PRAGMA wal_autocheckpoint = 256',
] as const;
// Temporary files would need space on a disk that may be full.
const READING = [
  'PRAGMA cache_size = -65536',
  'PRAGMA trusted_schema = OFF',
  'PRAGMA temp_store = MEMORY',
] as const;

/** Milliseconds to wait for a lock while nothing else runs on this thread: opening, and reading in a thread of its own. */
const BUSY_MS = 5000;
/** Milliseconds for what happens at a start or a migration, when no request waits. */
const SCHEMA_PATIENCE_MS = 30_000;

/**
 * The embedded store. Its tables are there once it was migrated.
 * @param file a path, or `:memory:`
 * @throws Error with the file and the reason, when the store or its disk does not let it
 */
export function openSqliteStore(file: string): OpenStore {
  try {
    return openForWriting(file);
  } catch (error) {
    const reason = reasonOf(error, file);
    if (reason === undefined) throw error;
    throw new Error(`${file} cannot be opened for writing. ${reason}`, { cause: error });
  }
}

/**
 * The embedded store as it is, only to be read; nothing is made or changed.
 * @param file a path; where there is none, the store is an empty one
 */
export const viewSqliteStore = (file: string): OpenStore =>
  openStoreIn(existsSync(file) ? openDatabase(file, true) : new DatabaseSync(':memory:'));

function openForWriting(file: string): OpenStore {
  const isInMemory = file === ':memory:';
  if (!isInMemory) keepPrivate(file);
  const database = openDatabase(file, false);
  // From here on a lock is waited for outside SQLite, which would block the event loop.
  database.exec('PRAGMA busy_timeout = 0');
  return openStoreIn(database, isInMemory ? undefined : followStoreFile(file));
}

/** SQLite needs free space to open a store, and reports an I/O error when there is none. */
function reasonOf(error: unknown, file: string): string | undefined {
  const storeError = translated(error);
  if (!(storeError instanceof AppError)) return undefined;
  return isFull(file) ? STORE_FULL : storeError.message;
}

/**
 * Makes the file, or makes sure of it, so that its owner alone can read it: it holds the BMCs' passwords. SQLite gives
 * the files beside it the mode of the file itself.
 */
function keepPrivate(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
  const real = realpathSync(file);
  for (const one of [real, `${real}-wal`, `${real}-shm`])
    if (existsSync(one)) chmodSync(one, 0o600);
}

function openDatabase(file: string, readOnly: boolean): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly, timeout: BUSY_MS });
  for (const pragma of readOnly ? READING : [...WRITING, ...READING]) database.exec(pragma);
  return database;
}

function openStoreIn(database: DatabaseSync, file?: StoreFile): OpenStore {
  const beforeWrite = file === undefined ? {} : { beforeWrite: file.assertInPlace };
  const connection = connectionTo(database, beforeWrite);
  const migrating = connectionTo(database, { ...beforeWrite, patienceMs: SCHEMA_PATIENCE_MS });
  return {
    stores: storesIn(connection),
    schema: createSqliteSchema(migrating),
    marks: createSqliteMarks(connection),
    inspect: () => (file === undefined ? Promise.resolve(undefined) : file.inspect()),
  };
}

const storesIn = (connection: SqliteConnection): Stores => ({
  ...storesOf((shape) => createSqliteRecordStore(connection, shape)),
  // A file has no clock: the process that has it open is the only one.
  clock: async () => Promise.resolve(new Date()),
  ping: async () => {
    await connection.read(() => connection.database.prepare('PRAGMA schema_version').get());
  },
  close: async () => {
    connection.database.close();
    return Promise.resolve();
  },
});
