import { type RecordShape, type StoredRecord } from '../ports/record-store.js';
import { type MongoDocument, type UnplacedDocument } from './query-mongo.js';
import { keyValuesOf, uniqueKeysOf } from './unique-keys-mongo.js';

const isPlain = (value: unknown): boolean =>
  value === null ||
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((item) => typeof item === 'string'));

/**
 * Converts a record to a document. Nested values are stored as JSON text, because clients choose their member names (dots,
 * dollars) and no query uses them.
 */
export const toDocument = (shape: RecordShape, record: StoredRecord): UnplacedDocument => {
  const { uuid, revision, ...fields } = record;
  const entries = Object.entries(fields);
  return {
    ...Object.fromEntries(entries.filter(([, value]) => isPlain(value))),
    ...keyValuesOf(shape, record),
    _id: uuid,
    revision,
    nested: JSON.stringify(Object.fromEntries(entries.filter(([, value]) => !isPlain(value)))),
  };
};

/** Converts a document, or the projected part of one, to a record. */
export const toRecord = (shape: RecordShape, document: MongoDocument): unknown => {
  const { _id, nested = '{}', ...fields } = document as Partial<MongoDocument>;
  const own = new Set(['seq', ...uniqueKeysOf(shape).map(({ key }) => key)]);
  const plain = Object.entries(fields).filter(([name]) => !own.has(name));
  return { uuid: _id, ...Object.fromEntries(plain), ...(JSON.parse(nested) as object) };
};
