import { type Filter, type Sort } from 'mongodb';
import {
  type Alternative,
  type Condition,
  indexedFieldsOf,
  type RecordQuery,
  type RecordShape,
  type Scalar,
  type Through,
} from '../ports/record-store.js';

/** A record in MongoDB: plain values as they are, everything nested as JSON text (see `record-store-mongo.ts`). */
export interface UnplacedDocument {
  readonly _id: string;
  readonly revision: number;
  readonly nested: string;
  readonly [field: string]: unknown;
}

/** With its place in the order of creation. */
export interface MongoDocument extends UnplacedDocument {
  readonly seq: number;
  /** The place may change still: the record was inserted, and is not acknowledged yet. */
  readonly tentative?: true;
}

const LETTER = /[A-Za-z]/u;
const WORD = /\w/u;

/** Values that were looked up before a query's filter is made. */
export interface Resolved {
  /** Position of the record in `query.after`. */
  readonly seq: number;
  /** Uuids of the parents that match `query.through`. */
  readonly parents: readonly string[];
  /** Place of the last record that matches; Infinity: any. */
  readonly upTo: number;
}

/** Name of a field in MongoDB. Only fields that the shape declares ever reach a query. */
export function pathOf(shape: RecordShape, field: string): string {
  if (field === 'uuid') return '_id';
  if (indexedFieldsOf(shape).includes(field) || shape.queried.includes(field)) return field;
  throw new Error(`${shape.name} cannot be queried by ${field}`);
}

/** The filter of the parents that `through` speaks of. */
export const parentFilterOf = (parent: RecordShape, through: Through): Filter<MongoDocument> =>
  conjunction(restrictionFilters(parent, through));

/** The filter of a query. */
export function filterOf(
  shape: RecordShape,
  query: RecordQuery,
  { seq, parents, upTo }: Resolved,
): Filter<MongoDocument> {
  const path = query.order.field === null ? null : pathOf(shape, query.order.field);
  const parts = restrictionFilters(shape, query);
  if (query.through !== undefined && shape.parent !== undefined)
    parts.push({ [pathOf(shape, shape.parent.field)]: { $in: [...parents] } });
  if (query.after !== null)
    parts.push(afterFilter(path, query.after.value, query.order.descending, seq));
  if (upTo !== Infinity) parts.push({ seq: { $lte: upTo } });
  return conjunction(parts);
}

export function sortOf(shape: RecordShape, { order }: RecordQuery): Sort {
  const direction = order.descending ? -1 : 1;
  return order.field === null
    ? { seq: direction }
    : { [pathOf(shape, order.field)]: direction, seq: direction };
}

const conjunction = (parts: Filter<MongoDocument>[]): Filter<MongoDocument> =>
  parts.length === 0 ? {} : { $and: parts };

const restrictionFilters = (
  shape: RecordShape,
  { anyOf, where }: Through,
): Filter<MongoDocument>[] => [
  ...where.map((condition) => conditionFilter(shape, condition)),
  ...(anyOf === null
    ? []
    : [{ $or: anyOf.map((alternative) => alternativeFilter(shape, alternative)) }]),
];

function conditionFilter(shape: RecordShape, condition: Condition): Filter<MongoDocument> {
  const path = pathOf(shape, condition.field);
  switch (condition.op) {
    case 'eq':
      return { [path]: condition.value };
    case 'in':
      return { [path]: { $in: [...condition.values] } };
    case 'null':
      return { [path]: null };
    case 'not_null':
      return { [path]: { $ne: null } };
    case 'null_or_above':
      return { $or: [{ [path]: null }, { [path]: { $gt: condition.value } }] };
    case 'at_most':
      return { [path]: { $lte: condition.value } };
    case 'contains':
      return { [path]: { $regex: patternOf(condition.value) } };
    case 'has_all':
      return condition.values.length === 0
        ? { [path]: { $type: 'array' } }
        : { [path]: { $all: [...condition.values] } };
  }
}

const alternativeFilter = (
  shape: RecordShape,
  { field, value, and = [] }: Alternative,
): Filter<MongoDocument> =>
  conjunction([
    { [pathOf(shape, field)]: value },
    ...and.map((condition) => conditionFilter(shape, condition)),
  ]);

/** A pattern of the letters of a text in either case, and of everything else as it is. Servers fold more letters. */
const patternOf = (text: string): string =>
  Array.from(text, (character) => {
    if (LETTER.test(character)) return `[${character.toLowerCase()}${character.toUpperCase()}]`;
    if (character === '\0') return '\\x00';
    return WORD.test(character) || character > '\u007f' ? character : `\\${character}`;
  }).join('');

/** The keyset condition of a page after a record. Nulls come first when ascending, as in MongoDB's order of types. */
function afterFilter(
  path: string | null,
  value: Scalar | null,
  descending: boolean,
  seq: number,
): Filter<MongoDocument> {
  const beyond = descending ? '$lt' : '$gt';
  if (path === null) return { seq: { [beyond]: seq } };
  const tie = { [path]: value, seq: { [beyond]: seq } };
  if (value === null) return descending ? tie : { $or: [{ [path]: { $ne: null } }, tie] };
  const rest = { [path]: { [beyond]: value } };
  return { $or: descending ? [rest, { [path]: null }, tie] : [rest, tie] };
}
