import { type Logger, sleep } from '@tenure/process';
import { type ReadJob } from './read-job.js';
import { type ReaderMetrics } from './reader-metrics.js';
import { type Reader, type StartReader } from './reader.js';

export interface PlaceOptions {
  readonly start: StartReader;
  /** Milliseconds after which a reader that still works on one request is terminated. */
  readonly deadlineMs: number;
  /** Milliseconds before the first attempt to replace a reader; doubles with each failure. */
  readonly pauseMs: number;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly metrics: ReaderMetrics;
  /** Called whenever the slot can take a job. */
  readonly onFree: () => void;
}

/** A slot of the pool. It replaces its reader when the reader ends. */
export interface ReaderPlace {
  readonly isFree: () => boolean;
  /** Passes a job to the reader. Call it only when the slot is free. */
  readonly take: (job: ReadJob) => void;
  /** Terminates the reader without a replacement. */
  readonly close: () => Promise<void>;
}

const LONGEST_PAUSE_MS = 5000;

/**
 * Starts a reader and replaces it whenever it ends.
 * @throws Error when it cannot be started now
 */
export async function openPlace(number: number, options: PlaceOptions): Promise<ReaderPlace> {
  const closing = new AbortController();
  let reader: Reader | undefined;
  let isBusy = false;
  const keep = async (first: Reader): Promise<void> => {
    for (let next: Reader | undefined = first; next !== undefined;) {
      reader = next;
      // The slot was closed while this reader started.
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
}

/** @returns undefined when `signal` was aborted before a reader started */
async function startAgain(
  number: number,
  { start, pauseMs, logger, metrics }: PlaceOptions,
  signal: AbortSignal,
): Promise<Reader | undefined> {
  for (let pause = pauseMs; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
    await sleep(pause, signal, { ref: false });
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
}

async function readOn(
  reader: Reader,
  job: ReadJob,
  { number, deadlineMs, logger, metrics }: PlaceOptions & { readonly number: number },
): Promise<void> {
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
}
