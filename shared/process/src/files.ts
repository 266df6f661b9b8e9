import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';

const SECRET_MODE = 0o600;
const SECRET_DIR_MODE = 0o700;

/** Whether an error of the file system has this code, such as `ENOENT`. */
export const hasCode = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code;

/** The content of a file; undefined when there is none. @throws Error when it cannot be read */
export async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** The text of a file; undefined when there is none. @throws Error when it cannot be read */
export const textIfThere = async (file: string): Promise<string | undefined> =>
  (await readIfThere(file))?.toString('utf8');

/**
 * Replaces a file atomically, for its owner only: a concurrent reader gets the old content or the new one, whole, also
 * when the machine loses power.
 * @param fresh the temporary file in the same directory; needs a unique name where several processes write
 */
export async function replaceFile(
  file: string,
  content: string | Uint8Array,
  fresh = `${file}.new`,
): Promise<void> {
  const handle = await open(fresh, 'w', SECRET_MODE);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh, file);
}

/**
 * Creates a file, and its directory, for its owner only. After a crash or on a full disk there is the whole file or none: a key
 * that exists is never created again.
 * @throws Error with the code EEXIST when it is there
 */
export function createSecretFile(file: string, text: string | Buffer): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: SECRET_DIR_MODE });
  const fresh = `${file}.${String(process.pid)}.new`;
  try {
    writeFileSync(fresh, text, { mode: SECRET_MODE, flush: true });
    linkSync(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** Reads what is made on first use; who comes second at making it reads what the first one made. */
export function loadOrCreate<T>(read: () => T, create: () => void): T {
  try {
    return read();
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  try {
    create();
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  return read();
}
