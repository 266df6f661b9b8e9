import { AppError } from '@tenure/contracts';
import { createMemoryPermits } from './permits-memory.js';

/** The error for a request over the limit. A bucket refills in a second, hence `Retry-After`. */
export const tooManyRequests = (): AppError =>
  new AppError('too_many_requests', 429, 'Too many requests; try again shortly.', {
    headers: { 'Retry-After': '1' },
  });

/**
 * A limit for each key, of this process alone.
 * @param perSecond requests per second that one key may make, at once or one after the other
 * @param now milliseconds of a clock that never goes back
 * @returns a check that throws AppError 429 when the key has used up its permits
 */
export function createKeyLimit(perSecond: number, now?: () => number): (key: string) => void {
  const permits = createMemoryPermits(perSecond, now);
  return (key) => {
    if (permits.takeNow(key, 1) < 1) throw tooManyRequests();
  };
}
