import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Type } from '@sinclair/typebox';
import { matches } from '@tenure/contracts';
import { readBundleEntries, writeBundleEntries } from '@tenure/policy/runtime';
import { KeptState, NOTHING_KEPT, revisionsOf } from '../domain/policy-history.js';
import { type PolicyStore } from '../ports/policy-store.js';

const STATE_FILE = 'state.json';
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const BUNDLE = '.tar.gz';
const OVERLAYS = '.overlays.json';
const KEPT_FILE = /^([0-9a-f]{64})(?:\.tar\.gz|\.overlays\.json)$/u;

const Overlays = Type.Array(Type.Object({ file: Type.String(), text: Type.String() }));

const isMissing = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';

/** @returns undefined when there is no such file */
const readIfThere = async (file: string): Promise<Buffer | undefined> => {
  try {
    return await readFile(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

/** Whole or not at all, also when the machine loses power. */
const writeWhole = async (file: string, content: string | Buffer): Promise<void> => {
  const part = `${file}.new`;
  const handle = await open(part, 'w', FILE_MODE);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(part, file);
};

const hexOf = (revision: string): string => revision.replace(/^sha256:/u, '');

const stateIn = (text: string, file: string): KeptState => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  if (!matches(KeptState, parsed)) throw new Error(`${file} is not the state of a decision point`);
  return parsed;
};

/** A directory that belongs to one instance of the decision point. */
export const createFilePolicyStore = (directory: string): PolicyStore => {
  const stateFile = path.join(directory, STATE_FILE);
  const fileOf = (revision: string, suffix: string): string =>
    path.join(directory, `${hexOf(revision)}${suffix}`);
  return {
    load: async () => {
      await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
      const content = await readIfThere(stateFile);
      return content === undefined ? NOTHING_KEPT : stateIn(content.toString('utf8'), stateFile);
    },
    save: async (state) => {
      await writeWhole(stateFile, JSON.stringify(state, undefined, 2));
      const needed = new Set([...revisionsOf(state)].map(hexOf));
      for (const name of await readdir(directory)) {
        const hex = KEPT_FILE.exec(name)?.[1];
        if (hex !== undefined && !needed.has(hex))
          await rm(path.join(directory, name), { force: true });
      }
    },
    put: async (revision, { bundle, overlays }) => {
      await writeWhole(fileOf(revision, OVERLAYS), JSON.stringify(overlays));
      await writeWhole(fileOf(revision, BUNDLE), writeBundleEntries(bundle));
    },
    get: async (revision) => {
      const archive = await readIfThere(fileOf(revision, BUNDLE));
      const text = await readIfThere(fileOf(revision, OVERLAYS));
      if (archive === undefined || text === undefined) return undefined;
      const overlays: unknown = JSON.parse(text.toString('utf8'));
      if (!matches(Overlays, overlays)) return undefined;
      return { bundle: await readBundleEntries(archive), overlays };
    },
  };
};
