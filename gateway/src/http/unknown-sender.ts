import { AppError } from '@tenure/contracts';
import { type Exchange } from './exchange.js';
import { type Observer } from './observe.js';

/** For those who look for attacks: whose request it was could not be known, and why. */
export const putOnRecord = (observer: Observer, exchange: Exchange, error: AppError): void => {
  const { request } = exchange;
  observer.refused({
    requestId: exchange.requestId,
    address: request.socket.remoteAddress ?? '',
    method: request.method ?? '',
    path: exchange.path,
    reason: typeof error.cause === 'string' ? error.cause : error.code,
  });
};

interface Challenger {
  readonly observer: Observer;
  readonly challenge: string;
}

/** Every 401 is on record, and says how to do better. */
export const challenged = (
  { observer, challenge }: Challenger,
  exchange: Exchange,
  error: AppError,
): AppError => {
  putOnRecord(observer, exchange, error);
  return new AppError(error.code, error.status, error.message, {
    cause: error.cause,
    headers: { ...error.headers, 'WWW-Authenticate': challenge },
  });
};
