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

/** For those who look for attacks: whose request it was could not be known, and why. */
export function putOnRecord(
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

/** Every 401 is on record, and says how to do better. */
export function challenged(challenger: Challenger, exchange: Exchange, error: AppError): AppError {
  putOnRecord(challenger, exchange, error);
  return new AppError(error.code, error.status, error.message, {
    cause: error.cause,
    headers: { ...error.headers, 'WWW-Authenticate': challenger.challenge },
  });
}
