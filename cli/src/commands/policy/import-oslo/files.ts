import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const MAX_BYTES = 1024 * 1024;
const ROOT = path.join(
  path.dirname(fileURLToPath(import.meta.url)),
  ...Array<string>(5).fill('..'),
);

/** The action table of this tree. */
export const ACTION_TABLE = path.join(ROOT, 'policies-rego', 'tenure', 'actions', 'data.yaml');

/** @throws Error when the file cannot be read, or is larger than 1 MiB */
export async function readText(file: string): Promise<string> {
  if ((await stat(file)).size > MAX_BYTES)
    throw new Error(`${file} is larger than ${MAX_BYTES} bytes`);
  return readFile(file, 'utf8');
}

/**
 * The names of an action table.
 * @throws Error when it cannot be read, or is no table
 */
export async function readActions(file: string): Promise<ReadonlySet<string>> {
  const table: unknown = parse(await readText(file));
  if (typeof table !== 'object' || table === null || Array.isArray(table))
    throw new Error(`${file} is no action table`);
  return new Set(Object.keys(table));
}
