import { type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { AppError } from '@tenure/contracts';

/**
 * python-ironicclient ends with a TypeError when an error other than 413 has Retry-After (seen with 6.3.0), and asks again
 * after 409 and 503 only, at an interval of its own.
 */
const IRONICCLIENT = /\bpython-ironicclient\b/u;

const isIronicclient = (headers: IncomingHttpHeaders): boolean =>
  IRONICCLIENT.test(headers['user-agent'] ?? '');

const withoutRetryAfter = <V>(headers: Readonly<Record<string, V>>): Record<string, V> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'retry-after'),
  );

/** A refusal as the client of a request takes it, so that it asks again where it should. */
export const refusalFor = (headers: IncomingHttpHeaders, error: AppError): AppError => {
  if (error.headers['Retry-After'] === undefined || !isIronicclient(headers)) return error;
  const status = error.status === 429 ? 503 : error.status;
  return new AppError(error.code, status, error.message, {
    cause: error.cause,
    headers: withoutRetryAfter(error.headers),
  });
};

/** The headers of a service's answer as the client of a request takes them. */
export const retryHeadersFor = (
  headers: IncomingHttpHeaders,
  relayed: OutgoingHttpHeaders,
): OutgoingHttpHeaders => {
  if (relayed['retry-after'] === undefined || !isIronicclient(headers)) return relayed;
  return withoutRetryAfter(relayed);
};
