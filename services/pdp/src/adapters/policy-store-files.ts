import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Type } from '@sinclair/typebox';
import { matches } from '@tenure/contracts';
import { readBundleEntries, writeBundleEntries } from '@tenure/policy/runtime';
import { readIfThere, replaceFile, textIfThere } from '@tenure/process';
import { EMPTY_STATE, migrated, revisionsOf, StoredState } from '../domain/stored-state.js';
import { type PolicyStore } from '../ports/policy-store.js';

const STATE_FILE = 'state.json';
const DIRECTORY_MODE = 0o700;
const BUNDLE = '.tar.gz';
const OVERLAYS = '.overlays.json';
const KEPT_FILE = /^([0-9a-f]{64})(?:\.tar\.gz|\.overlays\.json)$/u;

const Overlays = Type.Array(Type.Object({ file: Type.String(), text: Type.String() }));

/** A directory that belongs to one instance of the decision point. */
export function createFilePolicyStore(directory: string): PolicyStore {
  const stateFile = path.join(directory, STATE_FILE);
  const fileOf = (revision: string, suffix: string): string =>
    path.join(directory, `${hexOf(revision)}${suffix}`);
  const write = (state: StoredState): Promise<void> =>
    replaceFile(stateFile, JSON.stringify(state, undefined, 2));
  return {
    load: async () => {
      await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
      const text = await textIfThere(stateFile);
      if (text === undefined) return EMPTY_STATE;
      const { state, isMigrated } = stateIn(text, stateFile);
      if (isMigrated) await write(state);
      return state;
    },
    save: async (state) => {
      await write(state);
      const needed = new Set([...revisionsOf(state)].map(hexOf));
      for (const name of await readdir(directory)) {
        const hex = KEPT_FILE.exec(name)?.[1];
        if (hex !== undefined && !needed.has(hex))
          await rm(path.join(directory, name), { force: true });
      }
    },
    put: async (revision, { bundle, overlays }) => {
      await replaceFile(fileOf(revision, OVERLAYS), JSON.stringify(overlays));
      await replaceFile(fileOf(revision, BUNDLE), writeBundleEntries(bundle));
    },
    get: async (revision) => {
      const archive = await readIfThere(fileOf(revision, BUNDLE));
      const text = await textIfThere(fileOf(revision, OVERLAYS));
      if (archive === undefined || text === undefined) return undefined;
      const overlays: unknown = JSON.parse(text);
      if (!matches(Overlays, overlays)) return undefined;
      return { bundle: await readBundleEntries(archive), overlays };
    },
  };
}

const hexOf = (revision: string): string => revision.replace(/^sha256:/u, '');

function stateIn(text: string, file: string): { state: StoredState; isMigrated: boolean } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  const state = migrated(parsed);
  if (!matches(StoredState, state)) throw new Error(`${file} is not the state of a decision point`);
  return { state, isMigrated: state !== parsed };
}
