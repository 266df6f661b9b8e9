import { sleep } from '@tenure/process';
import { DuplicateValueError } from '../ports/record-store.js';

const SPREAD_MS = 5;

/**
 * Repeats a write under optimistic concurrency while others are quicker, after random pauses that grow.
 * @param attempt reads, checks and writes; undefined: another was quicker, and nothing was written
 * @param beaten the error for a caller whom others keep beating
 * @throws what `attempt` throws; what `beaten` returns
 */
export async function untilWritten<T>(
  tries: number,
  attempt: () => Promise<T | undefined>,
  beaten: () => Error,
): Promise<T> {
  for (let tried = 1; tried <= tries; tried += 1) {
    const written = await attempt();
    if (written !== undefined) return written;
    await sleep(Math.random() * SPREAD_MS * tried);
  }
  throw beaten();
}

/** The result of an insert; undefined when another record has one of its unique values. */
export async function insertedUnlessThere<R>(insert: Promise<R>): Promise<R | undefined> {
  try {
    return await insert;
  } catch (error) {
    if (error instanceof DuplicateValueError) return undefined;
    throw error;
  }
}
