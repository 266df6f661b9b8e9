import { randomInt } from 'node:crypto';
import { UnavailableError } from '@tenure/contracts';
import { type UpdateFilter } from 'mongodb';
import { type RecordQuery } from '../ports/record-store.js';
import { type MongoDocument } from './query-mongo.js';
import { numbersOf, raiseClosed, type Table } from './table-mongo.js';

// Above every number that the counter of earlier releases has handed out.
const FIRST = 2 ** 40;
// Inserts that read the same top at once nearly always choose different places; `confirmPlaces` finds the others. Of
// the 2^53 exact integers this leaves 2^38 inserts one after the other.
const STEP = 2 ** 16;
const TRIES = 32;

type Place = Pick<MongoDocument, 'seq' | 'tentative'>;

/** By uuid, the place of each record that was inserted and is not acknowledged yet. */
export type Placed = ReadonlyMap<string, number>;

/** A row after which a reader goes on. */
export type LastRow = Pick<MongoDocument, '_id' | 'seq' | 'tentative'>;

/** Rows, and where a reader goes on after them. */
interface Stretch {
  /** The last row; undefined: no more rows follow. */
  readonly last: LastRow | undefined;
}

/**
 * Chooses places for records that are about to be inserted, in this order, above every record that can be read. Nothing
 * is reserved: `confirmPlaces` has to be called after the insert.
 * @returns the places, and the minimum epoch as it is now
 */
export async function choosePlaces(
  table: Table<unknown>,
  count: number,
): Promise<{ readonly places: readonly number[]; readonly minEpoch: number }> {
  const [top, { minEpoch, closed }] = await Promise.all([topOf(table), numbersOf(table)]);
  let last = Math.max(FIRST, top, closed);
  const places = Array.from({ length: count }, () => (last += randomInt(1, STEP)));
  return { places, minEpoch };
}

/** A document's place, and whether it may change still. */
export const placeOf = ({ seq, tentative }: Place): Place => ({
  seq,
  ...(tentative === true && { tentative }),
});

/**
 * Confirms the places of inserted records before they are acknowledged. If a reader has read past a place, it has
 * closed it; the record then moves above, so that the reader finds it there. Writers and readers may do this for the
 * same record at once.
 * @returns the minimum epoch, read after the records could be
 * @throws UnavailableError when readers keep closing the places
 */
export async function confirmPlaces(table: Table<unknown>, inserted: Placed): Promise<number> {
  let placed = inserted;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const [{ minEpoch, closed }, shared] = await Promise.all([
      numbersOf(table),
      isShared(table, placed),
    ]);
    if (shared || Math.min(...placed.values()) <= closed) await move(table, placed);
    else if (await confirm(table, placed)) return minEpoch;
    placed = await tentativeOf(table, placed);
    if (placed.size === 0) return minEpoch;
  }
  throw new UnavailableError('A record has no place in the order of creation yet; please retry.');
}

/**
 * Reads rows whose last one becomes a reader's position. The last row keeps its place from then on: if that was
 * tentative, it is confirmed, and the rows are read again. Where rows in the order of creation end among places that
 * are still open, the places are closed before: an insert that is acknowledged later comes after all of them.
 * @param read reads the rows up to a place
 * @throws UnavailableError when inserts keep changing the rows
 */
export async function readClosed<S extends Stretch>(
  table: Table<unknown>,
  { order }: RecordQuery,
  read: (upTo: number) => Promise<S>,
): Promise<S> {
  const isByCreation = order.field === null && !order.descending;
  let upTo = Infinity;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    // A closed place counts only if it was read before the rows.
    const { closed } = table.lastRead;
    const found = await read(upTo);
    const { last } = found;
    const isOpen = isByCreation && last !== undefined && last.seq > closed;
    if (last === undefined || (!isOpen && last.tentative !== true)) return found;
    if (isOpen) {
      upTo = await raiseClosed(table, await topOf(table));
      table.lastRead.closed = Math.max(table.lastRead.closed, upTo);
    }
    if (last.tentative === true) await confirmPlaces(table, new Map([[last._id, last.seq]]));
  }
  throw new UnavailableError('The list keeps changing; please retry.');
}

async function topOf({ records }: Table<unknown>): Promise<number> {
  const [last] = await records
    .find({}, { projection: { _id: 0, seq: 1 } })
    .sort({ seq: -1 })
    .limit(1)
    .toArray();
  return last?.seq ?? 0;
}

const isShared = async ({ records }: Table<unknown>, placed: Placed): Promise<boolean> =>
  (await records.findOne(
    { seq: { $in: [...placed.values()] }, _id: { $nin: [...placed.keys()] } },
    { projection: { _id: 1 } },
  )) !== null;

async function move(table: Table<unknown>, placed: Placed): Promise<void> {
  const { places } = await choosePlaces(table, placed.size);
  const moves = [...placed].map(([_id, seq], index) =>
    placeUpdate(_id, seq, { $set: { seq: places[index] ?? seq } }),
  );
  await table.records.bulkWrite(moves);
}

/** @returns whether all of them kept their places */
async function confirm({ records }: Table<unknown>, placed: Placed): Promise<boolean> {
  const updates = [...placed].map(([_id, seq]) =>
    placeUpdate(_id, seq, { $unset: { tentative: '' } }),
  );
  const { matchedCount } = await records.bulkWrite(updates, { ordered: false });
  return matchedCount === placed.size;
}

async function tentativeOf({ records }: Table<unknown>, placed: Placed): Promise<Placed> {
  const found = await records
    .find({ _id: { $in: [...placed.keys()] }, tentative: true }, { projection: { seq: 1 } })
    .toArray();
  return new Map(found.map(({ _id, seq }) => [_id, seq]));
}

/** The write of a place that another process has not changed meanwhile. */
const placeUpdate = (_id: string, seq: number, update: UpdateFilter<MongoDocument>) => ({
  updateOne: { filter: { _id, seq, tentative: true as const }, update },
});
