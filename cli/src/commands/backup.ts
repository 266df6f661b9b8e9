import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hasCode } from '@tenure/process';
import { type CommandContext } from '../terminal/command-context.js';

const SECRET_MODE = 0o600;
const BUSY_MS = 5000;

/**
 * Copies a consistent snapshot of a database. The copy is on the disk when this returns; there is none when it fails.
 * @throws Error with the file and the reason when it exists already, or cannot be written
 */
export function copyInto(database: DatabaseSync, file: string): void {
  makeEmpty(file);
  try {
    database.prepare('VACUUM INTO ?').run(file);
    synchronize(file);
  } catch (error) {
    rmSync(file, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} could not be written: ${reason}`, { cause: error });
  }
}

/**
 * `tenure backup`: a consistent snapshot of the embedded store, while the inventory is running.
 * @throws Error when there is no embedded store, or the file exists already or cannot be written
 */
export function backup(
  file: string,
  { dataDir }: { readonly dataDir: string },
  context: CommandContext,
): void {
  const source = path.join(dataDir, 'inventory.sqlite');
  if (!existsSync(source)) throw new Error(`there is no embedded store ${source}`);
  const database = new DatabaseSync(source, { readOnly: true, timeout: BUSY_MS });
  try {
    copyInto(database, file);
  } finally {
    database.close();
  }
  context.stdout.line(file);
}

/**
 * Only its owner may read it: it contains the BMCs' passwords. SQLite accepts an existing empty file.
 * @throws Error when the file exists already
 */
function makeEmpty(file: string): void {
  try {
    closeSync(openSync(file, 'wx', SECRET_MODE));
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw new Error(`${file} exists already`, { cause: error });
    throw error;
  }
}

function synchronize(file: string): void {
  const descriptor = openSync(file, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
