import { appendFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { textIfThere } from '@tenure/process';
import { openEntries, type RevocationStore, sealEntry } from './revocation-store.js';
import { type Seal } from './seal.js';

/** Where the list lies below a data directory. */
export const revocationFile = (dataDir: string): string =>
  path.join(dataDir, 'revocations', 'list.txt');

/** Revocations in a file, a line each, for one replica with embedded storage. Lines are only ever added. */
export const createFileRevocations = (file: string, seal: Seal): RevocationStore => ({
  add: async (entry) => {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await appendFile(file, `${sealEntry(seal, entry)}\n`, { mode: 0o600, flush: true });
  },
  list: async () => {
    const text = await textIfThere(file);
    return text === undefined ? [] : openEntries(seal, text.split('\n'));
  },
});
