import { inTime } from '@tenure/process';
import { MongoBulkWriteError, MongoServerError } from 'mongodb';
import { DuplicateValueError, type RecordShape } from '../ports/record-store.js';
import { noReply, translatedMongo } from './unavailable-mongo.js';
import { uniqueKeysOf } from './unique-keys-mongo.js';

const DUPLICATE_KEY = 11_000;

// The name of the index comes before the values, which clients choose.
const INDEX = /\bindex: (?:\S*\$)?(\w+)/u;

/** Converts an error of the driver to an error of the port. An error without a counterpart stays, without documents. */
export function translate(shape: RecordShape, thrown: unknown): unknown {
  const error = withoutDocuments(thrown);
  if (thrown instanceof MongoServerError && thrown.code === DUPLICATE_KEY)
    return new DuplicateValueError(duplicateFieldOf(shape, thrown), { cause: error });
  return translatedMongo(thrown, error);
}

/**
 * Waits for `work` at most `deadlineMs` milliseconds.
 * @throws UnavailableError when it took longer: what it writes may have been written, or will be
 */
export async function guarded<T>(
  shape: RecordShape,
  work: Promise<T>,
  deadlineMs: number,
): Promise<T> {
  try {
    return await inTime(deadlineMs, work, () => {
      throw noReply();
    });
  } catch (error) {
    throw translate(shape, error);
  }
}

/** An error of many writes carries their documents, passwords of BMCs among them: what is left of it may be logged. */
const withoutDocuments = (error: unknown): unknown =>
  error instanceof MongoBulkWriteError
    ? new Error(`${error.name} ${String(error.code)}: ${error.message}`)
    : error;

/** The field of the first of many writes that conflicts with another record in a field other than its uuid. */
function duplicateFieldOf(shape: RecordShape, error: MongoServerError): string {
  const messages =
    error instanceof MongoBulkWriteError
      ? [error.writeErrors].flat().map(({ errmsg }) => errmsg ?? '')
      : [error.message];
  const fields = messages.map((message) => duplicateField(shape, message));
  return fields.find((field) => field !== 'uuid') ?? 'uuid';
}

function duplicateField(shape: RecordShape, message: string): string {
  const index = INDEX.exec(message)?.[1];
  return (
    uniqueKeysOf(shape)
      .find(({ key }) => index === key || index === `${key}_1`)
      ?.fields.join(', ') ?? 'uuid'
  );
}
