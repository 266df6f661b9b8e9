import { closeSync, existsSync, openSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hasCode } from '@tenure/process';
import { type Surroundings } from '../surroundings.js';

const SECRET_MODE = 0o600;
const BUSY_MS = 5000;

/**
 * Only its owner may read it: it holds the BMCs' passwords. SQLite fills a file that is there and empty.
 * @throws Error when the file is there already
 */
export const makeEmpty = (file: string): void => {
  try {
    closeSync(openSync(file, 'wx', SECRET_MODE));
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw new Error(`${file} is there already`, { cause: error });
    throw error;
  }
};

/**
 * `tenure backup`: a copy of the embedded store as it is at one moment, while the inventory works on it.
 * @throws Error when there is no embedded store, or the file is there already
 */
export const backup = (
  file: string,
  { dataDir }: { readonly dataDir: string },
  around: Surroundings,
): void => {
  const source = path.join(dataDir, 'inventory.sqlite');
  if (!existsSync(source)) throw new Error(`there is no embedded store ${source}`);
  makeEmpty(file);
  const database = new DatabaseSync(source, { readOnly: true, timeout: BUSY_MS });
  try {
    database.prepare('VACUUM INTO ?').run(file);
  } finally {
    database.close();
  }
  around.stdout.line(file);
};
