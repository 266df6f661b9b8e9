import { fieldOf, UnavailableError } from '@tenure/contracts';
import { BSON, type Db } from 'mongodb';
import {
  indexedFieldsOf,
  type PageQuery,
  type Projected,
  projectedFields,
  type RecordPage,
  type RecordQuery,
  type RecordShape,
  type RecordStore,
  type StoredRecord,
  type ValueCount,
} from '../ports/record-store.js';
import { toDocument, toRecord } from './documents-mongo.js';
import { guarded } from './errors-mongo.js';
import { merge } from './merge-mongo.js';
import { choosePlaces, type LastRow, placeOf, readClosed, confirmPlaces } from './places-mongo.js';
import { filterOf, type MongoDocument, parentFilterOf, pathOf, sortOf } from './query-mongo.js';
import { type Counter, COUNTERS, raiseMinEpoch, type Table } from './table-mongo.js';
import { assertFree, uniqueKeysOf } from './unique-keys-mongo.js';

// Documents of a page are fetched in batches of this size; the rest of the last batch is discarded.
const PAGE_BATCH = 64;
// Well below the 10 s within which a caller gets an answer, whatever happens: a request may need two.
const OPERATION_MS = 4500;
const MERGE_MS = 30_000;
const SWAP_TRIES = 8;

interface Reading {
  readonly projection?: Readonly<Record<string, 1>>;
  /** Place of the last record that may be read; Infinity: any. */
  readonly upTo: number;
}

/** Records in one MongoDB collection. Needs neither sessions nor transactions: every write is one compare-and-set. */
export function createMongoRecordStore<R extends StoredRecord>(
  database: Db,
  shape: RecordShape,
): RecordStore<R> {
  const records = database.collection<MongoDocument>(shape.name);
  const revive = (document: MongoDocument): R => toRecord(shape, document) as R; // only toDocument writes, from an R
  const table: Table<R> = {
    database,
    records,
    counters: database.collection<Counter>(COUNTERS),
    shape,
    revive,
    lastRead: { closed: 0 },
  };
  const within = <T>(work: Promise<T>, deadlineMs = OPERATION_MS): Promise<T> =>
    guarded(shape, work, deadlineMs);
  return {
    findBy: (field, value) => within(find(table, field, value)),
    list: (query) => within(list(table, query)),
    page: (query) => within(page(table, query)),
    countBy: (field) => within(countBy(table, field)),
    insert: (build) => within(insert(table, build)),
    swap: (record, expectedRevision) => within(swap(table, record, expectedRevision)),
    remove: (uuid, expectedRevision, minEpoch) =>
      within(remove(table, uuid, expectedRevision, minEpoch)),
    merge: (incoming, combine) => within(merge(table, incoming, combine), MERGE_MS),
  };
}

async function find<R>(table: Table<R>, field: string, value: string): Promise<R | undefined> {
  const { records, shape, revive } = table;
  if (field !== 'uuid' && !indexedFieldsOf(shape).includes(field))
    throw new Error(`${shape.name} has no index on ${field}`);
  const document = await records.findOne({ [pathOf(shape, field)]: value }, { sort: { seq: 1 } });
  return document === null ? undefined : revive(document);
}

async function list<R>(table: Table<R>, query: RecordQuery): Promise<readonly R[]> {
  if (matchesNothing(query) || query.limit === 0) return [];
  const { documents } = await readClosed(table, query, async (upTo) => {
    const found = await (await cursorOf(table, query, { upTo })).toArray();
    // A list that is not full is not continued.
    const last = found.length === query.limit ? found.at(-1) : undefined;
    return { documents: found, last };
  });
  return documents.map((document) => table.revive(document));
}

async function page<R extends StoredRecord>(
  table: Table<R>,
  query: PageQuery,
): Promise<RecordPage<R>> {
  if (matchesNothing(query)) return { rows: [], more: false };
  return (await readClosed(table, query, (upTo) => pageUpTo(table, query, upTo))).page;
}

async function countBy(
  { records, shape }: Table<unknown>,
  field: string,
): Promise<readonly ValueCount[]> {
  if (!shape.indexed.includes(field)) throw new Error(`${shape.name} has no index on ${field}`);
  const groups = await records
    .aggregate<{ readonly _id: string | null; readonly count: number }>([
      // The order of the index: the server then counts its entries, and reads no document.
      { $sort: { [field]: 1, seq: 1 } },
      { $group: { _id: `$${field}`, count: { $sum: 1 } } },
      { $sort: { _id: 1 } },
    ])
    .toArray();
  return groups.map(({ _id: value, count }) => ({ value, count }));
}

async function insert<R extends StoredRecord>(
  table: Table<R>,
  build: (epoch: number) => R,
): Promise<R> {
  for (;;) {
    const { places, minEpoch } = await choosePlaces(table, 1);
    const [seq = 0] = places; // one was wanted
    const record = build(minEpoch + 1);
    const document = toDocument(table.shape, record);
    await assertFree(table.records, table.shape, document);
    await table.records.insertOne({ ...document, seq, tentative: true });
    if ((await confirmPlaces(table, new Map([[record.uuid, seq]]))) === minEpoch) return record;
    // A concurrent removal raised the minimum epoch, perhaps for this uuid: the insert is repeated above it.
    const written = { _id: record.uuid, revision: record.revision };
    const { deletedCount } = await table.records.deleteOne(written);
    if (deletedCount === 0) return record; // another has already changed or removed it, so it was created
  }
}

