import { rename, rm, writeFile } from 'node:fs/promises';

/**
 * Replaces a file atomically: concurrent readers see the old content.
 * @throws the error of the file system
 */
export async function writeWhole(file: string, content: string | Uint8Array): Promise<void> {
  const fresh = `${file}.${String(process.pid)}.new`;
  try {
    await writeFile(fresh, content);
    await rename(fresh, file);
  } finally {
    await rm(fresh, { force: true });
  }
}
