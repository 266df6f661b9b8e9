import { AppError, UnavailableError } from '@tenure/contracts';
import { createLimiter } from '@tenure/process';
import { createKeyLimit } from '../rate-limit/key-limit.js';

export interface ColdLimitOptions {
  /** Tokens a second that may be asked about for one address. */
  readonly perAddress: number;
  /** Tokens a second that may be asked about at all. */
  readonly overall: number;
  /** How many questions may be under way. */
  readonly atOnce: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/** Keeps those who send tokens that nobody has seen from wearing Keystone out. */
export interface ColdLimits {
  /**
   * Asks, when that is within the limits.
   * @throws AppError 429 when this address asked too often; UnavailableError when all together did
   */
  readonly run: <T>(address: string, ask: () => Promise<T>) => Promise<T>;
}

export function createColdLimits({
  perAddress,
  overall,
  atOnce,
  now,
}: ColdLimitOptions): ColdLimits {
  const ofAddress = createKeyLimit(perAddress, now);
  const ofAll = createKeyLimit(overall, now);
  const questions = createLimiter({ atOnce, waiting: 0, refusal: busy });
  return {
    run: async (address, ask) => {
      ofAddress(address);
      return questions.run(() => {
        try {
          ofAll('');
        } catch (error) {
          throw error instanceof AppError ? busy() : error;
        }
        return ask();
      });
    },
  };
}

const busy = (): UnavailableError =>
  new UnavailableError('Too many new tokens at once; try again shortly.', {
    headers: { 'Retry-After': '1' },
  });
