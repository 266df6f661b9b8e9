import { setImmediate } from 'node:timers/promises';
import { createOutage, inTime, type Logger } from '@tenure/process';
import { type Permits } from '../../ports/permits.js';

/** Permits that replicas share, for callers that have a fallback while the shared store is unavailable. */
export interface SharedPermits {
  /** False from the first failure until the next success. */
  readonly isUsable: () => boolean;
  /**
   * Like {@link Permits.take}, but undefined after 200 ms or a failure. Never rejects. During an outage one call in 250 ms
   * probes the store; the other calls return undefined at once.
   */
  readonly take: (name: string, want: number) => Promise<number | undefined>;
}

export interface SharedPermitsOptions {
  readonly permits: Permits;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

const DEADLINE_MS = 200;
const RETRY_MS = 250;

export function createSharedPermits(options: SharedPermitsOptions): SharedPermits {
  const { permits, logger, now } = options;
  let retryAt = -Infinity;
  const outage = createOutage({
    began: (error) => {
      logger.warn(
        { err: error },
        'the shared rate limit cannot be used; each gateway limits alone',
      );
    },
    ended: () => {
      logger.info('the shared rate limit is used again');
    },
  });

  return {
    isUsable: () => !outage.isOn(),
    take: async (name, want) => {
      if (outage.isOn()) {
        if (now() < retryAt) return undefined;
        // Set before the answer, so that one call probes the store, not every call until the answer.
        retryAt = now() + RETRY_MS;
      }
      try {
        const granted = await inTime(DEADLINE_MS, permits.take(name, want), tooLate);
        outage.succeeded();
        return granted;
      } catch (error) {
        outage.failed(error);
        retryAt = now() + RETRY_MS;
        return undefined;
      }
    },
  };
}

/** Lets the event loop read what has arrived first, because the delay may be of this process rather than of Redis. */
async function tooLate(): Promise<never> {
  await setImmediate();
  throw new Error(`no permits within ${DEADLINE_MS} ms`);
}
