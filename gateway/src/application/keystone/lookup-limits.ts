import { AppError, UnavailableError } from '@tenure/contracts';
import { createLimiter } from '@tenure/process';
import { createKeyLimit } from '../rate-limit/key-limit.js';

export interface LookupLimitOptions {
  /** Maximum of look-ups a second for one address. */
  readonly perAddress: number;
  /** Maximum of look-ups a second for all addresses together. */
  readonly overall: number;
  /** Maximum of concurrent look-ups. */
  readonly atOnce: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/** Limits look-ups of uncached tokens, so that made-up tokens do not overload Keystone. */
export interface LookupLimits {
  /**
   * Runs a look-up that is within the limits.
   * @throws AppError 429 when this address exceeds its limit; UnavailableError when all together exceed theirs
   */
  readonly run: <T>(address: string, lookUp: () => Promise<T>) => Promise<T>;
}

export function createLookupLimits({
  perAddress,
  overall,
  atOnce,
  now,
}: LookupLimitOptions): LookupLimits {
  const ofAddress = createKeyLimit(perAddress, now);
  const ofAll = createKeyLimit(overall, now);
  const lookups = createLimiter({ atOnce, waiting: 0, refusal: busy });
  return {
    run: async (address, lookUp) => {
      ofAddress(address);
      return lookups.run(() => {
        try {
          ofAll('');
        } catch (error) {
          throw error instanceof AppError ? busy() : error;
        }
        return lookUp();
      });
    },
  };
}

const busy = (): UnavailableError =>
  new UnavailableError('Too many new tokens at once; try again shortly.', {
    headers: { 'Retry-After': '1' },
  });
