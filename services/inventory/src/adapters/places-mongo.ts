import { randomInt } from 'node:crypto';
import { UnavailableError } from '@tenure/contracts';
import { type RecordQuery } from '../ports/record-store.js';
import { numbersOf, raiseClosed, type Table } from './table-mongo.js';

// Above every number that the counter of earlier releases has handed out.
const FIRST = 2 ** 40;
// Inserts that read the same top at once choose different places, nearly always; the rest is found by `settle`. Of the
// 2^53 exact integers this leaves 2^38 inserts one after the other.
const STEP = 2 ** 16;
const TRIES = 32;

/** By uuid, the place of each record that was inserted and is not acknowledged yet. */
export type Placed = ReadonlyMap<string, number>;

const topOf = async ({ records }: Table<unknown>): Promise<number> => {
  const [last] = await records
    .find({}, { projection: { _id: 0, seq: 1 } })
    .sort({ seq: -1 })
    .limit(1)
    .toArray();
  return last?.seq ?? 0;
};

/**
 * Chooses places for records that are about to be inserted, in this order, above every record that can be read. Nothing
 * is reserved: `settle` has to be called after the insert.
 * @returns the places, and the floor as it is now
 */
export const choosePlaces = async (
  table: Table<unknown>,
  count: number,
): Promise<{ readonly places: readonly number[]; readonly floor: number }> => {
  const [top, { floor, closed }] = await Promise.all([topOf(table), numbersOf(table)]);
  let last = Math.max(FIRST, top, closed);
  const places = Array.from({ length: count }, () => (last += randomInt(1, STEP)));
  return { places, floor };
};

const isShared = async ({ records }: Table<unknown>, placed: Placed): Promise<boolean> =>
  (await records.findOne(
    { seq: { $in: [...placed.values()] }, _id: { $nin: [...placed.keys()] } },
    { projection: { _id: 1 } },
  )) !== null;

const move = async (table: Table<unknown>, placed: Placed): Promise<Placed> => {
  const { places } = await choosePlaces(table, placed.size);
  const moves = [...placed].map(([_id, seq], index) => ({ _id, seq, to: places[index] ?? seq }));
  await table.records.bulkWrite(
    moves.map(({ _id, seq, to }) => ({
      updateOne: { filter: { _id, seq }, update: { $set: { seq: to } } },
    })),
  );
  return new Map(moves.map(({ _id, to }) => [_id, to]));
};

/**
 * Makes sure of the places of inserted records before they are acknowledged. A reader that has gone past a place closed
 * it; the record moves above, so that the reader finds it there.
 * @returns the floor, read after the records could be
 * @throws UnavailableError when readers keep closing the places
 */
export const settle = async (table: Table<unknown>, inserted: Placed): Promise<number> => {
  let placed = inserted;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const [{ floor, closed }, shared] = await Promise.all([
      numbersOf(table),
      isShared(table, placed),
    ]);
    if (!shared && Math.min(...placed.values()) > closed) return floor;
    placed = await move(table, placed);
  }
  throw new UnavailableError('The record was written, but has no place yet; please retry.');
};

/** Rows, and where a reader goes on after them. */
interface Stretch {
  /** Place of the last row; undefined: no more rows follow. */
  readonly resumesAfter: number | undefined;
}

/**
 * Reads rows of which a reader may go on in the order of creation. Where the rows end among places that are still open,
 * the places are closed, and the rows read again: an insert that is acknowledged later comes after all of them.
 * @param read reads the rows up to a place
 */
export const readClosed = async <S extends Stretch>(
  table: Table<unknown>,
  { order }: RecordQuery,
  read: (upTo: number) => Promise<S>,
): Promise<S> => {
  // A closed place counts only if it was known before the rows were read.
  const { closed } = table.known;
  const found = await read(Infinity);
  if (order.field !== null || order.descending) return found;
  if (found.resumesAfter === undefined || found.resumesAfter <= closed) return found;
  const upTo = await raiseClosed(table, await topOf(table));
  table.known.closed = Math.max(table.known.closed, upTo);
  return read(upTo);
};
