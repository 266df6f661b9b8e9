import { UnavailableError } from '@tenure/contracts';
import { type Collection, MongoBulkWriteError } from 'mongodb';
import { assertOnce, DuplicateValueError, type StoredRecord } from '../ports/record-store.js';
import { toDocument } from './documents-mongo.js';
import { translate } from './errors-mongo.js';
import { choosePlaces, placeOf, confirmPlaces } from './places-mongo.js';
import { type MongoDocument } from './query-mongo.js';
import { type Table } from './table-mongo.js';
import { assertDistinct, vacateKeys } from './unique-keys-mongo.js';

const MERGE_TRIES = 8;

type Combine<R> = (existing: R | undefined, incoming: R, epoch: number) => R;

/** A document to be written, and the one that it takes the place of. */
interface Replacement {
  readonly document: MongoDocument;
  readonly before: MongoDocument;
}

interface Attempt<R> {
  readonly incoming: readonly R[];
  readonly combine: Combine<R>;
  /** Places of the records that this merge has tried to insert. */
  readonly placed: Map<string, number>;
}

/** `RecordStore.merge`. */
export async function merge<R extends StoredRecord>(
  table: Table<R>,
  incoming: readonly R[],
  combine: Combine<R>,
): Promise<void> {
  assertOnce(incoming);
  const placed = new Map<string, number>();
  let left = incoming;
  for (let attempt = 0; left.length > 0; attempt += 1) {
    if (attempt === MERGE_TRIES)
      throw new UnavailableError('The records are being changed by many others; please retry.');
    left = await mergeOnce(table, { incoming: left, combine, placed });
  }
  if (placed.size > 0) await confirmPlaces(table, placed);
}

/** @returns the records that another process was faster with */
async function mergeOnce<R extends StoredRecord>(
  table: Table<R>,
  { incoming, combine, placed }: Attempt<R>,
): Promise<readonly R[]> {
  const uuids = incoming.map(({ uuid }) => uuid);
  const found = await table.records.find({ _id: { $in: uuids } }).toArray();
  const existing = new Map(found.map((document) => [document._id, document]));
  const { places, minEpoch } = await choosePlaces(table, incoming.length - existing.size);
  const free = places.values();
  const documents = incoming.map((record): MongoDocument => {
    const before = existing.get(record.uuid);
    const combined = combine(before && table.revive(before), record, minEpoch + 1);
    const place = before ?? { seq: free.next().value ?? 0, tentative: true }; // one for each record that is new
    return { ...toDocument(table.shape, combined), ...placeOf(place) };
  });
  await assertDistinct(table.records, table.shape, documents);
  const fresh = documents.filter(({ _id }) => !existing.has(_id));
  for (const { _id, seq } of fresh) placed.set(_id, seq);
  const replacements = documents.flatMap((document) => {
    const before = existing.get(document._id);
    return before === undefined ? [] : [{ document, before }];
  });
  const undo = await vacateKeys(table.records, table.shape, found, documents);
  let written: ReadonlySet<string> = new Set();
  try {
    written = await writeAll(table, fresh, replacements);
  } finally {
    if (written.size < incoming.length) await undo();
  }
  return incoming.filter(({ uuid }) => !written.has(uuid));
}

/** @returns uuids of what was written */
async function writeAll(
  table: Table<unknown>,
  fresh: readonly MongoDocument[],
  replacements: readonly Replacement[],
): Promise<ReadonlySet<string>> {
  // All of them end before this one does: none is written after the caller has heard of another's failure.
  const [inserts, ...replaced] = await Promise.allSettled([
    insertAll(table, fresh),
    ...replacements.map((one) => replaceOne(table.records, one)),
  ]);
  const [refused = new Set()] = fulfilled([inserts]);
  const isWritten = fulfilled(replaced);
  return new Set([
    ...fresh.filter((_, index) => !refused.has(index)).map(({ _id }) => _id),
    ...replacements.filter((_, index) => isWritten[index]).map(({ document }) => document._id),
  ]);
}

/** @returns the position of each document that was not inserted, because its uuid was there */
async function insertAll(
  table: Table<unknown>,
  documents: readonly MongoDocument[],
): Promise<ReadonlySet<number>> {
  if (documents.length === 0) return new Set();
  try {
    await table.records.insertMany([...documents], { ordered: false });
    return new Set();
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const translated = translate(table.shape, error);
    if (!(translated instanceof DuplicateValueError) || translated.field !== 'uuid') throw error;
    return new Set([error.writeErrors].flat().map(({ index }) => index));
  }
}

/**
 * One command each: of many in one, the server does not say which were written, and none may be combined twice. They run
 * side by side, so that a chunk waits for a few acknowledgements and not for one each.
 */
async function replaceOne(
  records: Collection<MongoDocument>,
  { document, before }: Replacement,
): Promise<boolean> {
  const { _id, ...fields } = document;
  const { revision } = before;
  const { matchedCount } = await records.replaceOne({ _id, revision, ...placeOf(before) }, fields);
  return matchedCount === 1;
}

const fulfilled = <T>(results: readonly PromiseSettledResult<T>[]): readonly T[] =>
  results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
