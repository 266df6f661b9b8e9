import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import { type StoredRecord } from '../ports/record-store.js';
import { shapeOf } from '../ports/shapes.js';
import { budgetsContract } from '../testing/budgets-contract.js';
import { fileStores, memoryStores } from '../testing/empty-stores.js';
import { makeNode, uuidOf } from '../testing/fixtures.js';
import { handoverStoresContract } from '../testing/handover-stores-contract.js';
import { leaseStoresContract } from '../testing/lease-stores-contract.js';
import { nodePartsContract } from '../testing/node-parts-contract.js';
import { nodeStoreContract } from '../testing/node-store-contract.js';
import { otherStoresContract } from '../testing/other-stores-contract.js';
import { pageContract } from '../testing/page-contract.js';
import { replacementContract } from '../testing/replacement-contract.js';
import { resourceStoresContract } from '../testing/resource-stores-contract.js';
import { serverStoresContract } from '../testing/server-stores-contract.js';
import { createSqliteRecordStore } from './record-store-sqlite.js';
import { defineTable } from './schema-sqlite.js';
import { connectionTo } from './sqlite-connection.js';

describe('nodes in SQLite', () => {
  nodeStoreContract(memoryStores);
});

describe('what is kept of nodes in SQLite', () => {
  nodePartsContract(memoryStores);
});

describe('pages in SQLite', () => {
  pageContract(memoryStores);
});

describe('records that are replaced in SQLite', () => {
  replacementContract(memoryStores);
});

describe('other records in SQLite', () => {
  otherStoresContract(memoryStores);
});

describe('what hangs on nodes in SQLite', () => {
  resourceStoresContract(memoryStores);
});

describe('leases in SQLite', () => {
  leaseStoresContract(memoryStores);
});

describe('handovers in SQLite', () => {
  handoverStoresContract(memoryStores);
});

describe('servers in SQLite', () => {
  serverStoresContract(memoryStores);
});

describe('budgets in SQLite', () => {
  budgetsContract(memoryStores);
});

describe('a SQLite file', () => {
  it('of an earlier release gets the columns it lacks', async () => {
    const database = new DatabaseSync(':memory:');
    const shape = shapeOf('items', { indexed: ['a'] });
    defineTable(database, shape);
    const before = createSqliteRecordStore<StoredRecord>(connectionTo(database), shape);
    await before.insert((epoch) => ({ uuid: uuidOf(1), a: 'x', b: 'y', revision: epoch }));
    const wanted = { ...shape, indexed: ['a', 'b'] };
    defineTable(database, wanted);
    const after = createSqliteRecordStore<StoredRecord>(connectionTo(database), wanted);
    expect(await after.findBy('b', 'y')).toEqual({ uuid: uuidOf(1), a: 'x', b: 'y', revision: 1 });
    database.close();
  });

  it('of an earlier release gets its indexes made unique', async () => {
    const database = new DatabaseSync(':memory:');
    const shape = shapeOf('items', { indexed: ['a'] });
    defineTable(database, shape);
    const wanted = { ...shape, unique: ['a'] };
    defineTable(database, wanted);
    const after = createSqliteRecordStore<StoredRecord>(connectionTo(database), wanted);
    await after.insert((epoch) => ({ uuid: uuidOf(1), a: 'x', revision: epoch }));
    const second = after.insert((epoch) => ({ uuid: uuidOf(2), a: 'x', revision: epoch }));
    await expect(second).rejects.toMatchObject({ field: 'a' });
    database.close();
  });

  it('and the files beside it are its owner’s alone, whatever they were before', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'inventory-sqlite-'));
    const modeOf = (name: string): number => statSync(path.join(directory, name)).mode & 0o777;
    const names = ['inventory.sqlite', 'inventory.sqlite-wal', 'inventory.sqlite-shm'];
    try {
      const below = 'data';
      const folder = path.join(directory, below);
      const file = path.join(folder, 'inventory.sqlite');
      const stores = await fileStores(file);
      await stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(1) }, epoch));
      expect(modeOf(below)).toBe(0o700);
      for (const name of names) expect(modeOf(path.join(below, name))).toBe(0o600);
      for (const name of names) chmodSync(path.join(folder, name), 0o644);
      const again = await fileStores(file);
      for (const name of names) expect(modeOf(path.join(below, name))).toBe(0o600);
      await again.close();
      await stores.close();
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it('still holds what was written when it is opened again', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'inventory-sqlite-'));
    try {
      const file = path.join(directory, 'below', 'inventory.sqlite');
      const first = await fileStores(file);
      const written = await first.nodes.insert((epoch) =>
        makeNode({ uuid: uuidOf(1), owner: 'p-a' }, epoch),
      );
      await first.close();
      const second = await fileStores(file);
      expect(await second.nodes.findBy('uuid', uuidOf(1))).toEqual(written);
      await second.close();
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
