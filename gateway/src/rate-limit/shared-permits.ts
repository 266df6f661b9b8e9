import { type Logger } from '@tenure/process';
import { type Permits } from './permits.js';

/** Permits that replicas share, for callers who have something else to go by when they cannot be had. */
export interface SharedPermits {
  /** False from the first failure until permits could be taken again. */
  readonly isUsable: () => boolean;
  /**
   * As {@link Permits.take}, but soon: undefined after 200 ms or a failure. Never rejects. While the permits cannot be had, they
   * are asked for four times a second; the other calls are answered undefined at once.
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
const REST_MS = 250;

const within = async <T>(deadlineMs: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // After what has arrived is read: it may be this process that was late, not Redis.
      setImmediate(() => {
        reject(new Error(`no permits within ${deadlineMs} ms`));
      });
    }, deadlineMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

export const createSharedPermits = (options: SharedPermitsOptions): SharedPermits => {
  const { permits, logger, now } = options;
  let isUsable = true;
  let askAgainAt = -Infinity;

  const succeeded = (): void => {
    if (!isUsable) logger.info('the shared rate limit holds again');
    isUsable = true;
  };
  const failed = (error: unknown): void => {
    if (isUsable)
      logger.warn(
        { err: error },
        'the shared rate limit cannot be used; each gateway limits alone',
      );
    isUsable = false;
    askAgainAt = now() + REST_MS;
  };

  return {
    isUsable: () => isUsable,
    take: async (name, want) => {
      if (!isUsable) {
        if (now() < askAgainAt) return undefined;
        // Taken before the answer, so that one call asks, not all that come meanwhile.
        askAgainAt = now() + REST_MS;
      }
      try {
        const granted = await within(DEADLINE_MS, permits.take(name, want));
        succeeded();
        return granted;
      } catch (error) {
        failed(error);
        return undefined;
      }
    },
  };
};
