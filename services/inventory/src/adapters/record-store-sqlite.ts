import { type DatabaseSync, type StatementSync } from 'node:sqlite';
import { fieldOf } from '@tenure/contracts';
import {
  assertOnce,
  DuplicateValueError,
  indexedFieldsOf,
  type PageQuery,
  projectedFields,
  type RecordPage,
  type RecordQuery,
  type RecordShape,
  type RecordStore,
  storedJson,
  type StoredRecord,
  type ValueCount,
} from '../ports/record-store.js';
import { rowSql, selectSql, seqSql, type SqlValue } from './query-sqlite.js';
import { atomically, atOneMoment, type SqliteConnection } from './sqlite-connection.js';
import { constraintIn } from './sqlite-errors.js';

const MAX_STATEMENTS = 256;

const UNIQUE_FAILED = /UNIQUE constraint failed: (.*)$/u;

interface Table<R> {
  readonly database: DatabaseSync;
  readonly shape: RecordShape;
  readonly statement: (sql: string) => StatementSync;
  readonly revive: (doc: string) => R;
}

export const numberIn = (row: unknown, column: string): number =>
  Number((row as Record<string, unknown> | undefined)?.[column] ?? 0); // our own integer columns

/** Records in one SQLite table that is there: the document as JSON, and generated columns for what is looked up. */
export function createSqliteRecordStore<R extends StoredRecord>(
  { database, read, write: change }: SqliteConnection,
  shape: RecordShape,
): RecordStore<R> {
  const statements = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    const cached = statements.get(sql);
    if (cached !== undefined) return cached;
    if (statements.size >= MAX_STATEMENTS) statements.clear(); // shapes of queries are many, but not without bound
    const fresh = database.prepare(sql);
    statements.set(sql, fresh);
    return fresh;
  };
  const revive = (doc: string): R => JSON.parse(doc) as R; // only `write` fills doc, with an R
  const table: Table<R> = { database, shape, statement, revive };
  return {
    findBy: (field, value) => read(() => find(table, field, value)),
    list: (query) => read(() => list(table, query)),
    page: (query) => read(() => atOneMoment(database, () => page(table, query))),
    countBy: (field) => read(() => countBy(table, field)),
    insert: (build) =>
      change(() => {
        const record = build(epochOf(table));
        write(table, record, undefined);
        return record;
      }),
    swap: (record, expectedRevision) => change(() => write(table, record, expectedRevision)),
    remove: (uuid, expectedRevision, minEpoch) =>
      change(() => remove(table, uuid, expectedRevision, minEpoch)),
    merge: (incoming, combine) =>
      change(() => {
        merge(table, incoming, combine);
      }),
  };
}

function write(
  { statement, shape }: Table<unknown>,
  record: StoredRecord,
  expected: number | undefined,
): boolean {
  const doc = storedJson(record);
  try {
    if (expected === undefined) {
      statement(`INSERT INTO "${shape.name}" (uuid, revision, doc) VALUES (?, ?, ?)`).run(
        record.uuid,
        record.revision,
        doc,
      );
      return true;
    }
    const values: SqlValue[] = [record.revision, doc, record.uuid, expected];
    return (
      statement(
        `UPDATE "${shape.name}" SET revision = ?, doc = ? WHERE uuid = ? AND revision = ?`,
      ).run(...values).changes === 1
    );
  } catch (error) {
    throw translate(shape, error);
  }
}

function find<R>(table: Table<R>, field: string, value: string): R | undefined {
  const { statement, shape } = table;
  if (field !== 'uuid' && !indexedFieldsOf(shape).includes(field))
    throw new Error(`${shape.name} has no index on ${field}`);
  return recordIn(
    table,
    statement(`SELECT doc FROM "${shape.name}" WHERE "${field}" = ? ORDER BY seq LIMIT 1`).get(
      value,
    ),
  );
}

function list<R>(table: Table<R>, query: RecordQuery): readonly R[] {
  if (matchesNothing(query)) return [];
  const { sql, values } = selectSql(table.shape, query, positionOf(table, query));
  return table
    .statement(sql)
    .all(...values)
    .flatMap((row) => recordIn(table, row) ?? []);
}

