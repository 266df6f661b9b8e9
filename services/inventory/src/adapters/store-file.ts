import { realpathSync, statfsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { InsufficientStorageError } from '@tenure/contracts';
import { BrokenStoreError } from '../ports/store-trouble.js';

/** With less free space than this, the next larger write fails. */
const LEAST_FREE_BYTES = 1024 * 1024;

const MOVED =
  'The file of the store was renamed, removed or replaced while the inventory had it open.';

export const STORE_FULL = 'The store is full.';

/** The files of a database that is open, as they were when it was opened. */
export interface StoreFile {
  /**
   * Whether the path still names the opened file. Once it did not, this fails until the process ends: SQLite's files
   * belong together, and if one was changed, another may have been changed too.
   * @throws BrokenStoreError
   */
  readonly assertInPlace: () => void;
  /** @returns free bytes of the disk @throws AppError when the file is not in place, or the disk is full */
  readonly inspect: () => Promise<number>;
}

/** Whether the disk of a file that exists has too little free space. */
export function isFull(file: string): boolean {
  const { bavail, bsize } = statfsSync(path.dirname(realpathSync(file)));
  return bavail * bsize < LEAST_FREE_BYTES;
}

/**
 * Follows the files of a database by their inodes. It opens none of them: closing one would release the locks that SQLite
 * has on it in this process.
 * @param file that is open
 */
export function followStoreFile(file: string): StoreFile {
  // SQLite makes the log with the first access, and removes it only when it closes the database.
  const real = realpathSync(file);
  const names = [file, `${real}-wal`];
  const opened = new Map<string, string>();
  let hasMoved = false;
  const isSame = (name: string): boolean => {
    const inode = inodeOf(name);
    const before = opened.get(name);
    if (before === undefined && inode !== undefined) opened.set(name, inode);
    return before === undefined || before === inode;
  };
  const assertInPlace = (): void => {
    hasMoved ||= !names.every(isSame);
    if (hasMoved) throw new BrokenStoreError(MOVED);
  };
  assertInPlace();
  return {
    assertInPlace,
    inspect: async () => {
      assertInPlace();
      const { bavail, bsize } = await statfs(path.dirname(real));
      const free = bavail * bsize;
      if (free < LEAST_FREE_BYTES) throw new InsufficientStorageError(STORE_FULL);
      return free;
    },
  };
}

function inodeOf(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${String(stats.dev)}:${String(stats.ino)}`;
}
