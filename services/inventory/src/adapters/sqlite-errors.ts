import { type AppError, InsufficientStorageError, UnavailableError } from '@tenure/contracts';
import { BrokenStoreError } from '../ports/store-trouble.js';

/** Primary result codes of SQLite. */
const CODES = {
  PERM: 3,
  BUSY: 5,
  LOCKED: 6,
  NOMEM: 7,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  PROTOCOL: 15,
  CONSTRAINT: 19,
  NOTADB: 26,
} as const;

interface SqliteError {
  readonly errcode: number;
  readonly message: string;
}

const WAITING: ReadonlySet<number | undefined> = new Set([
  CODES.BUSY,
  CODES.LOCKED,
  CODES.PROTOCOL,
]);

type MakeTrouble = (cause: unknown) => AppError;

const SOON = { 'Retry-After': '1' } as const;
const LATER = { 'Retry-After': '5' } as const;

const unavailable =
  (message: string, headers: Readonly<Record<string, string>>): MakeTrouble =>
  (cause) =>
    new UnavailableError(message, { cause, headers });

const broken =
  (message: string): MakeTrouble =>
  (cause) =>
    new BrokenStoreError(message, { cause, headers: LATER });

const locked = unavailable('The store is locked by another process; please retry.', SOON);
const readOnly = unavailable('The store is read-only.', LATER);
const corrupt = broken('The store is corrupt.');

const TROUBLES: ReadonlyMap<number | undefined, MakeTrouble> = new Map([
  [CODES.BUSY, locked],
  [CODES.LOCKED, locked],
  [CODES.PROTOCOL, locked],
  [CODES.PERM, readOnly],
  [CODES.READONLY, readOnly],
  [CODES.IOERR, unavailable('The disk of the store failed.', LATER)],
  [CODES.CANTOPEN, unavailable('The store cannot be opened.', LATER)],
  [CODES.NOMEM, unavailable('The store has no memory left.', LATER)],
  [CODES.CORRUPT, corrupt],
  [CODES.NOTADB, corrupt],
  [CODES.FULL, (cause) => new InsufficientStorageError('The store is full.', { cause })],
]);

/** The message of a violated constraint; undefined for any other error. */
export const constraintIn = (error: unknown): string | undefined =>
  isSqliteError(error) && codeOf(error) === CODES.CONSTRAINT ? error.message : undefined;

/** Whether another connection has the lock, so that a later attempt may succeed. Nothing was written. */
export const isBusy = (error: unknown): boolean => WAITING.has(codeOf(error));

/** Converts what SQLite says about the state of the store, rather than about the data, to 503 or 507. Other errors stay. */
export const translated = (error: unknown): unknown =>
  TROUBLES.get(codeOf(error))?.(error) ?? error;

const isSqliteError = (error: unknown): error is SqliteError =>
  typeof error === 'object' &&
  error !== null &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  'message' in error;

/** The primary code of SQLite's error, which is the low byte; undefined for any other error. */
const codeOf = (error: unknown): number | undefined =>
  isSqliteError(error) ? error.errcode & 0xff : undefined;
