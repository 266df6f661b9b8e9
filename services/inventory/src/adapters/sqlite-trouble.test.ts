import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { allWhere } from '../application/all-where.js';
import { type RecordStore, type StoredRecord } from '../ports/record-store.js';
import { shapeOf } from '../ports/shapes.js';
import { BrokenStoreError } from '../ports/store-trouble.js';
import { migrated } from '../testing/empty-stores.js';
import { makeNode, uuidOf } from '../testing/fixtures.js';
import { storeMarksContract } from '../testing/store-marks-contract.js';
import { createSqliteRecordStore } from './record-store-sqlite.js';
import { defineTable } from './schema-sqlite.js';
import { atomically, connectionTo } from './sqlite-connection.js';
import { openSqliteStore } from './stores-sqlite.js';

const ITEMS = shapeOf('items', { indexed: ['a'], unique: ['a'] });

let directory: string;
let file: string;
let database: DatabaseSync;
type Item = StoredRecord & Readonly<{ a: string; text: string }>;
let items: RecordStore<Item>;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'sqlite-trouble-'));
  file = path.join(directory, 'inventory.sqlite');
  database = new DatabaseSync(file, { timeout: 0 });
  database.exec('PRAGMA journal_mode = WAL');
  defineTable(database, ITEMS);
  items = createSqliteRecordStore(connectionTo(database, { patienceMs: 300 }), ITEMS);
});

afterEach(() => {
  if (database.isOpen) database.close();
  rmSync(directory, { recursive: true, force: true });
});

const item = (number: number, text = 'x'): Item => ({
  uuid: uuidOf(number),
  a: String(number),
  text,
  revision: 1,
});
const insert = (number: number, text?: string) => items.insert(() => item(number, text));
function limitPages(pages: number): void {
  database.exec(`PRAGMA max_page_count = ${String(pages)}`);
}
const pagesNow = (): number =>
  Number(database.prepare('PRAGMA page_count').get()?.['page_count'] ?? 0);

describe('a SQLite file on a full disk', () => {
  const large = 'x'.repeat(100_000);
  const full = {
    status: 507,
    code: 'insufficient_storage',
    message: 'The store is full.',
  };
  const everyWrite: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['insert', () => insert(2, large)],
    ['swap', () => items.swap({ ...item(1, large), revision: 2 }, 1)],
    ['merge', () => items.merge([item(1, large), item(2, large)], (_, one) => one)],
  ];

  it.each(everyWrite)('refuses %s with 507 and goes on reading', async (_, write) => {
    await insert(1);
    limitPages(pagesNow());
    await expect(write()).rejects.toMatchObject(full);
    expect(await items.findBy('a', '1')).toEqual(item(1));
    expect(await items.findBy('a', '2')).toBeUndefined();
  });

  it('takes writes again once there is free space', async () => {
    limitPages(pagesNow());
    await expect(insert(2, large)).rejects.toMatchObject(full);
    limitPages(1_000_000);
    expect(await insert(2, large)).toEqual(item(2, large));
  });
});

describe('a transaction that SQLite has rolled back itself', () => {
  it('fails with its own error, and leaves the connection free for the next', () => {
    const work = (): void => {
      database.exec('ROLLBACK');
      throw new Error('the first error');
    };
    expect(() => {
      atomically(database, work);
    }).toThrow('the first error');
    expect(database.isTransaction).toBe(false);
    expect(atomically(database, () => 'done')).toBe('done');
  });
});

describe('a SQLite file that another process has locked', () => {
  let holder: DatabaseSync;
  beforeEach(async () => {
    await insert(1);
    holder = new DatabaseSync(file);
    holder.exec('BEGIN EXCLUSIVE');
  });
  afterEach(() => {
    holder.close();
  });

  it('refuses writes with 503 and goes on reading', async () => {
    await expect(insert(2)).rejects.toMatchObject({
      status: 503,
      message: 'The store is locked by another process; please retry.',
      headers: { 'Retry-After': '1' },
    });
    expect(await items.findBy('a', '1')).toEqual(item(1));
    expect(await items.list(allWhere())).toEqual([item(1)]);
  });

  it('lets everything else run while a write waits, and writes when the lock is given back', async () => {
    const waiting = createSqliteRecordStore<Item>(
      connectionTo(database, { patienceMs: 60_000 }),
      ITEMS,
    );
    const writing = waiting.insert(() => item(2));
    let rounds = 0;
    for (; rounds < 20; rounds += 1) await sleep(1);
    expect(await items.findBy('a', '2')).toBeUndefined();
    holder.exec('ROLLBACK');
    expect(await writing).toEqual(item(2));
    expect(rounds).toBe(20);
  });
});

