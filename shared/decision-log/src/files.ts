import { open, readFile, rename } from 'node:fs/promises';

const MODE = 0o600;

/** Whether an error says that there is no such file. */
export const isMissing = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';

/** The text of a file; undefined when there is none. @throws Error when it cannot be read */
export const textIn = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

/** Puts a text in the place of a file, so that a reader finds the old one or the new one, whole. */
export const replaceFile = async (file: string, text: string): Promise<void> => {
  const fresh = `${file}.new`;
  const handle = await open(fresh, 'w', MODE);
  try {
    await handle.writeFile(`${text}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh, file);
};