async function swap(
  table: Table<unknown>,
  record: StoredRecord,
  expectedRevision: number,
): Promise<boolean> {
  const document = toDocument(table.shape, record);
  const { _id, ...fields } = document;
  const projection = Object.fromEntries(
    ['seq', 'tentative', ...uniqueKeysOf(table.shape).map(({ key }) => key)].map((name) => [
      name,
      1,
    ]),
  );
  for (let attempt = 0; attempt < SWAP_TRIES; attempt += 1) {
    const before = await table.records.findOne({ _id, revision: expectedRevision }, { projection });
    if (before === null) return false;
    await assertFree(table.records, table.shape, document, before);
    // A replacement drops what the new record lacks; of the old document only its place in the order of creation stays.
    const place = placeOf(before);
    const { matchedCount } = await table.records.replaceOne(
      { _id, revision: expectedRevision, ...place },
      { ...fields, ...place },
    );
    if (matchedCount === 1) return true;
    // Changed by another, which the next try finds, or moved to another place by its insert.
  }
  throw new UnavailableError('The record has no place yet; please retry.');
}

async function remove(
  table: Table<unknown>,
  uuid: string,
  expectedRevision: number,
  minEpoch: number,
): Promise<boolean> {
  const removed = { _id: uuid, revision: expectedRevision };
  if ((await table.records.findOne(removed, { projection: { _id: 1 } })) === null) return false;
  // Raised before the record is removed: a new record with the same uuid must start above it.
  await raiseMinEpoch(table, minEpoch);
  const { deletedCount } = await table.records.deleteOne(removed);
  return deletedCount === 1;
}

const matchesNothing = ({ anyOf, through }: RecordQuery): boolean =>
  anyOf?.length === 0 || through?.anyOf?.length === 0;

async function cursorOf(table: Table<unknown>, query: RecordQuery, { projection, upTo }: Reading) {
  const parents = await parentsOf(table, query);
  const after =
    query.after === null
      ? null
      : await table.records.findOne({ _id: query.after.uuid }, { projection: { seq: 1 } });
  return table.records
    .find(filterOf(table.shape, query, { seq: after?.seq ?? 0, parents, upTo }), {
      ...(projection && { projection }),
    })
    .sort(sortOf(table.shape, query))
    .limit(query.limit);
}

/** The uuids of the parents of records, looked up first: servers without joins support this too, by their indexes. */
async function parentsOf(
  { database, shape }: Table<unknown>,
  { through }: RecordQuery,
): Promise<readonly string[]> {
  if (through === undefined) return [];
  if (shape.parent === undefined) throw new Error(`${shape.name} hangs on nothing`);
  const { shape: parent } = shape.parent;
  const found = await database
    .collection<MongoDocument>(parent.name)
    .find(parentFilterOf(parent, through), { projection: { _id: 1 } })
    .toArray();
  return found.map(({ _id }) => _id);
}

async function pageUpTo<R extends StoredRecord>(table: Table<R>, query: PageQuery, upTo: number) {
  const { limit, bytes: maximum = Infinity } = query;
  const fields = query.fields && projectedFields(query.fields);
  const projection = fields && projectionOf(table.shape, fields);
  const cursor = await cursorOf(
    table,
    { ...query, limit: limit + 1 },
    { upTo, ...(projection && { projection }) },
  );
  const rows: Projected<R>[] = [];
  let bytes = 0;
  let last: LastRow | undefined;
  for await (const document of cursor.batchSize(PAGE_BATCH)) {
    bytes += BSON.calculateObjectSize(document);
    if (rows.length === limit || (rows.length > 0 && bytes > maximum))
      return { page: { rows, more: true }, last };
    const record = table.revive(document);
    rows.push(fields === undefined ? record : reduced(record, fields));
    last = document;
  }
  return { page: { rows, more: false }, last: undefined };
}

/** The projection for these fields. A field that queries may use is stored plainly; any other may be nested. */
function projectionOf(shape: RecordShape, fields: readonly string[]): Readonly<Record<string, 1>> {
  const plain = new Set([...indexedFieldsOf(shape), ...shape.queried, 'revision']);
  const named = fields.every((field) => plain.has(field)) ? fields : [...fields, 'nested'];
  return Object.fromEntries(
    ['_id', 'seq', 'tentative', ...named].map((field): [string, 1] => [field, 1]),
  );
}

const reduced = <R extends StoredRecord>(record: R, fields: readonly string[]): Projected<R> =>
  Object.fromEntries(
    ['uuid', ...fields]
      .filter((field) => Object.hasOwn(record, field))
      .map((field) => [field, fieldOf(record, field)]),
  ) as Projected<R>; // members of an R, its uuid among them
