import { createOutage, every, type Logger } from '@tenure/process';

export interface PollerOptions {
  /** For the log and the metric. */
  readonly name: string;
  readonly everyMs: number;
  /** Polls once; a rejection counts as a failed poll. */
  readonly poll: () => Promise<void>;
  readonly logger: Logger;
}

/** Polls a source periodically. */
export interface Poller {
  readonly name: string;
  /** Seconds since the start of the last successful poll; Infinity before the first one. */
  readonly lag: () => number;
  readonly stop: () => void;
}

/** Polls at once, and again `everyMs` milliseconds after each poll. Failures are logged when they begin and end. */
export function startPoller({ name, everyMs, poll, logger }: PollerOptions): Poller {
  let goodAsOf = -Infinity;
  const outage = createOutage({
    began: (error) => {
      logger.warn({ source: name, err: error }, 'revocations cannot be read');
    },
    ended: () => {
      logger.info({ source: name }, 'revocations can be read again');
    },
  });

  const { stop } = every(everyMs, async () => {
    const startedAt = performance.now();
    try {
      await poll();
      goodAsOf = startedAt;
      outage.succeeded();
    } catch (error) {
      outage.failed(error);
    }
  });
  return {
    name,
    lag: () => (performance.now() - goodAsOf) / 1000,
    stop: () => {
      void stop();
    },
  };
}
