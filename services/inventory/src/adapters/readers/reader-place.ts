import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from '@tenure/process';
import { type ReadJob } from './read-job.js';
import { type ReaderMetrics } from './reader-metrics.js';
import { type Reader, type StartReader } from './reader.js';

export interface PlaceOptions {
  readonly start: StartReader;
  /** Milliseconds after which a reader that is still busy with one request is ended. */
  readonly deadlineMs: number;
  /** Milliseconds before the first attempt to replace a reader; twice as long after each that failed. */
  readonly pauseMs: number;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly metrics: ReaderMetrics;
  /** Called whenever the place can take a job. */
  readonly onFree: () => void;
}

/** A place in the pool. Its reader is replaced when it ends. */
export interface ReaderPlace {
  readonly isFree: () => boolean;
  /** Gives its reader a job, to be called only when it is free. */
  readonly take: (job: ReadJob) => void;
  /** Ends its reader, for good. */
  readonly close: () => Promise<void>;
}

const LONGEST_PAUSE_MS = 5000;

const readOn = async (
  reader: Reader,
  job: ReadJob,
  { number, deadlineMs, logger, metrics }: PlaceOptions & { readonly number: number },
): Promise<void> => {
  const startedAt = performance.now();
  const hung = setTimeout(() => {
    logger.warn({ reader: number, deadlineMs }, 'a reader takes too long and is ended');
    void reader.stop();
  }, deadlineMs);
  try {
    const answer = await reader.read(job.request);
    metrics.read(number, answer === undefined ? 'handed_back' : 'answered');
    job.resolve(answer && { answer, waitedMs: startedAt - job.since });
  } catch (error) {
    logger.warn({ reader: number, err: error }, 'a reader gave no answer');
    metrics.read(number, 'failed');
    job.refuse('ended');
  } finally {
    clearTimeout(hung);
  }
};

/** @returns undefined when `signal` was aborted before one could be started */
const startAgain = async (
  number: number,
  { start, pauseMs, logger, metrics }: PlaceOptions,
  signal: AbortSignal,
): Promise<Reader | undefined> => {
  for (let pause = pauseMs; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
    await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return undefined;
    try {
      const reader = await start();
      metrics.restarted();
      logger.info({ reader: number }, 'a reader was replaced');
      return reader;
    } catch (error) {
      logger.warn({ reader: number, err: error }, 'a reader could not be started');
    }
  }
};

/**
 * Starts a reader and keeps one in its place.
 * @throws Error when it cannot be started now
 */
export const openPlace = async (number: number, options: PlaceOptions): Promise<ReaderPlace> => {
  const closing = new AbortController();
  let reader: Reader | undefined;
  let isBusy = false;
  const keep = async (first: Reader): Promise<void> => {
    for (let next: Reader | undefined = first; next !== undefined;) {
      reader = next;
      // It was being started when the place was closed.
      if (closing.signal.aborted) await next.stop();
      else options.onFree();
      await next.ended;
      reader = undefined;
      next = await startAgain(number, options, closing.signal);
    }
  };
  const kept = keep(await options.start());
  return {
    isFree: () => reader !== undefined && !isBusy,
    take: (job) => {
      if (reader === undefined) return;
      isBusy = true;
      void readOn(reader, job, { ...options, number }).finally(() => {
        isBusy = false;
        options.onFree();
      });
    },
    close: async () => {
      closing.abort();
      await reader?.stop();
      await kept;
    },
  };
};
