import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError } from '@tenure/contracts';
import { BSON, type Collection, type Db, MongoBulkWriteError, MongoServerError } from 'mongodb';
import {
  DuplicateValueError,
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
import { translatedMongo } from './mongo-errors.js';
import { filterOf, type MongoDocument, parentFilterOf, pathOf, sortOf } from './query-mongo.js';
import { uniqueKeysOf, vacateKeys } from './unique-keys-mongo.js';

const DUPLICATE_KEY = 11000;
// Documents of a page are fetched in batches of this size; the rest of the last batch is discarded.
const PAGE_BATCH = 64;
const MERGE_TRIES = 8;
// Well below the 10 s within which a caller gets an answer, whatever happens: a request may need two.
const OPERATION_MS = 4500;
const MERGE_MS = 30_000;
/** The collection with the next place in the order of creation, and the floor of numbers, of each kind. */
export const COUNTERS = 'counters';

export interface Counter {
  readonly _id: string;
  readonly value: number;
}

const duplicateField = (shape: RecordShape, error: MongoServerError): string =>
  uniqueKeysOf(shape)
    .find(({ key }) => error.message.includes(key))
    ?.fields.join(', ') ?? 'uuid';

/** An error of many writes carries their documents, passwords of BMCs among them: what is left of it may be logged. */
const withoutDocuments = (error: unknown): unknown =>
  error instanceof MongoBulkWriteError
    ? new Error(`${error.name} ${String(error.code)}: ${error.message}`)
    : error;

const translate = (shape: RecordShape, thrown: unknown): unknown => {
  const error = withoutDocuments(thrown);
  if (thrown instanceof MongoServerError && thrown.code === DUPLICATE_KEY)
    return new DuplicateValueError(duplicateField(shape, thrown), { cause: error });
  return translatedMongo(thrown, error);
};

interface Table<R> {
  readonly database: Db;
  readonly records: Collection<MongoDocument>;
  readonly counters: Collection<Counter>;
  readonly shape: RecordShape;
  readonly revive: (document: MongoDocument) => R;
}

const take = async ({ counters, shape }: Table<unknown>, count: number): Promise<number> => {
  const after = await counters.findOneAndUpdate(
    { _id: `${shape.name}.seq` },
    { $inc: { value: count } },
    { upsert: true, returnDocument: 'after' },
  );
  return (after?.value ?? count) - count + 1;
};

const epochOf = async ({ counters, shape }: Table<unknown>): Promise<number> =>
  ((await counters.findOne({ _id: `${shape.name}.floor` }))?.value ?? 0) + 1;

const insert = async <R extends StoredRecord>(
  table: Table<R>,
  build: (epoch: number) => R,
): Promise<R> => {
  const seq = await take(table, 1);
  for (;;) {
    const epoch = await epochOf(table);
    const record = build(epoch);
    await table.records.insertOne({ ...toDocument(table.shape, record), seq });
    if ((await epochOf(table)) === epoch) return record;
    // A removal raised the floor meanwhile, perhaps of this very uuid: begin again above it.
    await table.records.deleteOne({ _id: record.uuid, revision: record.revision });
  }
};

const swap = async (
  table: Table<unknown>,
  record: StoredRecord,
  expectedRevision: number,
): Promise<boolean> => {
  const { _id, ...fields } = toDocument(table.shape, record);
  const written = { _id, revision: expectedRevision };
  // A replacement drops what the new record lacks; of the old document only its place in the order of creation stays,
  // which is never another's at the same revision.
  const before = await table.records.findOne(written, { projection: { seq: 1 } });
  if (before === null) return false;
  const { matchedCount } = await table.records.replaceOne(written, { ...fields, seq: before.seq });
  return matchedCount === 1;
};

const remove = async (
  table: Table<unknown>,
  uuid: string,
  expectedRevision: number,
  floor: number,
): Promise<boolean> => {
  // Before the record goes: whoever makes it again must find the raised floor.
  await table.counters.updateOne(
    { _id: `${table.shape.name}.floor` },
    { $max: { value: floor } },
    { upsert: true },
  );
  const { deletedCount } = await table.records.deleteOne({ _id: uuid, revision: expectedRevision });
  return deletedCount === 1;
};

/** The uuids of what records hang on, looked up first: servers without joins answer this too, by their indexes. */
const parentsOf = async (
  { database, shape }: Table<unknown>,
  { through }: RecordQuery,
): Promise<readonly string[]> => {
  if (through === undefined) return [];
  if (shape.parent === undefined) throw new Error(`${shape.name} hangs on nothing`);
  const { shape: parent } = shape.parent;
  const found = await database
    .collection<MongoDocument>(parent.name)
    .find(parentFilterOf(parent, through), { projection: { _id: 1 } })
    .toArray();
  return found.map(({ _id }) => _id);
};

const matchesNothing = ({ anyOf, through }: RecordQuery): boolean =>
  anyOf?.length === 0 || through?.anyOf?.length === 0;

const cursorOf = async (
  table: Table<unknown>,
  query: RecordQuery,
  projection?: Readonly<Record<string, 1>>,
) => {
  const parents = await parentsOf(table, query);
  const after =
    query.after === null
      ? null
      : await table.records.findOne({ _id: query.after.uuid }, { projection: { seq: 1 } });
  return table.records
    .find(filterOf(table.shape, query, { seq: after?.seq ?? 0, parents }), {
      ...(projection && { projection }),
    })
    .sort(sortOf(table.shape, query))
    .limit(query.limit);
};

const list = async <R>(table: Table<R>, query: RecordQuery): Promise<readonly R[]> => {
  if (matchesNothing(query)) return [];
  const documents = await (await cursorOf(table, query)).toArray();
  return documents.map((document) => table.revive(document));
};

/** The projection for these fields. A field that queries may use is stored plainly; any other may be nested. */
const projectionOf = (
  shape: RecordShape,
  fields: readonly string[],
): Readonly<Record<string, 1>> => {
  const plain = new Set([...indexedFieldsOf(shape), ...shape.queried, 'revision']);
  const named = fields.every((field) => plain.has(field)) ? fields : [...fields, 'nested'];
  return Object.fromEntries(['_id', ...named].map((field): [string, 1] => [field, 1]));
};

const reduced = <R extends StoredRecord>(record: R, fields: readonly string[]): Projected<R> =>
  Object.fromEntries(
    ['uuid', ...fields]
      .filter((field) => Object.hasOwn(record, field))
      .map((field) => [field, record[field]]),
  ) as Projected<R>; // members of an R, its uuid among them

const page = async <R extends StoredRecord>(
  table: Table<R>,
  query: PageQuery,
): Promise<RecordPage<R>> => {
  const { limit, bytes: maximum = Infinity } = query;
  if (matchesNothing(query)) return { rows: [], more: false };
  const fields = query.fields && projectedFields(query.fields);
  const projection = fields && projectionOf(table.shape, fields);
  const cursor = await cursorOf(table, { ...query, limit: limit + 1 }, projection);
  const rows: Projected<R>[] = [];
  let bytes = 0;
  for await (const document of cursor.batchSize(PAGE_BATCH)) {
    bytes += BSON.calculateObjectSize(document);
    if (rows.length === limit || (rows.length > 0 && bytes > maximum)) return { rows, more: true };
    const record = table.revive(document);
    rows.push(fields === undefined ? record : reduced(record, fields));
  }
  return { rows, more: false };
};

const countBy = async (
  { records, shape }: Table<unknown>,
  field: string,
): Promise<readonly ValueCount[]> => {
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
};

type Combine<R> = (existing: R | undefined, incoming: R, epoch: number) => R;

const mergeOnce = async <R extends StoredRecord>(
  table: Table<R>,
  incoming: readonly R[],
  combine: Combine<R>,
): Promise<boolean> => {
  const found = await table.records
    .find({ _id: { $in: incoming.map(({ uuid }) => uuid) } })
    .toArray();
  const existing = new Map(found.map((document) => [document._id, table.revive(document)]));
  const places = new Map(found.map((document) => [document._id, document.seq]));
  const epoch = await epochOf(table);
  let seq = await take(table, Math.max(1, incoming.length - existing.size));
  const documents = incoming.map((record) =>
    toDocument(table.shape, combine(existing.get(record.uuid), record, epoch)),
  );
  const operations = documents.map(({ _id, ...fields }) => {
    const before = existing.get(_id);
    const place = places.get(_id);
    if (before === undefined || place === undefined)
      return { insertOne: { document: { _id, ...fields, seq: seq++ } } };
    const filter = { _id, revision: before.revision };
    return { replaceOne: { filter, replacement: { ...fields, seq: place } } };
  });
  const undo = await vacateKeys(table.records, table.shape, found, documents);
  let written = 0;
  try {
    const { insertedCount, matchedCount } = await table.records.bulkWrite(operations, {
      ordered: true,
    });
    written = insertedCount + matchedCount;
  } finally {
    if (written < incoming.length) await undo();
  }
  return written === incoming.length;
};

const merge = async <R extends StoredRecord>(
  table: Table<R>,
  incoming: readonly R[],
  combine: Combine<R>,
): Promise<void> => {
  if (incoming.length === 0) return;
  for (let attempt = 0; attempt < MERGE_TRIES; attempt += 1) {
    try {
      if (await mergeOnce(table, incoming, combine)) return;
    } catch (error) {
      const translated = translate(table.shape, error);
      // The same uuid appeared between reading and writing: the next try replaces it.
      if (!(translated instanceof DuplicateValueError) || translated.field !== 'uuid')
        throw translated;
    }
  }
  throw new UnavailableError('The records are being changed by many others; please retry.');
};

/** Records in one MongoDB collection. Needs neither sessions nor transactions: every write is one compare-and-set. */
export const createMongoRecordStore = <R extends StoredRecord>(
  database: Db,
  shape: RecordShape,
): RecordStore<R> => {
  const records = database.collection<MongoDocument>(shape.name);
  const revive = (document: MongoDocument): R => toRecord(shape, document) as R; // only toDocument writes, from an R
  const counters = database.collection<Counter>(COUNTERS);
  const table: Table<R> = { database, records, counters, shape, revive };
  const guarded = async <T>(work: Promise<T>, deadlineMs = OPERATION_MS): Promise<T> => {
    const late = new AbortController();
    const deadline = sleep(deadlineMs, undefined, { signal: late.signal, ref: false }).then(() => {
      throw new UnavailableError('The store did not answer in time.');
    });
    try {
      return await Promise.race([work, deadline]);
    } catch (error) {
      throw translate(shape, error);
    } finally {
      deadline.catch(() => undefined); // aborted below, which nobody awaits any more
      late.abort();
    }
  };
  return {
    findBy: async (field, value) => {
      const document = await guarded(records.findOne({ [pathOf(shape, field)]: value }));
      return document === null ? undefined : table.revive(document);
    },
    list: (query) => guarded(list(table, query)),
    page: (query) => guarded(page(table, query)),
    countBy: (field) => guarded(countBy(table, field)),
    insert: (build) => guarded(insert(table, build)),
    swap: (record, expectedRevision) => guarded(swap(table, record, expectedRevision)),
    remove: (uuid, expectedRevision, floor) =>
      guarded(remove(table, uuid, expectedRevision, floor)),
    merge: (incoming, combine) => guarded(merge(table, incoming, combine), MERGE_MS),
  };
};
