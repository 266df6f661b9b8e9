import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { PolicyRefused } from '../failures.js';
import { jsonIn } from '../json-object.js';
import { type Overlay } from '../overlays.js';
import { type PolicyMaterial } from '../policy-material.js';
import { bundleFilesOf, DATA_FILE, WASM_FILE } from './bundle-archive.js';
import { type BundleEntries, readBundleEntries } from './bundle-entries.js';

/** Where a policy lies. */
export interface PolicyFiles {
  /** A `.tar.gz`, or a directory with one (`bundle.tar.gz`) or with `policy.wasm` and `data.json`. */
  readonly bundle: string;
  /** Files of rows that replace those of the action table. */
  readonly overlays: readonly string[];
}

const MAX_FILE_BYTES = 32 * 1024 * 1024;
const MAX_OVERLAY_BYTES = 1024 * 1024;
const ARCHIVE = 'bundle.tar.gz';

/**
 * The files of a bundle that lies at a path.
 * @param location a `.tar.gz`, or a directory as in `PolicyFiles`
 * @throws PolicyRefused when something is missing, unreadable, too large or not a bundle
 */
export async function readBundleAt(location: string): Promise<BundleEntries> {
  if (!(await isDirectory(location)))
    return readBundleEntries(await readLimited(location, MAX_FILE_BYTES));
  const archive = path.join(location, ARCHIVE);
  if (await exists(archive)) return readBundleEntries(await readLimited(archive, MAX_FILE_BYTES));
  const files = [WASM_FILE, DATA_FILE].map(async (name): Promise<[string, Buffer]> => [
    name,
    await readLimited(path.join(location, name), MAX_FILE_BYTES),
  ]);
  return new Map(await Promise.all(files));
}

/** @throws PolicyRefused when one is unreadable or too large */
export const readOverlays = (files: readonly string[]): Promise<readonly Overlay[]> =>
  Promise.all(
    files.map(async (file) => ({
      file,
      text: (await readLimited(file, MAX_OVERLAY_BYTES)).toString('utf8'),
    })),
  );

/** The rules in Rego that a bundle holds, to be read. */
export const sourcesOf = (entries: ReadonlyMap<string, Uint8Array>): PolicyMaterial['sources'] =>
  Object.fromEntries(
    [...entries]
      .filter(([name]) => name.endsWith('.rego'))
      .map(([name, content]) => [name, Buffer.from(content).toString('utf8')]),
  );

/**
 * Reads the parts of a policy from the files of a bundle and from overlay files.
 * @throws PolicyRefused when something is missing, unreadable, too large or not a bundle
 */
export async function materialOf(
  entries: BundleEntries,
  overlays: readonly string[],
): Promise<PolicyMaterial> {
  const { wasm, dataText } = bundleFilesOf(entries);
  return {
    wasm,
    data: jsonIn("the bundle's data.json", dataText),
    overlays: await readOverlays(overlays),
    sources: sourcesOf(entries),
  };
}

/**
 * Reads a policy from files, unchecked but for their size.
 * @throws PolicyRefused when something is missing, unreadable, too large or not a bundle
 */
export const readPolicyFiles = async ({ bundle, overlays }: PolicyFiles): Promise<PolicyMaterial> =>
  materialOf(await readBundleAt(bundle), overlays);

/** Changes when one of the files may have changed. */
export const printFiles = async (files: readonly string[]): Promise<string> =>
  (await Promise.all(files.map(printOf))).join('\n');

/** Changes when what `readPolicyFiles` would give may have changed. */
export async function printPolicyFiles({ bundle, overlays }: PolicyFiles): Promise<string> {
  const inside = [ARCHIVE, WASM_FILE, DATA_FILE].map((name) => path.join(bundle, name));
  return printFiles([bundle, ...inside, ...overlays]);
}

async function isDirectory(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isDirectory();
  } catch (error) {
    throw new PolicyRefused(`${file} cannot be read (${codeOf(error)})`, { cause: error });
  }
}

async function readLimited(file: string, limit: number): Promise<Buffer> {
  let content: Buffer;
  try {
    if ((await stat(file)).size > limit)
      throw new PolicyRefused(`${file} is larger than ${limit} bytes`);
    content = await readFile(file);
  } catch (error) {
    if (error instanceof PolicyRefused) throw error;
    throw new PolicyRefused(`${file} cannot be read (${codeOf(error)})`, { cause: error });
  }
  return content;
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'error';

const printOf = (file: string): Promise<string> =>
  stat(file).then(
    ({ ino, size, mtimeMs }) => `${file}:${ino}:${size}:${mtimeMs}`,
    (error: unknown) => `${file}:${codeOf(error)}`,
  );
