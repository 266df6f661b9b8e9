import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type HistoryEntry } from '../domain/stored-state.js';
import { type PolicyStore } from '../ports/policy-store.js';
import { previousRelease } from '../testing/previous-release.js';
import { createFilePolicyStore } from './policy-store-files.js';

const A = `sha256:${'a'.repeat(64)}`;
const B = `sha256:${'b'.repeat(64)}`;
const parts = {
  bundle: new Map([['data.json', Buffer.from('{}')]]),
  overlays: [{ file: 'mine.yaml', text: 'a:b: []\n' }],
};
const entry = (revision: string): HistoryEntry => ({
  revision,
  at: '2026-11-21T06:00:00.000Z',
  source: 'here',
  trigger: 'start',
  outcome: 'activated',
});

let directory: string;
let store: PolicyStore;
beforeEach(async () => {
  directory = path.join(mkdtempSync(path.join(tmpdir(), 'tenure-policy-store-')), 'policy', 'one');
  store = createFilePolicyStore(directory);
  await store.load();
});

describe('the policy store in files', () => {
  it('is empty at first', async () => {
    expect(await store.load()).toEqual({ history: [] });
    expect(await store.get(A)).toBeUndefined();
  });

  it('is read by the next process', async () => {
    await store.put(A, parts);
    const state = { pinned: A, last_good: A, history: [entry(A)] };
    await store.save(state);
    const next = createFilePolicyStore(directory);
    expect(await next.load()).toEqual(state);
    expect(await next.get(A)).toEqual(parts);
  });

  it('removes bundles that the history does not name', async () => {
    await store.put(A, parts);
    await store.put(B, parts);
    await store.save({ last_good: B, history: [entry(B)] });
    expect(await store.get(A)).toBeUndefined();
    expect(await store.get(B)).toEqual(parts);
  });

  it('is readable for its owner only, and has no partial files', async () => {
    await store.put(A, parts);
    await store.save({ history: [entry(A)] });
    for (const name of readdirSync(directory)) {
      expect(name).not.toMatch(/\.new$/u);
      expect(statSync(path.join(directory, name)).mode & 0o077).toBe(0);
    }
  });

  it('migrates the state of the previous release, once', async () => {
    const file = path.join(directory, 'state.json');
    const desired = { generation: 4, pinned: A, at: '2026-11-21T06:00:00.000Z', by: 'pdp-0' };
    const state = { pinned: A, last_good: A, history: [entry(A)] };
    writeFileSync(file, previousRelease('state.json'));
    expect(await store.load()).toEqual({ ...state, desired });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...state, desired });
    const { ino } = statSync(file);
    expect(await store.load()).toEqual({ ...state, desired });
    expect(statSync(file).ino).toBe(ino);
  });

  it.each([
    ['half a document', '{'],
    ['no history', '{}'],
    ['no digest', '{"history": [], "pinned": "latest"}'],
    [
      'a malformed state of the previous release',
      previousRelease('state.json').replace('"generation": 4,', ''),
    ],
  ])('is an error when it reads %s: a pin must not be forgotten', async (_what, text) => {
    writeFileSync(path.join(directory, 'state.json'), text);
    await expect(store.load()).rejects.toThrow('state.json is not the state of a decision point');
  });
});
