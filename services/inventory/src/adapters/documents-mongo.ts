import { type RecordShape, storedJson, type StoredRecord } from '../ports/record-store.js';
import { type MongoDocument, type UnplacedDocument } from './query-mongo.js';
import { keyValuesOf, uniqueKeysOf } from './unique-keys-mongo.js';

const FIELD_NAME = /^[a-z][a-z0-9_]*$/u;

/**
 * Converts a record to a document. Nested values are stored as JSON text, because clients choose their member names (dots,
 * dollars) and no query uses them.
 */
export function toDocument(shape: RecordShape, record: StoredRecord): UnplacedDocument {
  const { uuid, revision, ...fields } = record;
  const own = ownNames(shape);
  const isKept = ([name, value]: [string, unknown]): boolean =>
    isPlain(value) && FIELD_NAME.test(name) && !own.has(name);
  const entries = Object.entries(fields);
  const plain = Object.fromEntries(
    entries.filter(isKept).map(([name, value]) => [name, plainOf(value)]),
  );
  return {
    ...plain,
    ...keyValuesOf(shape, { ...plain, uuid, revision }),
    _id: uuid,
    revision,
    nested: storedJson(Object.fromEntries(entries.filter((entry) => !isKept(entry)))),
  };
}

/** Converts a document, or the projected part of one, to a record. */
export function toRecord(shape: RecordShape, document: MongoDocument): unknown {
  const { _id, nested = '{}', ...fields } = document as Partial<MongoDocument>;
  const own = ownNames(shape);
  const plain = Object.entries(fields).filter(([name]) => !own.has(name));
  return { uuid: _id, ...Object.fromEntries(plain), ...(JSON.parse(nested) as object) };
}

/** Names that a document has beside its record's fields. */
const ownNames = (shape: RecordShape): ReadonlySet<string> =>
  new Set(['seq', 'tentative', 'nested', ...uniqueKeysOf(shape).map(({ key }) => key)]);

const isPlain = (value: unknown): boolean =>
  value === null ||
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((item) => typeof item === 'string'));

/** As BSON holds it, which has no halves of surrogate pairs. */
function plainOf(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  return Array.isArray(value) ? value.map(plainOf) : value;
}
