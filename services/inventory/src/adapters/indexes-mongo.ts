import { type RecordShape } from '../ports/record-store.js';
import { uniqueKeysOf } from './unique-keys-mongo.js';

/** An index of a collection: its fields in ascending order. */
export interface MongoIndex {
  readonly fields: readonly string[];
  readonly unique: boolean;
}

/**
 * The indexes that a kind of record needs, besides that on `_id`. `seq`, the order of creation, is the last field of
 * each: the rows of a page come out of the index in their order.
 */
export const indexesOf = (shape: RecordShape): readonly MongoIndex[] => [
  { fields: ['seq'], unique: false },
  ...shape.indexed.map((field) => ({ fields: [field, 'seq'], unique: false })),
  ...shape.compound.map((fields) => ({ fields: [...fields, 'seq'], unique: false })),
  ...uniqueKeysOf(shape).map(({ key }) => ({ fields: [key], unique: true })),
];
