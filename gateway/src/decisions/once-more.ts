import { UnavailableError } from '@tenure/contracts';
import { type Deadline } from './deadline.js';

/** Milliseconds before the second attempt: the moment that was too busy may be over. */
const PAUSE_MS = 50;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Asks something that changes nothing, and once more when it cannot be had just now, within the request's deadline.
 * @param needMs milliseconds that an attempt may take; the second is not begun when less is left
 * @throws what the last attempt threw
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
  await pause(PAUSE_MS);
  return attempt();
};
