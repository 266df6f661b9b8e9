import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Environment } from '@tenure/process';
import { type CommandContext } from '../terminal/command-context.js';
import { copyInto } from './backup.js';
import { migrate } from './migrate.js';

interface RestoreOptions {
  readonly dataDir: string;
  /** Seconds to wait for another process that migrates. */
  readonly wait: string;
}

const SQLITE_BUSY = 5;

const LOGS = ['-wal', '-shm'] as const;

/**
 * `tenure restore`: replaces the embedded store, which is kept under another name, by a backup, and accepts it as
 * `tenure migrate --restored` does. When it is interrupted, it leaves a store that the inventory refuses with an explanation.
 * @throws Error when the inventory runs, the file is no sound backup, or the store is a MongoDB; nothing was changed then
 */
export async function restore(
  file: string,
  { dataDir, wait }: RestoreOptions,
  context: CommandContext,
): Promise<void> {
  const store = path.join(dataDir, 'inventory.sqlite');
  const copy = `${store}.restoring`;
  assertEmbedded(context.env);
  const backup = openBackup(file);
  try {
    if (existsSync(store)) assertUnused(store);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    rmSync(copy, { force: true }); // of a restore that was cut off
    copyInto(backup, copy);
  } finally {
    backup.close();
  }
  const aside = putAside(store, new Date());
  for (const ending of LOGS) rmSync(`${store}${ending}`, { force: true });
  renameSync(copy, store);
  if (aside !== undefined) context.stdout.line(`the store that was there is now ${aside}`);
  await migrate({ restored: true, wait, dataDir }, context);
}

function assertEmbedded({ MONGODB_URI: uri, MONGODB_URI_FILE: file }: Environment): void {
  if ((uri ?? '') !== '' || (file ?? '') !== '')
    throw new Error(
      'the store is a MongoDB (MONGODB_URI or MONGODB_URI_FILE is set): restore it by its own means, then run `tenure migrate --restored`',
    );
}

/** @throws Error when it is not a sound copy of the embedded store */
function openBackup(file: string): DatabaseSync {
  if (!existsSync(file)) throw new Error(`there is no file ${file}`);
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const check = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    const nodes = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'nodes'").get();
    if (check === 'ok' && nodes !== undefined) return database;
  } catch {
    // Not a database at all, or one that cannot be read.
  }
  database.close();
  throw new Error(`${file} is not a sound backup of the embedded store`);
}

/**
 * Leaves write-ahead logging, which requires that no other process has the store open; the content of the log moves to the file.
 * @throws Error when the inventory runs. A corrupt store is not inspected.
 */
function assertUnused(store: string): void {
  const database = new DatabaseSync(store, { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = DELETE');
  } catch (error) {
    if (isBusy(error)) throw new Error('the inventory is running: stop it first', { cause: error });
  } finally {
    database.close();
  }
}

/** @returns where the store is now; undefined when there was none */
function putAside(store: string, now: Date): string | undefined {
  if (!existsSync(store)) return undefined;
  const aside = `${store}.before-${now.toISOString().replaceAll(':', '')}`;
  for (const ending of ['', ...LOGS])
    if (existsSync(`${store}${ending}`)) renameSync(`${store}${ending}`, `${aside}${ending}`);
  return aside;
}

const isBusy = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'errcode' in error &&
  error.errcode === SQLITE_BUSY;
