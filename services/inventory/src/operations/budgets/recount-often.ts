import { type Logger } from '@tenure/process';
import { type Stores } from '../../ports/stores.js';
import { recount } from './recount.js';

const EVERY_MS = 3_600_000;

interface Recounting {
  readonly stop: () => Promise<void>;
}

/** Recounts now and every hour, one recount at a time. */
export const recountOften = (
  stores: Stores,
  now: () => Date,
  logger: Pick<Logger, 'info' | 'warn'>,
): Recounting => {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const once = async (): Promise<void> => {
    try {
      const corrected = await recount(stores, now(), stopping.signal);
      if (corrected > 0) logger.info({ corrected }, 'a recount corrected the usage of budgets');
    } catch (error) {
      if (stopping.signal.aborted) return;
      logger.warn({ err: error }, 'the recount of budgets failed');
    }
  };
  const next = (): void => {
    running = running.then(once);
  };
  next();
  const timer = setInterval(next, EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      stopping.abort();
      return running;
    },
  };
};
