import { gunzipSync, gzipSync } from 'node:zlib';
import { Header, Parser, type ReadEntry } from 'tar';
import { PolicyRefused, messageOf } from '../failures.js';

/** The files of a bundle by name, without a leading slash, in the order of the archive. */
export type BundleEntries = ReadonlyMap<string, Uint8Array>;

/** File name of a bundle's manifest. */
export const MANIFEST_FILE = '.manifest';

/** Bytes of a bundle, unpacked. */
const MAX_UNPACKED = 64 * 1024 * 1024;
const MAX_ENTRIES = 10_000;
const BLOCK = 512;
const FILE_MODE = 0o600;
/** Place of the byte of a gzip header that names the operating system, and its value for "unknown". */
const OS_BYTE = 9;
const OS_UNKNOWN = 255;

const ODD_SEGMENTS: readonly string[] = ['', '.', '..'];

/** The text of a file of a bundle; undefined when there is no such file. */
export function textIn(entries: BundleEntries, name: string): string | undefined {
  const content = entries.get(name);
  return content === undefined ? undefined : Buffer.from(content).toString('utf8');
}

/**
 * Reads every file of a bundle as `opa build` writes it. Nothing is written to disk.
 * @throws PolicyRefused for a corrupt archive, a link, a path that climbs, or a file given twice
 */
export async function readBundleEntries(archive: Uint8Array): Promise<BundleEntries> {
  const found = new Map<string, readonly Buffer[]>();
  let entries = 0;
  const bytes = unpacked(archive);
  await new Promise<void>((resolve, reject) => {
    const refuse = (what: string): void => {
      reject(new PolicyRefused(`the bundle is refused: ${what}`));
    };
    const parser = new Parser({
      strict: true,
      onReadEntry: (entry) => {
        const name = plainName(entry.path);
        entries += 1;
        if (entries > MAX_ENTRIES) refuse('too many files');
        else if (isTricky(entry)) refuse(`${JSON.stringify(entry.path)} is not a plain file`);
        else if (found.has(name)) refuse(`${name} is in it twice`);
        else if (entry.type !== 'Directory') {
          found.set(name, collect(entry));
          return;
        }
        entry.resume();
      },
    });
    parser.on('error', (error: unknown) => {
      refuse(`not a tar archive (${messageOf(error)})`);
    });
    parser.on('end', resolve);
    parser.end(bytes);
  });
  return new Map([...found].map(([name, chunks]) => [name, Buffer.concat(chunks)]));
}

/**
 * Writes a bundle: the same files in the same order give the same bytes.
 * @throws PolicyRefused for a name that a tar header cannot hold
 */
export function writeBundleEntries(entries: BundleEntries): Buffer {
  const files = [...entries].map(([name, content]) => blocksOf(name, content));
  const archive = gzipSync(Buffer.concat([...files, Buffer.alloc(2 * BLOCK)]), { level: 9 });
  archive[OS_BYTE] = OS_UNKNOWN;
  return archive;
}

function unpacked(archive: Uint8Array): Buffer {
  try {
    return gunzipSync(archive, { maxOutputLength: MAX_UNPACKED });
  } catch (error) {
    throw new PolicyRefused('the bundle is not gzip, is corrupt, or unpacks to more than 64 MiB', {
      cause: error,
    });
  }
}

// OPA writes "/policy.wasm"; tar itself writes "./policy.wasm".
const plainName = (path: string): string => path.replace(/^(?:\.?\/)+/u, '');

const isTricky = ({ path, type }: ReadEntry): boolean =>
  !['File', 'OldFile', 'Directory'].includes(type) ||
  path.includes('\\') ||
  path.includes('\0') ||
  path.split('/').includes('..') ||
  (type !== 'Directory' &&
    plainName(path)
      .split('/')
      .some((segment) => ODD_SEGMENTS.includes(segment)));

function collect(entry: ReadEntry): readonly Buffer[] {
  const chunks: Buffer[] = [];
  entry.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
  });
  return chunks;
}

function blocksOf(name: string, content: Uint8Array): Buffer {
  const header = new Header({
    path: `/${name}`,
    size: content.length,
    mode: FILE_MODE,
    type: 'File',
    mtime: new Date(0),
    uid: 0,
    gid: 0,
  });
  // True when the name does not fit the header and would be cut.
  if (header.encode() || header.block === undefined)
    throw new PolicyRefused(`the name ${JSON.stringify(name)} is too long for a bundle`);
  const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
  return Buffer.concat([header.block, content, padding]);
}
