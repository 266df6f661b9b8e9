import { AccessDeniedError, type AppError } from './errors.js';

/** Nova's fault name by status; every other status is a `computeFault`. */
const FAULTS: ReadonlyMap<number, string> = new Map([
  [400, 'badRequest'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'itemNotFound'],
  [405, 'badMethod'],
  [409, 'conflictingRequest'],
  [413, 'overLimit'],
  [415, 'badMediaType'],
  [429, 'overLimit'],
  [501, 'notImplemented'],
  [503, 'serviceUnavailable'],
]);

/** The member of Nova's error body, whose name is the kind of error. */
export interface NovaFault {
  readonly code: number;
  readonly message: string;
  /** Seconds, of an `overLimit` that says when to come again. */
  readonly retryAfter?: string;
}

/** Nova's error body: one member, named after the kind of error. */
export function toNovaBody(error: AppError): Readonly<Record<string, NovaFault>> {
  const name = FAULTS.get(error.status) ?? 'computeFault';
  const retryAfter = error.headers['Retry-After'];
  return {
    [name]: {
      code: error.status,
      message: messageOf(error),
      ...(name === 'overLimit' && retryAfter !== undefined && { retryAfter }),
    },
  };
}

const messageOf = (error: AppError): string =>
  error instanceof AccessDeniedError
    ? `Policy doesn't allow ${error.action} to be performed.`
    : error.message;
