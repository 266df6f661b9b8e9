import { setImmediate as breathe } from 'node:timers/promises';
import { ConflictError, fieldOf } from '@tenure/contracts';
import { DuplicateValueError, type RecordStore, type StoredRecord } from '../ports/record-store.js';

// Small enough that other requests are answered between two chunks.
const CHUNK = 250;

type Combine<R> = (existing: R | undefined, incoming: R, epoch: number) => R;

/** Where the rows of a section go. */
interface Target<R extends StoredRecord> {
  readonly store: Pick<RecordStore<R>, 'findBy' | 'merge'>;
  readonly unique: readonly string[];
  readonly combine: Combine<R>;
}

/**
 * Inserts or replaces the rows of a section, some at a time.
 * @throws ConflictError `duplicate`, naming the section, the field and the rows
 */
export async function mergeInChunks<R extends StoredRecord>(
  section: string,
  target: Target<R>,
  records: readonly R[],
): Promise<void> {
  const batch = new Map(records.map((record) => [record.uuid, record]));
  for (let start = 0; start < records.length; start += CHUNK) {
    try {
      await mergeChunk(target, records.slice(start, start + CHUNK), batch);
    } catch (error) {
      if (!(error instanceof DuplicateValueError)) throw error;
      throw new ConflictError(
        'duplicate',
        `${section}: another record has the same ${error.field} as one of rows ${String(start)} to ${String(Math.min(start + CHUNK, records.length) - 1)}.`,
        { cause: error },
      );
    }
    await breathe();
  }
}

async function mergeChunk<R extends StoredRecord>(
  target: Target<R>,
  chunk: readonly R[],
  batch: ReadonlyMap<string, R>,
): Promise<void> {
  try {
    await target.store.merge(chunk, target.combine);
  } catch (error) {
    if (!(error instanceof DuplicateValueError)) throw error;
    // Perhaps the value is free once a later chunk is written: then both have to be written at once.
    const together = await withHolders(target, chunk, batch);
    if (together.length === chunk.length) throw error;
    await target.store.merge(together, target.combine);
  }
}

/** The chunk, and every record of the batch that now has a unique value which one of them is to get. */
async function withHolders<R extends StoredRecord>(
  { store, unique }: Target<R>,
  chunk: readonly R[],
  batch: ReadonlyMap<string, R>,
): Promise<readonly R[]> {
  const together = new Map(chunk.map((record) => [record.uuid, record]));
  // A map's iterator also visits what is added on the way.
  for (const record of together.values())
    for (const field of unique) {
      const value = fieldOf(record, field);
      const holder = typeof value === 'string' ? await store.findBy(field, value) : undefined;
      const incoming = holder === undefined ? undefined : batch.get(holder.uuid);
      if (incoming !== undefined) together.set(incoming.uuid, incoming);
    }
  return [...together.values()];
}
