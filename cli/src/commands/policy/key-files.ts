import { readFile, stat } from 'node:fs/promises';
import { DEFAULT_KEY_ID } from '@tenure/policy';
import { Option } from 'commander';

const MAX_BYTES = 64 * 1024;

export const keyIdOption = (): Option =>
  new Option('--key-id <id>', 'name of the key in signatures').default(DEFAULT_KEY_ID);

/**
 * The text of a key file.
 * @throws Error naming the file, never its content
 */
export async function readKeyFile(file: string): Promise<string> {
  if ((await stat(file)).size > MAX_BYTES) throw new Error(`${file} is no key: it is too large`);
  return readFile(file, 'utf8');
}
