import { type Collection, type Db } from 'mongodb';
import { type RecordShape } from '../ports/record-store.js';
import { type MongoDocument } from './query-mongo.js';

/** The collection with the numbers of each kind of record: its minimum epoch, and its closed places. */
export const COUNTERS = 'counters';

export interface Counter {
  readonly _id: string;
  readonly value: number;
}

/** One kind of record in a MongoDB database. */
export interface Table<R> {
  readonly database: Db;
  readonly records: Collection<MongoDocument>;
  readonly counters: Collection<Counter>;
  readonly shape: RecordShape;
  readonly revive: (document: MongoDocument) => R;
  /** `closed`: the largest closed place that this process has read; the store's may be larger. */
  readonly lastRead: { closed: number };
}

interface Numbers {
  /** Largest number of a removed record. */
  readonly minEpoch: number;
  /** Places up to this one are closed: no insert that is still unacknowledged may keep one. */
  readonly closed: number;
}

export async function numbersOf({ counters, shape }: Table<unknown>): Promise<Numbers> {
  const found = await counters
    .find({ _id: { $in: [minEpochId(shape), closedId(shape)] } })
    .toArray();
  const valueOf = (id: string): number => found.find(({ _id }) => _id === id)?.value ?? 0;
  return { minEpoch: valueOf(minEpochId(shape)), closed: valueOf(closedId(shape)) };
}

/** Raises the minimum epoch to at least `value`. */
export async function raiseMinEpoch(table: Table<unknown>, value: number): Promise<void> {
  await raise(table, minEpochId(table.shape), value);
}

/**
 * Closes every place up to `place`.
 * @returns the largest closed place
 */
export const raiseClosed = (table: Table<unknown>, place: number): Promise<number> =>
  raise(table, closedId(table.shape), place);

const minEpochId = (shape: RecordShape): string => `${shape.name}.floor`;
const closedId = (shape: RecordShape): string => `${shape.name}.closed`;

async function raise({ counters }: Table<unknown>, id: string, value: number): Promise<number> {
  const after = await counters.findOneAndUpdate(
    { _id: id },
    { $max: { value } },
    { upsert: true, returnDocument: 'after' },
  );
  return after?.value ?? value;
}