describe('a SQLite file that cannot be written', () => {
  it('refuses writes with 503 when it is read-only', async () => {
    await insert(1);
    database.exec('PRAGMA query_only = ON');
    await expect(insert(2)).rejects.toMatchObject({
      status: 503,
      message: 'The store is read-only.',
    });
    expect(await items.findBy('a', '1')).toEqual(item(1));
  });

  it('is broken when its pages are corrupt', async () => {
    await insert(1, 'x'.repeat(200_000));
    database.close();
    const before = new DatabaseSync(file);
    before.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    before.close();
    writeFileSync(file, Buffer.alloc(120_000, 7), { flag: 'r+' });
    writeFileSync(file, 'SQLite format 3\0', { flag: 'r+' });
    const corrupt = new DatabaseSync(file, { timeout: 0 });
    const work = (): unknown => corrupt.prepare('SELECT * FROM items').all();
    await expect(connectionTo(corrupt).read(work)).rejects.toBeInstanceOf(BrokenStoreError);
    corrupt.close();
  });

  it('is broken when it is no database', async () => {
    const other = path.join(directory, 'other.sqlite');
    writeFileSync(other, 'this is no database at all, whatever its name says'.repeat(50));
    const opened = new DatabaseSync(other);
    const work = (): unknown => opened.prepare('SELECT 1 FROM sqlite_schema').get();
    await expect(connectionTo(opened).read(work)).rejects.toMatchObject({
      status: 503,
      message: 'The store is corrupt.',
    });
    opened.close();
  });
});

describe('a SQLite file whose name changes while it is open', () => {
  const moved = {
    status: 503,
    message:
      'The file of the store was renamed, removed or replaced while the inventory had it open.',
  };
  const changes: readonly (readonly [string, (name: string) => void])[] = [
    [
      'renamed',
      (name) => {
        renameSync(name, `${name}.away`);
      },
    ],
    [
      'removed',
      (name) => {
        rmSync(name);
      },
    ],
    [
      'replaced',
      (name) => {
        writeFileSync(`${name}.fresh`, '');
        renameSync(`${name}.fresh`, name);
      },
    ],
    [
      'robbed of its log',
      (name) => {
        rmSync(`${name}-wal`);
      },
    ],
  ];

  it.each(changes)('is written no more once it was %s, and still read', async (_, change) => {
    const name = path.join(directory, 'open.sqlite');
    const store = openSqliteStore(name);
    await migrated(store.schema);
    const insertNode = (number: number) =>
      store.stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(number) }, epoch));
    const node = await insertNode(1);
    expect(await store.inspect()).toBeGreaterThan(0);
    change(name);
    await expect(insertNode(2)).rejects.toMatchObject(moved);
    await expect(store.inspect()).rejects.toMatchObject(moved);
    await expect(store.marks.advance(1)).rejects.toBeInstanceOf(BrokenStoreError);
    expect(await store.stores.nodes.findBy('uuid', uuidOf(1))).toEqual(node);
    await store.stores.close();
  });

  it('stays refused when it is put back, because the files beside it may be others', async () => {
    const name = path.join(directory, 'open.sqlite');
    const store = openSqliteStore(name);
    await migrated(store.schema);
    renameSync(name, `${name}.away`);
    await expect(store.marks.advance(1)).rejects.toMatchObject(moved);
    renameSync(`${name}.away`, name);
    await expect(store.marks.advance(1)).rejects.toMatchObject(moved);
    await store.stores.close();
  });
});

describe('the mark of a SQLite file', () => {
  let current = '';
  let count = 0;
  storeMarksContract(
    () => {
      count += 1;
      current = path.join(directory, `marks-${String(count)}.sqlite`);
      return openSqliteStore(current);
    },
    () => openSqliteStore(current),
  );
});
