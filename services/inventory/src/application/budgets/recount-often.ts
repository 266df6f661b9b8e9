import { every, type Logger, type Repetition } from '@tenure/process';
import { type Stores } from '../../ports/stores.js';
import { recount } from './recount.js';

const EVERY_MS = 3_600_000;

/** Recounts now and every hour, one recount at a time. */
export function recountOften(
  stores: Stores,
  now: () => Date,
  logger: Pick<Logger, 'info' | 'warn'>,
): Repetition {
  const stopping = new AbortController();
  const once = async (): Promise<void> => {
    try {
      const corrected = await recount(stores, now(), stopping.signal);
      if (corrected > 0) logger.info({ corrected }, 'a recount corrected the usage of budgets');
    } catch (error) {
      if (stopping.signal.aborted) return;
      logger.warn({ err: error }, 'the recount of budgets failed');
    }
  };
  const { stop } = every(EVERY_MS, once);
  return {
    stop: () => {
      stopping.abort();
      return stop();
    },
  };
}
