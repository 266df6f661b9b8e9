import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrated } from '../testing/empty-stores.js';
import { readsWhatWas } from '../testing/previous-release-contract.js';
import { restoreSqlite } from '../testing/previous-release.js';
import { schemaStoreContract } from '../testing/schema-store-contract.js';
import { openSqliteStore } from './stores-sqlite.js';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'schema-sqlite-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

let count = 0;
const freshFile = (): string => path.join(directory, `${String((count += 1))}.sqlite`);
let current = '';

describe('the form of a SQLite file', () => {
  schemaStoreContract(
    () => Promise.resolve(openSqliteStore((current = freshFile()))),
    () => Promise.resolve(openSqliteStore(current)),
  );
});

/** Everything in a file: how it is made, and its rows. */
function contentOf(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  const made = database
    .prepare('SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name')
    .all();
  const tables = made.filter(({ sql }) => String(sql).startsWith('CREATE TABLE'));
  const rows = tables.map(({ name }) => [
    name,
    database.prepare(`SELECT * FROM "${String(name)}" ORDER BY rowid`).all(),
  ]);
  database.close();
  return { made, rows };
}

function indexesIn(file: string): readonly unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare("SELECT name FROM sqlite_master WHERE type = 'index'").all();
  database.close();
  return rows.map(({ name }) => name);
}

describe('a SQLite file of the release before', () => {
  const restored = (): string => {
    const file = freshFile();
    restoreSqlite(file);
    return file;
  };
  const migrate = async (file: string): Promise<void> => {
    const { schema, stores } = openSqliteStore(file);
    await migrated(schema);
    await stores.close();
  };

  readsWhatWas('sqlite', async () => {
    const store = openSqliteStore(restored());
    await migrated(store.schema);
    return store;
  });

  it('is of version 1, whose release recorded none, and gets to this one', async () => {
    const { schema, stores } = openSqliteStore(restored());
    expect(await schema.read()).toBeUndefined();
    expect(await migrated(schema)).toEqual([2, 3, 4]);
    await stores.close();
  });

  it('has the indexes of this one after it was migrated, and loses those without use', async () => {
    const file = restored();
    expect(indexesIn(file)).toContain('claims_project_id');
    await migrate(file);
    expect(indexesIn(file)).not.toContain('claims_project_id');
    expect(indexesIn(file)).not.toContain('volume_connectors_type');
    expect(indexesIn(file)).toContain('servers_project_id_created_at');
    expect(indexesIn(file)).toContain('keypairs_user_id_name');
  });

  it('is the same after the second time, and after one that was cut off before it was recorded', async () => {
    const once = restored();
    await migrate(once);
    const expected = contentOf(once);
    await migrate(once);
    expect(contentOf(once)).toEqual(expected);
    const cut = restored();
    const { schema, stores } = openSqliteStore(cut);
    await schema.lock({ holder: 'dead', until: 1 }, 0);
    await schema.apply(2);
    await stores.close();
    await migrate(cut);
    expect(contentOf(cut)).toEqual(expected);
  });
});
