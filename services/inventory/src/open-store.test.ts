import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
function removeStore(): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
}

describe('the embedded store at a start', () => {
  it('is made in a new data directory, also beside keys, and opened again', async () => {
    mkdirSync(path.join(dataDir, 'keys', 'inventory'), { recursive: true });
    await start(addNode(1));
    await start();
    expect(JSON.parse(readFileSync(path.join(dataDir, 'known-stores.json'), 'utf8'))).toEqual({
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
    rmSync(path.join(dataDir, 'known-stores.json'));
    writeFileSync(path.join(log, '00000001.jsonl'), '');
    await start();
    removeStore();
    rmSync(path.join(dataDir, 'known-stores.json'));
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
    const mine = readFileSync(path.join(dataDir, 'known-stores.json'));
    removeStore();
    rmSync(path.join(dataDir, 'known-stores.json'));
    await start();
    writeFileSync(path.join(dataDir, 'known-stores.json'), mine);
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
    writeFileSync(path.join(dataDir, 'known-stores.json'), '{"stores":');
    await expect(start()).rejects.toThrow('known-stores.json');
  });
});
