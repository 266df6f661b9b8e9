import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError } from '@tenure/contracts';
import { type Deadline } from './deadline.js';

/** Milliseconds before the second attempt: by then the overload may have passed. */
const PAUSE_MS = 50;

/**
 * Sends a read, and repeats it once when it is unavailable, within the request's deadline.
 * @param needMs maximum duration of an attempt in milliseconds; the second does not start when less is left
 * @throws the error of the last attempt
 */
export const onceMore = async <T>(
  deadline: Deadline,
  needMs: number,
  attempt: () => Promise<T>,
): Promise<T> => {
  try {
    return await attempt();
  } catch (error) {
    const isWorthIt =
      error instanceof UnavailableError && deadline.within(Infinity) >= needMs + PAUSE_MS;
    if (!isWorthIt) throw error;
  }
  await sleep(PAUSE_MS);
  return attempt();
};
