import { type DatabaseSync } from 'node:sqlite';
import { doubling, retry } from '@tenure/process';
import { isBusy, translated } from './sqlite-errors.js';

/**
 * A connection whose work never waits for a lock inside SQLite, where it would block the event loop. Work that finds the
 * store locked is repeated as a whole, so it must be safe to repeat after a rollback.
 */
export interface SqliteConnection {
  readonly database: DatabaseSync;
  /** @throws AppError 503 for a store in trouble; whatever else `work` throws */
  readonly read: <T>(work: () => T) => Promise<T>;
  /** @throws AppError 503, or 507 for a full store; whatever else `work` throws */
  readonly write: <T>(work: () => T) => Promise<T>;
}

export interface ConnectionOptions {
  /** Milliseconds for which work that finds the store locked is repeated. */
  readonly patienceMs?: number;
  /** Called before each attempt to write. @throws AppError when nothing may be written */
  readonly beforeWrite?: () => void;
}

// A caller has an answer within 10 s; a request may have to write three times.
const PATIENCE_MS = 1500;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;

const pauseMs = doubling(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);

/** @param database has no busy time-out of its own */
export const connectionTo = (
  database: DatabaseSync,
  { patienceMs = PATIENCE_MS, beforeWrite = () => undefined }: ConnectionOptions = {},
): SqliteConnection => ({
  database,
  read: (work) => untilFree(work, patienceMs),
  write: (work) =>
    untilFree(() => {
      beforeWrite();
      return work();
    }, patienceMs),
});

/** Runs `work` in one transaction: all of it is on disk when this returns, or none of it. */
export function atomically<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** Runs `work` on a consistent snapshot, isolated from concurrent writes. */
export function atOneMoment<T>(database: DatabaseSync, work: () => T): T {
  database.exec('SAVEPOINT one_moment');
  try {
    return work();
  } finally {
    if (database.isTransaction) database.exec('RELEASE one_moment');
  }
}

async function untilFree<T>(work: () => T, patienceMs: number): Promise<T> {
  const end = performance.now() + patienceMs;
  try {
    return await retry(work, {
      isTransient: (error, attempt) => isBusy(error) && performance.now() + pauseMs(attempt) <= end,
      pauseMs,
    });
  } catch (error) {
    throw translated(error);
  }
}

/** After FULL, IOERR and some others SQLite has rolled back already, and a second ROLLBACK would hide the first error. */
function rollBack(database: DatabaseSync): void {
  if (!database.isTransaction) return;
  try {
    database.exec('ROLLBACK');
  } catch {
    // The error that led here says more.
  }
}
