import { UnavailableError } from '@tenure/contracts';
import { assertOnce, DuplicateValueError, type StoredRecord } from '../ports/record-store.js';
import { toDocument } from './documents-mongo.js';
import { translate } from './errors-mongo.js';
import { choosePlaces, settle } from './places-mongo.js';
import { type Table } from './table-mongo.js';
import { assertDistinct, vacateKeys } from './unique-keys-mongo.js';

const MERGE_TRIES = 8;

type Combine<R> = (existing: R | undefined, incoming: R, epoch: number) => R;

interface Merge<R> {
  readonly incoming: readonly R[];
  readonly combine: Combine<R>;
  /** Places of the records that this merge has tried to insert. */
  readonly placed: Map<string, number>;
}

const mergeOnce = async <R extends StoredRecord>(
  table: Table<R>,
  { incoming, combine, placed }: Merge<R>,
): Promise<boolean> => {
  const found = await table.records
    .find({ _id: { $in: incoming.map(({ uuid }) => uuid) } })
    .toArray();
  const existing = new Map(found.map((document) => [document._id, document]));
  const { places, floor } = await choosePlaces(table, incoming.length - existing.size);
  const documents = incoming.map((record) => {
    const before = existing.get(record.uuid);
    const revived = before && table.revive(before);
    return toDocument(table.shape, combine(revived, record, floor + 1));
  });
  await assertDistinct(table.records, table.shape, documents);
  const free = places.values();
  const operations = documents.map(({ _id, ...fields }) => {
    const before = existing.get(_id);
    if (before !== undefined) {
      const { revision, seq } = before;
      return {
        replaceOne: { filter: { _id, revision, seq }, replacement: { ...fields, seq } },
      };
    }
    const seq = free.next().value ?? 0; // one for each record that is new
    placed.set(_id, seq);
    return { insertOne: { document: { _id, ...fields, seq } } };
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

/** `RecordStore.merge`. */
export const merge = async <R extends StoredRecord>(
  table: Table<R>,
  incoming: readonly R[],
  combine: Combine<R>,
): Promise<void> => {
  if (incoming.length === 0) return;
  assertOnce(incoming);
  const placed = new Map<string, number>();
  for (let attempt = 0; attempt < MERGE_TRIES; attempt += 1) {
    try {
      if (await mergeOnce(table, { incoming, combine, placed })) {
        if (placed.size > 0) await settle(table, placed);
        return;
      }
    } catch (error) {
      const translated = translate(table.shape, error);
      // The same uuid appeared between reading and writing: the next try replaces it.
      if (!(translated instanceof DuplicateValueError) || translated.field !== 'uuid')
        throw translated;
    }
  }
  throw new UnavailableError('The records are being changed by many others; please retry.');
};
