import { AppError } from '@tenure/contracts';
import { type ClientAddressOf } from '@tenure/http';
import { type Exchange } from './exchange.js';
import { type Observer } from './observe.js';

interface Recorder {
  readonly observer: Observer;
  readonly clientAddressOf: ClientAddressOf;
}

interface Challenger extends Recorder {
  readonly challenge: string;
}

/** Writes the audit line of a request that failed authentication, with the reason. */
export function recordUnknownSender(
  { observer, clientAddressOf }: Recorder,
  exchange: Exchange,
  error: AppError,
): void {
  const { request } = exchange;
  observer.refused({
    requestId: exchange.requestId,
    address: clientAddressOf(request).address,
    method: request.method ?? '',
    path: exchange.path,
    reason: typeof error.cause === 'string' ? error.cause : error.code,
  });
}

/** Records a 401, and adds the `WWW-Authenticate` header. */
export function challenged(challenger: Challenger, exchange: Exchange, error: AppError): AppError {
  recordUnknownSender(challenger, exchange, error);
  return new AppError(error.code, error.status, error.message, {
    cause: error.cause,
    headers: { ...error.headers, 'WWW-Authenticate': challenger.challenge },
  });
}
