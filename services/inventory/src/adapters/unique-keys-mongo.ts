import { type Collection } from 'mongodb';
import { DuplicateValueError, type RecordShape, type StoredRecord } from '../ports/record-store.js';
import { type MongoDocument, type UnplacedDocument } from './query-mongo.js';

/** A field that stands in for unique ones: there are no sparse unique indexes over nulls everywhere, so null gets a value of its own. */
export interface UniqueKey {
  readonly key: string;
  readonly fields: readonly string[];
}

/** The keys of a shape: one for every unique field, one for every group of fields that is unique as a whole. */
export const uniqueKeysOf = ({ unique, uniqueTogether = [] }: RecordShape): readonly UniqueKey[] =>
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
      const values = fields.map((field) => record[field] ?? null);
      if (values.includes(null)) return [key, vacantKey(record.uuid)];
      const [first, ...others] = values;
      const isOneText = typeof first === 'string' && others.length === 0;
      return [key, `=${isOneText ? first : JSON.stringify(values)}`];
    }),
  );

/** The key of a record that has no value. */
const vacantKey = (uuid: string): string => `!${uuid}`;

interface Handover {
  readonly _id: string;
  readonly revision: number;
  readonly keys: readonly string[];
  readonly before: Readonly<Record<string, unknown>>;
}

/** Stored records that hold a key which another record of the merge is about to get. */
const handovers = (
  shape: RecordShape,
  found: readonly MongoDocument[],
  written: readonly UnplacedDocument[],
): readonly Handover[] => {
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
};

/** What would fail half way is refused before anything is written. */
const assertDistinct = async (
  records: Collection<MongoDocument>,
  shape: RecordShape,
  written: readonly UnplacedDocument[],
): Promise<void> => {
  for (const { key, fields } of uniqueKeysOf(shape)) {
    const values = written.map((document) => document[key]);
    const others = { [key]: { $in: values }, _id: { $nin: written.map(({ _id }) => _id) } };
    if (new Set(values).size < values.length || (await records.findOne(others)) !== null)
      throw new DuplicateValueError(fields.join(', '));
  }
};

type KeyValue = (handover: Handover, key: string) => unknown;

const setKeys = async (
  records: Collection<MongoDocument>,
  rows: readonly Handover[],
  value: KeyValue,
): Promise<void> => {
  const operations = rows.map((row) => ({
    updateOne: {
      filter: { _id: row._id, revision: row.revision },
      update: { $set: Object.fromEntries(row.keys.map((key) => [key, value(row, key)])) },
    },
  }));
  await records.bulkWrite(operations, { ordered: false });
};

/**
 * The first of a merge's two phases: stored records let go of the keys that other records of the merge get, so that
 * names can be swapped. Only the keys: whoever reads meanwhile sees every value, and an instance stays where it is.
 * @returns gives the keys back to the records that were not written after all
 * @throws DuplicateValueError before anything is changed
 */
export const vacateKeys = async (
  records: Collection<MongoDocument>,
  shape: RecordShape,
  found: readonly MongoDocument[],
  written: readonly UnplacedDocument[],
): Promise<() => Promise<void>> => {
  const rows = handovers(shape, found, written);
  if (rows.length === 0) return () => Promise.resolve();
  await assertDistinct(records, shape, written);
  await setKeys(records, rows, ({ _id }) => vacantKey(_id));
  return () =>
    // best effort: what was written meanwhile under the key keeps it, and the import has to be repeated
    setKeys(records, rows, ({ before }, key) => before[key]).catch(() => undefined);
};
