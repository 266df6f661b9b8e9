import { gunzipSync } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { PolicyRefused, wordsOf } from '../failures.js';

/** The two files of a bundle that are used; others are ignored. */
export interface BundleFiles {
  readonly wasm: Uint8Array;
  readonly dataText: string;
}

/** Bytes of a bundle, unpacked. */
const MAX_UNPACKED = 64 * 1024 * 1024;
const MAX_ENTRIES = 10_000;
const WASM = 'policy.wasm';
const DATA = 'data.json';

const unpacked = (archive: Uint8Array): Buffer => {
  try {
    return gunzipSync(archive, { maxOutputLength: MAX_UNPACKED });
  } catch (error) {
    throw new PolicyRefused('the bundle is not gzip, is damaged, or unpacks to more than 64 MiB', {
      cause: error,
    });
  }
};

// OPA writes "/policy.wasm"; tar itself writes "./policy.wasm".
const plainName = (path: string): string => path.replace(/^(?:\.?\/)+/u, '');

const isTricky = ({ path, type }: ReadEntry): boolean =>
  !['File', 'OldFile', 'Directory'].includes(type) ||
  path.includes('\\') ||
  path.includes('\0') ||
  path.split('/').includes('..');

const collect = (entry: ReadEntry): readonly Buffer[] => {
  const chunks: Buffer[] = [];
  entry.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
  });
  return chunks;
};

/**
 * Reads a bundle as `opa build -b … -t wasm` writes it. Nothing is written to disk.
 * @throws PolicyRefused for a damaged archive, a link, a path that climbs, a file given twice, or a missing file
 */
export const readBundleArchive = async (archive: Uint8Array): Promise<BundleFiles> => {
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
        else if (name === WASM || name === DATA) {
          found.set(name, collect(entry));
          return;
        }
        entry.resume();
      },
    });
    parser.on('error', (error: unknown) => {
      refuse(`not a tar archive (${wordsOf(error)})`);
    });
    parser.on('end', resolve);
    parser.end(bytes);
  });
  const contentOf = (name: string): Buffer => {
    const chunks = found.get(name);
    if (chunks === undefined) throw new PolicyRefused(`the bundle has no ${name}`);
    return Buffer.concat(chunks);
  };
  return { wasm: contentOf(WASM), dataText: contentOf(DATA).toString('utf8') };
};
