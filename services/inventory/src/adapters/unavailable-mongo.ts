import { InsufficientStorageError, UnavailableError } from '@tenure/contracts';
import { MongoBulkWriteError, MongoError, MongoServerError } from 'mongodb';

/** Error codes of a server without free space. */
const FULL_CODES: ReadonlySet<unknown> = new Set([
  14_031, // OutOfDiskSpace
  12_501, // quota exceeded
]);
/** Codes of a server that does not write now: no primary, a read-only one, one that starts or stops. */
const NO_WRITES: ReadonlySet<unknown> = new Set([
  20, // IllegalOperation, of a server that was started read-only
  91, // ShutdownInProgress
  189, // PrimarySteppedDown
  10_058, // NotWritablePrimary, legacy
  10_107, // NotWritablePrimary
  11_600, // InterruptedAtShutdown
  11_602, // InterruptedDueToReplStateChange
  13_435, // NotPrimaryNoSecondaryOk
  13_436, // NotPrimaryOrSecondary
]);

/** Codes of a server, or of a majority, that did not answer in time. */
const NO_ANSWER: ReadonlySet<unknown> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  50, // MaxTimeMSExpired
  64, // WriteConcernFailed
  89, // NetworkTimeout
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  262, // ExceededTimeLimit
  9001, // SocketException
]);

// By name: the driver has no common class for "not now".
const NOT_NOW: ReadonlySet<string> = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongoWaitQueueTimeoutError',
  'MongoPoolClearedError',
  'MongoPoolClosedError',
  'MongoPoolClearedOnNetworkError',
  'PoolClearedOnNetworkError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoWriteConcernError',
]);

const SOON = { 'Retry-After': '1' } as const;

const NO_REPLY = 'The store did not answer in time.';

/** The error of a store that did not answer in time. */
export const noReply = (cause?: unknown): UnavailableError =>
  new UnavailableError(NO_REPLY, { cause, headers: SOON });

/**
 * Converts every error of the driver, its sockets and the server to 503 or 507: the store did not do its work, and the request was not
 * wrong. Other errors stay.
 * @param logged the error without its documents, which becomes the cause
 */
export function translatedMongo(thrown: unknown, logged: unknown = thrown): unknown {
  if (isOfSocket(thrown)) return noReply(logged);
  if (!(thrown instanceof MongoError)) return logged;
  if (thrown instanceof MongoServerError && FULL_CODES.has(thrown.code))
    return new InsufficientStorageError('The store is full.', { cause: logged });
  return new UnavailableError(messageOf(thrown), { cause: logged, headers: SOON });
}

/** An error of a socket, such as ECONNRESET: the driver throws some as they are. */
const isOfSocket = (thrown: unknown): boolean => thrown instanceof Error && 'syscall' in thrown;

function messageOf(error: MongoError): string {
  if (error instanceof MongoServerError && NO_WRITES.has(error.code))
    return 'The store takes no writes now; please retry.';
  return isNotNow(error) ? NO_REPLY : 'The store could not execute the operation.';
}

const isNotNow = (error: MongoError): boolean =>
  isLostBulk(error) ||
  NOT_NOW.has(error.name) ||
  NO_ANSWER.has(error.code) ||
  error.hasErrorLabel('RetryableWriteError') ||
  error.hasErrorLabel('RetryableError');

/** Many writes, of which the server refused none: the connection was lost, or the majority's answer. */
const isLostBulk = (error: MongoError): boolean =>
  error instanceof MongoBulkWriteError && [error.writeErrors].flat().length === 0;
