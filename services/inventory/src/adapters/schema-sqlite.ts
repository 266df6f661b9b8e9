import { type DatabaseSync } from 'node:sqlite';
import { EPOCH_NUMBERS } from '../domain/epochs.js';
import { type MigrationVersion } from '../domain/schema.js';
import { indexedFieldsOf, type RecordShape } from '../ports/record-store.js';
import { type SchemaLock, type SchemaStore } from '../ports/schema-store.js';
import { ALL_SHAPES } from '../ports/shapes.js';
import { numberIn } from './record-store-sqlite.js';
import { atomically, type SqliteConnection } from './sqlite-connection.js';

interface Index {
  readonly name: string;
  readonly table: string;
  readonly fields: readonly string[];
  readonly unique: boolean;
}

const UNUSED_SINCE_2 = [
  'claims_project_id',
  'keypairs_user_id',
  'keypairs_name',
  'nodes_power_state',
  'volume_connectors_type',
  'volume_connectors_connector_id',
  'volume_targets_boot_index',
] as const;

/** Steps of a migration besides making missing tables and indexes. */
const EXTRA_STEPS: Readonly<Partial<Record<MigrationVersion, (database: DatabaseSync) => void>>> = {
  2: (database) => {
    for (const index of UNUSED_SINCE_2) database.exec(`DROP INDEX IF EXISTS "${index}"`);
  },
};

const TABLE =
  'CREATE TABLE IF NOT EXISTS store_schema (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER, compatible_from INTEGER, holder TEXT, until INTEGER)';

/** Whether the database has a table of this name. */
export const hasTable = (database: DatabaseSync, name: string): boolean =>
  database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !==
  undefined;

/** Makes what a shape needs and the file lacks. */
export function defineTable(database: DatabaseSync, shape: RecordShape): void {
  if (hasTable(database, shape.name)) completeTable(database, shape);
  else createTable(database, shape);
  database.exec(
    'CREATE TABLE IF NOT EXISTS epochs (name TEXT PRIMARY KEY, floor INTEGER NOT NULL)',
  );
  database.prepare('INSERT OR IGNORE INTO epochs (name, floor) VALUES (?, 0)').run(shape.name);
}

/** The version of a SQLite file. Each migration is one transaction. */
export function createSqliteSchema({ database, read, write }: SqliteConnection): SchemaStore {
  const currentHolder = (): unknown => rowOf(database)?.['holder'] ?? null;
  const change = <T>(work: () => T): Promise<T> => write(() => atomically(database, work));
  return {
    read: () =>
      read(() => {
        const row = rowOf(database);
        const version = numberIn(row, 'version');
        if (version === 0) return undefined;
        return { version, compatibleFrom: numberIn(row, 'compatible_from') };
      }),
    hasData: () =>
      read(() =>
        ALL_SHAPES.some(
          ({ name }) =>
            hasTable(database, name) &&
            database.prepare(`SELECT 1 FROM "${name}" LIMIT 1`).get() !== undefined,
        ),
      ),
    lock: (lock, now) => change(() => taken(database, lock, now)),
    unlock: (holder) =>
      change(() => {
        if (currentHolder() === holder)
          database.exec('UPDATE store_schema SET holder = NULL, until = NULL WHERE id = 1');
      }),
    apply: (version) =>
      change(() => {
        defineAll(database);
        EXTRA_STEPS[version]?.(database);
      }),
    raiseNumbers: (by) =>
      change(() => {
        raiseNumbers(database, by);
      }),
    record: (holder, { version, compatibleFrom }) =>
      change(() => {
        if (currentHolder() !== holder) return false;
        database
          .prepare('UPDATE store_schema SET version = ?, compatible_from = ? WHERE id = 1')
          .run(version, compatibleFrom);
        return true;
      }),
  };
}

function completeTable(database: DatabaseSync, shape: RecordShape): void {
  addMissingColumns(database, shape);
  addMissingIndexes(database, shape);
}

