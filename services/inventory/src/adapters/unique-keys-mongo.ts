import { fieldOf } from '@tenure/contracts';
import { type Collection, type Filter } from 'mongodb';
import { DuplicateValueError, type RecordShape, type StoredRecord } from '../ports/record-store.js';
import { type MongoDocument, type UnplacedDocument } from './query-mongo.js';

/**
 * A field with a value for unique ones: not every server has sparse unique indexes over nulls, so null gets a value of
 * its own.
 */
export interface UniqueKey {
  readonly key: string;
  readonly fields: readonly string[];
}

interface Handover {
  readonly _id: string;
  readonly revision: number;
  readonly keys: readonly string[];
  readonly before: Readonly<Record<string, unknown>>;
}

type KeyValue = (handover: Handover, key: string) => unknown;

/** The keys of a shape: one for every unique field, one for every group of fields that is unique as a whole. */
export const uniqueKeysOf = ({ unique, uniqueTogether }: RecordShape): readonly UniqueKey[] =>
  [...unique.map((field) => [field]), ...uniqueTogether].map((fields) => ({
    key: `unique_${fields.join('_')}`,
    fields,
  }));

/** The keys' values in a record. */
export const keyValuesOf = (
  shape: RecordShape,
  record: StoredRecord,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    uniqueKeysOf(shape).map(({ key, fields }) => {
      const values = fields.map((field) => fieldOf(record, field) ?? null);
      if (values.includes(null)) return [key, vacantKey(record.uuid)];
      const [first, ...others] = values;
      const isOneText = typeof first === 'string' && others.length === 0;
      return [key, `=${isOneText ? first : JSON.stringify(values)}`];
    }),
  );

/**
 * Refuses values of unique fields that other records have, or several of the records, before anything is written.
 * @throws DuplicateValueError
 */
export async function assertDistinct(
  records: Collection<MongoDocument>,
  shape: RecordShape,
  written: readonly UnplacedDocument[],
): Promise<void> {
  const others = { _id: { $nin: written.map(({ _id }) => _id) } };
  for (const unique of uniqueKeysOf(shape)) {
    const holders = written.filter((document) => hasKey(document, unique));
    const isTwice = new Set(holders.map(({ [unique.key]: key }) => key)).size < holders.length;
    const filter = { $and: [valuesIn(holders, unique), others] };
    const isTaken = async () =>
      (await records.findOne(filter, { projection: { _id: 1 } })) !== null;
    if (isTwice || (holders.length > 0 && (await isTaken())))
      throw new DuplicateValueError(unique.fields.join(', '));
  }
}

/**
 * Refuses new values of a record's unique fields that another record has. The unique index refuses them too, except for
 * those of a merge that died between its phases.
 * @param before keys that the record has now; undefined: it is new
 * @throws DuplicateValueError
 */
export async function assertFree(
  records: Collection<MongoDocument>,
  shape: RecordShape,
  document: UnplacedDocument,
  before?: Readonly<Record<string, unknown>>,
): Promise<void> {
  const gained = uniqueKeysOf(shape).filter(
    (unique) => hasKey(document, unique) && before?.[unique.key] !== document[unique.key],
  );
  const taken = await Promise.all(
    gained.map((unique) =>
      records.findOne(
        { $and: [valuesIn([document], unique), { _id: { $ne: document._id } }] },
        { projection: { _id: 1 } },
      ),
    ),
  );
  const first = gained.find((_, index) => taken[index] !== null);
  if (first !== undefined) throw new DuplicateValueError(first.fields.join(', '));
}

/**
 * The first of a merge's two phases: removes from stored records the keys that other records of the merge get, so that
 * names can be swapped. Only the keys: a concurrent reader sees every value, and an instance stays where it is. A merge
 * that dies between its phases leaves records without their keys; `assertFree` protects their values, and the next
 * write of such a record restores its keys.
 * @returns restores the keys of the records that were not written after all
 */
export async function vacateKeys(
  records: Collection<MongoDocument>,
  shape: RecordShape,
  found: readonly MongoDocument[],
  written: readonly UnplacedDocument[],
): Promise<() => Promise<void>> {
  const rows = handovers(shape, found, written);
  if (rows.length === 0) return () => Promise.resolve();
  await setKeys(records, rows, ({ _id }) => vacantKey(_id));
  return () =>
    // best effort: what was written meanwhile under the key keeps it, and the import has to be repeated
    setKeys(records, rows, ({ before }, key) => before[key]).catch(() => undefined);
}

/** The key of a record that has no value. */
const vacantKey = (uuid: string): string => `!${uuid}`;

/** Whether a record has values for all fields of a key. */
const hasKey = (document: UnplacedDocument, { key }: UniqueKey): boolean =>
  document[key] !== vacantKey(document._id);

/** Finds a key's values by the fields themselves: a merge that died between its phases has left them without the key. */
function valuesIn(
  documents: readonly UnplacedDocument[],
  { fields }: UniqueKey,
): Filter<MongoDocument> {
  const [first, ...others] = fields;
  return first !== undefined && others.length === 0
    ? { [first]: { $in: documents.map((document) => document[first]) } }
    : {
        $or: documents.map((document) =>
          Object.fromEntries(fields.map((field) => [field, document[field]])),
        ),
      };
}

/** Stored records that hold a key which another record of the merge is about to get. */
function handovers(
  shape: RecordShape,
  found: readonly MongoDocument[],
  written: readonly UnplacedDocument[],
): readonly Handover[] {
  const takers = uniqueKeysOf(shape).map(({ key }) => ({
    key,
    by: new Map(written.map((document) => [document[key], document._id])),
  }));
  return found.flatMap((before) => {
    const keys = takers
      .filter(({ key, by }) => (by.get(before[key]) ?? before._id) !== before._id)
      .map(({ key }) => key);
    return keys.length === 0 ? [] : [{ _id: before._id, revision: before.revision, keys, before }];
  });
}

async function setKeys(
  records: Collection<MongoDocument>,
  rows: readonly Handover[],
  value: KeyValue,
): Promise<void> {
  const operations = rows.map((row) => ({
    updateOne: {
      filter: { _id: row._id, revision: row.revision },
      update: { $set: Object.fromEntries(row.keys.map((key) => [key, value(row, key)])) },
    },
  }));
  await records.bulkWrite(operations, { ordered: false });
}
