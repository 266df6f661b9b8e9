import { type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { AppError } from '@tenure/contracts';

/**
 * python-ironicclient raises a TypeError when an error other than 413 has Retry-After (seen with 6.3.0). It retries only
 * after 409 and 503, at its own interval.
 */
const IRONICCLIENT = /\bpython-ironicclient\b/u;

/** Adapts a refusal to the request's client, so that the client retries. */
export function refusalFor(headers: IncomingHttpHeaders, error: AppError): AppError {
  if (error.headers['Retry-After'] === undefined || !isIronicclient(headers)) return error;
  const status = error.status === 429 ? 503 : error.status;
  return new AppError(error.code, status, error.message, {
    cause: error.cause,
    headers: withoutRetryAfter(error.headers),
  });
}

/** Adapts the headers of a service's response to the request's client. */
export function retryHeadersFor(
  headers: IncomingHttpHeaders,
  relayed: OutgoingHttpHeaders,
): OutgoingHttpHeaders {
  if (relayed['retry-after'] === undefined || !isIronicclient(headers)) return relayed;
  return withoutRetryAfter(relayed);
}

const isIronicclient = (headers: IncomingHttpHeaders): boolean =>
  IRONICCLIENT.test(headers['user-agent'] ?? '');

const withoutRetryAfter = <V>(headers: Readonly<Record<string, V>>): Record<string, V> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'retry-after'),
  );
