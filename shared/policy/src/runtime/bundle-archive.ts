import { PolicyRefused } from '../failures.js';
import { type BundleEntries, readBundleEntries } from './bundle-entries.js';

/** The two files of a bundle that are evaluated; others are ignored. */
export interface BundleFiles {
  readonly wasm: Uint8Array;
  readonly dataText: string;
}

export const WASM_FILE = 'policy.wasm';
export const DATA_FILE = 'data.json';

/** @throws PolicyRefused when one of the two is missing */
export function bundleFilesOf(entries: BundleEntries): BundleFiles {
  const contentOf = (name: string): Uint8Array => {
    const content = entries.get(name);
    if (content === undefined) throw new PolicyRefused(`the bundle has no ${name}`);
    return content;
  };
  return {
    wasm: contentOf(WASM_FILE),
    dataText: Buffer.from(contentOf(DATA_FILE)).toString('utf8'),
  };
}

/**
 * Reads a bundle as `opa build -b … -t wasm` writes it. Nothing is written to disk.
 * @throws PolicyRefused for a corrupt archive, a link, a path that climbs, a file given twice, or a missing file
 */
export const readBundleArchive = async (archive: Uint8Array): Promise<BundleFiles> =>
  bundleFilesOf(await readBundleEntries(archive));
