import { type Logger } from '@tenure/process';

export interface PollerOptions {
  /** For the log and the metric. */
  readonly name: string;
  readonly everyMs: number;
  /** Reads once; a rejection counts as not read. */
  readonly poll: () => Promise<void>;
  readonly logger: Logger;
}

/** Reads something again and again. */
export interface Poller {
  readonly name: string;
  /** Seconds since what was read last was still to come; Infinity when nothing was read yet. */
  readonly lag: () => number;
  readonly stop: () => void;
}

/** Polls at once and then every `everyMs` milliseconds, never two at a time. Failures are logged when they begin and end. */
export const startPoller = ({ name, everyMs, poll, logger }: PollerOptions): Poller => {
  let goodAsOf = -Infinity;
  let isFailing = false;
  let isBusy = false;

  const once = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    const startedAt = performance.now();
    try {
      await poll();
      goodAsOf = startedAt;
      if (isFailing) logger.info({ source: name }, 'revocations can be read again');
      isFailing = false;
    } catch (error) {
      if (!isFailing) logger.warn({ source: name, err: error }, 'revocations cannot be read');
      isFailing = true;
    } finally {
      isBusy = false;
    }
  };

  const timer = setInterval(() => {
    void once();
  }, everyMs);
  timer.unref();
  void once();
  return {
    name,
    lag: () => (performance.now() - goodAsOf) / 1000,
    stop: () => {
      clearInterval(timer);
    },
  };
};
