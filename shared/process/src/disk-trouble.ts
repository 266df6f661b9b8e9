import { hasCode } from './files.js';

const TROUBLES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EIO: 'the disk failed',
};

/**
 * Opens a file on the disk. Errors of the disk are reported with the path, which the system's errors do not always name.
 * @param what and where, such as `the decision log in /data`
 * @throws Error `… cannot be used: the disk is full`, or the like; or what `open` throws for another reason
 */
export async function openOnDisk<T>(what: string, open: () => T | Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const trouble = troubleIn(error);
    if (trouble === undefined) throw error;
    throw new Error(`${what} cannot be used: ${trouble}`, { cause: error });
  }
}

const troubleIn = (error: unknown): string | undefined =>
  Object.entries(TROUBLES).find(([code]) => hasCode(error, code))?.[1];