function page<R extends StoredRecord>(table: Table<R>, query: PageQuery): RecordPage<R> {
  const { fields, limit, bytes: maximum = Infinity } = query;
  if (matchesNothing(query)) return { rows: [], more: false };
  const { sql, values } = seqSql(
    table.shape,
    { ...query, limit: limit + 1 },
    positionOf(table, query),
  );
  const found = table.statement(sql).all(...values);
  const read = table.statement(
    rowSql(table.shape, fields === undefined ? undefined : projectedFields(fields)),
  );
  const rows: R[] = [];
  let bytes = 0;
  for (const place of found.slice(0, limit)) {
    const row = read.get(numberIn(place, 'seq'));
    if (!isRow(row)) continue;
    bytes += Buffer.byteLength(row.doc);
    if (rows.length > 0 && bytes > maximum) return { rows, more: true };
    rows.push(table.revive(row.doc));
  }
  return { rows, more: found.length > limit };
}

function countBy({ statement, shape }: Table<unknown>, field: string): readonly ValueCount[] {
  if (!shape.indexed.includes(field)) throw new Error(`${shape.name} has no index on ${field}`);
  return statement(
    `SELECT "${field}" AS value, count(*) AS count FROM "${shape.name}" GROUP BY "${field}" ORDER BY "${field}"`,
  )
    .all()
    .map((row) => ({
      value: typeof row['value'] === 'string' ? row['value'] : null,
      count: numberIn(row, 'count'),
    }));
}

const epochOf = ({ statement, shape }: Table<unknown>): number =>
  numberIn(statement('SELECT floor FROM epochs WHERE name = ?').get(shape.name), 'floor') + 1;

const remove = (table: Table<unknown>, uuid: string, expected: number, minEpoch: number): boolean =>
  atomically(table.database, () => {
    const { changes } = table
      .statement(`DELETE FROM "${table.shape.name}" WHERE uuid = ? AND revision = ?`)
      .run(uuid, expected);
    if (changes !== 1) return false;
    table
      .statement('UPDATE epochs SET floor = max(floor, ?) WHERE name = ?')
      .run(minEpoch, table.shape.name);
    return true;
  });

function merge<R extends StoredRecord>(
  table: Table<R>,
  incoming: readonly R[],
  combine: (existing: R | undefined, incoming: R, epoch: number) => R,
): void {
  assertOnce(incoming);
  atomically(table.database, () => {
    const epoch = epochOf(table);
    const pairs = incoming.map((record) => {
      const existing = find(table, 'uuid', record.uuid);
      return { existing, combined: combine(existing, record, epoch) };
    });
    for (const { existing, combined } of pairs)
      if (existing !== undefined) vacate(table, existing, combined);
    for (const { existing, combined } of pairs) write(table, combined, existing?.revision);
  });
}

function translate(shape: RecordShape, error: unknown): unknown {
  const violated = constraintIn(error);
  if (violated === undefined) return error;
  const columns = UNIQUE_FAILED.exec(violated)?.[1] ?? '';
  const fields = columns.split(', ').map((column) => column.slice(column.indexOf('.') + 1));
  const isIndexed = fields.every((field) => indexedFieldsOf(shape).includes(field));
  return new DuplicateValueError(isIndexed ? fields.join(', ') : 'uuid', { cause: error });
}

const recordIn = <R>({ revive }: Table<R>, row: unknown): R | undefined =>
  isRow(row) ? revive(row.doc) : undefined;

const isRow = (row: unknown): row is { readonly doc: string } =>
  typeof row === 'object' && row !== null && 'doc' in row && typeof row.doc === 'string';

const matchesNothing = ({ anyOf, through }: RecordQuery): boolean =>
  anyOf?.length === 0 || through?.anyOf?.length === 0;

/** Position of the record before the page. */
const positionOf = ({ statement, shape }: Table<unknown>, { after }: RecordQuery): number =>
  after === null
    ? 0
    : numberIn(statement(`SELECT seq FROM "${shape.name}" WHERE uuid = ?`).get(after.uuid), 'seq');

/** Frees the unique values that a merge takes from a record, for another record of the same merge. */
function vacate(
  { statement, shape }: Table<unknown>,
  existing: StoredRecord,
  combined: StoredRecord,
): void {
  const given = [...shape.unique, ...shape.uniqueTogether.flat()].filter(
    (field) =>
      (fieldOf(existing, field) ?? null) !== null &&
      fieldOf(existing, field) !== fieldOf(combined, field),
  );
  if (given.length === 0) return;
  const paths = given.map((field) => `'$.${field}'`).join(', ');
  statement(`UPDATE "${shape.name}" SET doc = json_remove(doc, ${paths}) WHERE uuid = ?`).run(
    existing.uuid,
  );
}
