import { hasCode } from './files.js';

const TROUBLES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk has no room left',
  EDQUOT: 'the quota of the disk is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EIO: 'the disk failed',
};

/**
 * Opens something on the disk. What the disk refuses is reported with the place, which the system's errors do not always name.
 * @param what and where, such as `the decision log in /data`
 * @throws Error `… cannot be used: the disk has no room left`, or the like; or what `open` throws for another reason
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
