import { type Filter, type Sort } from 'mongodb';
import {
  type Condition,
  type RecordQuery,
  type RecordShape,
  type Scalar,
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
}

/** Name of a field in MongoDB. Only fields that the shape declares ever reach a query. */
export const pathOf = (shape: RecordShape, field: string): string => {
  if (field === 'uuid') return '_id';
  if (shape.indexed.includes(field) || shape.queried.includes(field)) return field;
  throw new Error(`${shape.name} cannot be queried by ${field}`);
};

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/gu, '\\$&');

const conditionFilter = (shape: RecordShape, condition: Condition): Filter<MongoDocument> => {
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
    case 'contains':
      return { [path]: { $regex: escaped(condition.value), $options: 'i' } };
    case 'has_all':
      return { [path]: { $all: [...condition.values] } };
  }
};

/** The keyset condition of a page after a record. Nulls come first when ascending, as in MongoDB's order of types. */
const afterFilter = (
  path: string | null,
  value: Scalar | null,
  descending: boolean,
  seq: number,
): Filter<MongoDocument> => {
  const beyond = descending ? '$lt' : '$gt';
  if (path === null) return { seq: { [beyond]: seq } };
  const tie = { [path]: value, seq: { [beyond]: seq } };
  if (value === null) return descending ? tie : { $or: [{ [path]: { $ne: null } }, tie] };
  const rest = { [path]: { [beyond]: value } };
  return { $or: descending ? [rest, { [path]: null }, tie] : [rest, tie] };
};

/**
 * The filter of a query.
 * @param seq position of the record in `query.after`
 */
export const filterOf = (
  shape: RecordShape,
  query: RecordQuery,
  seq: number,
): Filter<MongoDocument> => {
  const path = query.order.field === null ? null : pathOf(shape, query.order.field);
  const parts: Filter<MongoDocument>[] = query.where.map((condition) =>
    conditionFilter(shape, condition),
  );
  if (query.anyOf !== null)
    parts.push({ $or: query.anyOf.map(({ field, value }) => ({ [pathOf(shape, field)]: value })) });
  if (query.after !== null)
    parts.push(afterFilter(path, query.after.value, query.order.descending, seq));
  return parts.length === 0 ? {} : { $and: parts };
};

export const sortOf = (shape: RecordShape, { order }: RecordQuery): Sort => {
  const direction = order.descending ? -1 : 1;
  return order.field === null
    ? { seq: direction }
    : { [pathOf(shape, order.field)]: direction, seq: direction };
};
