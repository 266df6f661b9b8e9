import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '@tenure/process';
import { admitEmpty, admitRestored, admitStore, markStore } from './application/admit-store.js';
import { STORE_VARIABLES } from './config-store.js';
import { openConfiguredStore } from './open-store.js';
import { type ConfiguredStore } from './ports/open-store.js';
import { migrated } from './testing/empty-stores.js';
import { makeNode, uuidOf } from './testing/fixtures.js';

let dataDir: string;
let file: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'open-store-'));
  file = path.join(dataDir, 'inventory.sqlite');
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

const open = (admit: (store: ConfiguredStore) => Promise<void> = admitStore) =>
  openConfiguredStore(loadConfig(STORE_VARIABLES, { TENURE_DATA_DIR: dataDir }), { admit });

/** The life of an inventory, from its start to its end. */
async function start(work: (store: ConfiguredStore) => Promise<unknown> = () => Promise.resolve()) {
  const store = await open();
  await migrated(store.schema);
  await markStore(store);
  await work(store);
  await markStore(store);
  await store.stores.close();
}
const addNode = (number: number) => (store: ConfiguredStore) =>
  store.stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(number) }, epoch));
function backUp(to: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  database.prepare('VACUUM INTO ?').run(to);
  database.close();
}
/** The data directory as a release left it that had another name for the file of the marks. */
function asEarlierRelease(): void {
  renameSync(path.join(dataDir, 'store-marks.json'), path.join(dataDir, 'known-stores.json'));
}
const namesOfMarks = (): readonly string[] =>
  readdirSync(dataDir).filter((name) => name.endsWith('s.json'));
function removeStore(): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
}

describe('the embedded store at a start', () => {
  it('is made in a new data directory, also beside keys, and opened again', async () => {
    mkdirSync(path.join(dataDir, 'keys', 'inventory'), { recursive: true });
    await start(addNode(1));
    await start();
    expect(JSON.parse(readFileSync(path.join(dataDir, 'store-marks.json'), 'utf8'))).toEqual({
      stores: { embedded: { identity: expect.any(String), marker: 4 } },
    });
  });

  it('is refused when it is missing or empty beside a history, and is not made', async () => {
    await start(addNode(1));
    removeStore();
    const refused =
      /^The store is empty or missing, .*`tenure restore FILE`.*`tenure migrate --empty`/u;
    await expect(start()).rejects.toThrow(refused);
    expect(() => readFileSync(file)).toThrow('ENOENT');
    writeFileSync(file, '');
    await expect(start()).rejects.toThrow(refused);
    expect(readFileSync(file)).toHaveLength(0);
  });

  it('is refused when it is missing beside decisions of a release that remembered no store', async () => {
    const log = path.join(dataDir, 'decisions', 'pdp');
    mkdirSync(log, { recursive: true });
    await start();
    removeStore();
    rmSync(path.join(dataDir, 'store-marks.json'));
    writeFileSync(path.join(log, '00000001.jsonl'), '');
    await start();
    removeStore();
    rmSync(path.join(dataDir, 'store-marks.json'));
    writeFileSync(path.join(log, '00000001.jsonl'), '{}\n');
    await expect(start()).rejects.toMatchObject({ doubt: 'lost' });
  });

  it('is refused when a backup took its place, until that is accepted', async () => {
    const copy = path.join(dataDir, 'copy.sqlite');
    await start((store) => {
      backUp(copy);
      return addNode(1)(store);
    });
    removeStore();
    await copyFile(copy, file);
    await expect(start()).rejects.toThrow(/^The store is older .*`tenure migrate --restored`\.$/u);
    const restored = await open(admitRestored);
    await markStore(restored, 2 ** 32);
    await restored.stores.close();
    await start(addNode(2));
  });

  it('is refused when it is another one', async () => {
    await start();
    const mine = readFileSync(path.join(dataDir, 'store-marks.json'));
    removeStore();
    rmSync(path.join(dataDir, 'store-marks.json'));
    await start();
    writeFileSync(path.join(dataDir, 'store-marks.json'), mine);
    await expect(start()).rejects.toMatchObject({ doubt: 'other' });
  });

  it('is made anew by an operator who wants an empty one, and only where it is empty', async () => {
    await start(addNode(1));
    await expect(open(admitEmpty)).rejects.toThrow('The store is not empty');
    removeStore();
    await expect(open(admitRestored)).rejects.toMatchObject({ doubt: 'lost' });
    const empty = await open(admitEmpty);
    await migrated(empty.schema);
    await markStore(empty);
    await empty.stores.close();
    await start(addNode(2));
  });

  it('is refused when what is remembered cannot be read', async () => {
    await start();
    writeFileSync(path.join(dataDir, 'store-marks.json'), '{"stores":');
    await expect(start()).rejects.toThrow('store-marks.json');
  });

  it('is recognised by the file of an earlier release, which the first mark replaces', async () => {
    await start(addNode(1));
    asEarlierRelease();
    await start();
    expect(namesOfMarks()).toEqual(['store-marks.json']);
    expect(JSON.parse(readFileSync(path.join(dataDir, 'store-marks.json'), 'utf8'))).toEqual({
      stores: { embedded: { identity: expect.any(String), marker: 4 } },
    });
  });

  it('is refused when it is missing beside the file of an earlier release, which is left as it is', async () => {
    await start(addNode(1));
    asEarlierRelease();
    removeStore();
    await expect(start()).rejects.toMatchObject({ doubt: 'lost' });
    expect(namesOfMarks()).toEqual(['known-stores.json']);
  });

  it('is judged by the file that an earlier release made since, after a rollback to it', async () => {
    await start(addNode(1));
    const before = readFileSync(path.join(dataDir, 'store-marks.json'));
    removeStore();
    rmSync(path.join(dataDir, 'store-marks.json'));
    await start();
    asEarlierRelease();
    writeFileSync(path.join(dataDir, 'store-marks.json'), before);
    await start();
    expect(namesOfMarks()).toEqual(['store-marks.json']);
  });

  it('is refused when the file of an earlier release cannot be read', async () => {
    await start();
    rmSync(path.join(dataDir, 'store-marks.json'));
    writeFileSync(path.join(dataDir, 'known-stores.json'), '{"stores":');
    await expect(start()).rejects.toThrow('known-stores.json');
  });
});