/** With its columns at once: SQLite reads the whole schema again for each that is added. */
function createTable(database: DatabaseSync, shape: RecordShape): void {
  const columns = [
    'seq INTEGER PRIMARY KEY AUTOINCREMENT',
    'uuid TEXT NOT NULL UNIQUE',
    'revision INTEGER NOT NULL',
    'doc TEXT NOT NULL',
    ...indexedFieldsOf(shape).map(columnOf),
  ];
  const table = `CREATE TABLE "${shape.name}" (${columns.join(', ')})`;
  database.exec([table, ...indexesOf(shape).map(indexText)].join(';\n'));
}

/** Virtual columns need no rewrite of the rows. */
function addMissingColumns(database: DatabaseSync, shape: RecordShape): void {
  const present = new Set(
    database
      .prepare(`SELECT name FROM pragma_table_xinfo(?)`)
      .all(shape.name)
      .map((row) => row['name']),
  );
  for (const field of indexedFieldsOf(shape))
    if (!present.has(field))
      database.exec(`ALTER TABLE "${shape.name}" ADD COLUMN ${columnOf(field)}`);
}

/** One that was not unique yet is made again. */
function addMissingIndexes(database: DatabaseSync, shape: RecordShape): void {
  const present = presentIndexes(database, shape.name);
  for (const index of indexesOf(shape)) {
    const isUnique = present.get(index.name);
    if (isUnique === true || isUnique === index.unique) continue;
    if (isUnique === false) database.exec(`DROP INDEX "${index.name}"`);
    database.exec(indexText(index));
  }
}

const columnOf = (field: string): string =>
  `"${field}" GENERATED ALWAYS AS (doc ->> '$.${field}') VIRTUAL`;

/** Names of a table's indexes, and whether each is unique. */
const presentIndexes = (database: DatabaseSync, table: string): ReadonlyMap<unknown, boolean> =>
  new Map(
    database
      .prepare('SELECT name, "unique" AS is_unique FROM pragma_index_list(?)')
      .all(table)
      .map((row) => [row['name'], row['is_unique'] === 1]),
  );

function indexesOf({
  name: table,
  indexed,
  unique,
  compound,
  uniqueTogether,
}: RecordShape): readonly Index[] {
  const index = (fields: readonly string[], isUnique: boolean): Index => ({
    name: `${table}_${fields.join('_')}`,
    table,
    fields,
    unique: isUnique,
  });
  return [
    ...indexed.map((field) => index([field], unique.includes(field))),
    // Before the compound ones, which may name the same fields: the first of a name is the one that is made.
    ...uniqueTogether.map((fields) => index(fields, true)),
    ...compound.map((fields) => index(fields, false)),
  ];
}

const indexText = ({ name, table, fields, unique }: Index): string =>
  `CREATE ${unique ? 'UNIQUE ' : ''}INDEX IF NOT EXISTS "${name}" ON "${table}" (${fields.map((field) => `"${field}"`).join(', ')})`;

const rowOf = (database: DatabaseSync): Readonly<Record<string, unknown>> | undefined =>
  hasTable(database, 'store_schema')
    ? database.prepare('SELECT * FROM store_schema WHERE id = 1').get()
    : undefined;

/** Within a transaction. */
function taken(database: DatabaseSync, { holder, until }: SchemaLock, now: number): boolean {
  database.exec(TABLE);
  const row = rowOf(database);
  const current = row?.['holder'] ?? null;
  if (current !== null && current !== holder && numberIn(row, 'until') > now) return false;
  database
    .prepare(
      'INSERT INTO store_schema (id, holder, until) VALUES (1, ?, ?) ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, until = excluded.until',
    )
    .run(holder, until);
  return true;
}

function defineAll(database: DatabaseSync): void {
  for (const shape of ALL_SHAPES) defineTable(database, shape);
}

function raiseNumbers(database: DatabaseSync, by: number): void {
  // json_replace leaves alone what is not there.
  const changes = EPOCH_NUMBERS.map((number) => `'$.${number}', (doc ->> '$.${number}') + $by`);
  for (const { name } of ALL_SHAPES)
    database
      .prepare(
        `UPDATE "${name}" SET revision = revision + $by, doc = json_replace(doc, ${changes.join(', ')})`,
      )
      .run({ $by: by });
  database.prepare('UPDATE epochs SET floor = floor + ?').run(by);
}
