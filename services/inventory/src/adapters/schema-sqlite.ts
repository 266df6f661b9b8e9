import { type DatabaseSync } from 'node:sqlite';
import { EPOCH_NUMBERS } from '../domain/epochs.js';
import { type MigrationVersion } from '../domain/schema.js';
import { indexedFieldsOf, type RecordShape } from '../ports/record-store.js';
import { type SchemaLock, type SchemaStore } from '../ports/schema-store.js';
import { ALL_SHAPES } from '../ports/shapes.js';
import { numberIn } from './record-store-sqlite.js';
import { atomically, type SqliteConnection } from './sqlite-connection.js';

const columnOf = (field: string): string =>
  `"${field}" GENERATED ALWAYS AS (doc ->> '$.${field}') VIRTUAL`;

/** Virtual columns need no rewrite of the rows. */
const addMissingColumns = (database: DatabaseSync, shape: RecordShape): void => {
  const present = new Set(
    database
      .prepare(`SELECT name FROM pragma_table_xinfo(?)`)
      .all(shape.name)
      .map((row) => row['name']),
  );
  for (const field of indexedFieldsOf(shape))
    if (!present.has(field))
      database.exec(`ALTER TABLE "${shape.name}" ADD COLUMN ${columnOf(field)}`);
};

/** One that was not unique yet is made again. */
const defineIndex = (
  database: DatabaseSync,
  { name }: RecordShape,
  fields: readonly string[],
  unique: boolean,
): void => {
  const index = `${name}_${fields.join('_')}`;
  const present = database
    .prepare('SELECT "unique" AS is_unique FROM pragma_index_list(?) WHERE name = ?')
    .get(name, index);
  if (present !== undefined && unique && present['is_unique'] === 0)
    database.exec(`DROP INDEX "${index}"`);
  database.exec(
    `CREATE ${unique ? 'UNIQUE ' : ''}INDEX IF NOT EXISTS "${index}" ON "${name}" (${fields.map((field) => `"${field}"`).join(', ')})`,
  );
};

/** Makes what a shape needs and the file lacks. */
export const defineTable = (database: DatabaseSync, shape: RecordShape): void => {
  database.exec(
    `CREATE TABLE IF NOT EXISTS "${shape.name}" (seq INTEGER PRIMARY KEY AUTOINCREMENT, ` +
      'uuid TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL, doc TEXT NOT NULL)',
  );
  addMissingColumns(database, shape);
  for (const field of shape.indexed)
    defineIndex(database, shape, [field], shape.unique.includes(field));
  for (const fields of shape.compound) defineIndex(database, shape, fields, false);
  for (const fields of shape.uniqueTogether) defineIndex(database, shape, fields, true);
  database.exec(
    'CREATE TABLE IF NOT EXISTS epochs (name TEXT PRIMARY KEY, floor INTEGER NOT NULL)',
  );
  database.prepare('INSERT OR IGNORE INTO epochs (name, floor) VALUES (?, 0)').run(shape.name);
};

const defineAll = (database: DatabaseSync): void => {
  for (const shape of ALL_SHAPES) defineTable(database, shape);
};

const UNUSED_SINCE_2 = [
  'claims_project_id',
  'keypairs_user_id',
  'keypairs_name',
  'nodes_power_state',
  'volume_connectors_type',
  'volume_connectors_connector_id',
  'volume_targets_boot_index',
] as const;

/** What a migration does beside making what is missing. */
const EXTRA_STEPS: Readonly<Partial<Record<MigrationVersion, (database: DatabaseSync) => void>>> = {
  2: (database) => {
    for (const index of UNUSED_SINCE_2) database.exec(`DROP INDEX IF EXISTS "${index}"`);
  },
};

const raiseNumbers = (database: DatabaseSync, by: number): void => {
  // json_replace leaves alone what is not there.
  const changes = EPOCH_NUMBERS.map((number) => `'$.${number}', (doc ->> '$.${number}') + $by`);
  for (const { name } of ALL_SHAPES)
    database
      .prepare(
        `UPDATE "${name}" SET revision = revision + $by, doc = json_replace(doc, ${changes.join(', ')})`,
      )
      .run({ $by: by });
  database.prepare('UPDATE epochs SET floor = floor + ?').run(by);
};

const TABLE =
  'CREATE TABLE IF NOT EXISTS store_schema (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER, compatible_from INTEGER, holder TEXT, until INTEGER)';

/** Whether the database has a table of this name. */
export const hasTable = (database: DatabaseSync, name: string): boolean =>
  database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !==
  undefined;

const rowOf = (database: DatabaseSync): Readonly<Record<string, unknown>> | undefined =>
  hasTable(database, 'store_schema')
    ? database.prepare('SELECT * FROM store_schema WHERE id = 1').get()
    : undefined;

/** Within a transaction. */
const taken = (database: DatabaseSync, { holder, until }: SchemaLock, now: number): boolean => {
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
};

/** What a SQLite file knows of the form of its data. Each migration is one transaction. */
export const createSqliteSchema = ({ database, read, write }: SqliteConnection): SchemaStore => {
  const heldBy = (): unknown => rowOf(database)?.['holder'] ?? null;
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
        if (heldBy() === holder)
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
        if (heldBy() !== holder) return false;
        database
          .prepare('UPDATE store_schema SET version = ?, compatible_from = ? WHERE id = 1')
          .run(version, compatibleFrom);
        return true;
      }),
  };
};
