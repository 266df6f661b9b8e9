import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError } from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import {
  type ListReaders,
  type ListRequest,
  type ListTurn,
  type ReadList,
} from '../../ports/list-readers.js';
import { createFairLine } from './fair-line.js';
import { type Reader, type StartReader } from './reader.js';
import { type ReaderMetrics, type RefusalReason } from './reader-metrics.js';

export interface PoolOptions {
  readonly start: StartReader;
  /** How many readers. */
  readonly readers: number;
  /** Requests that may wait for a reader. */
  readonly capacity: number;
  /** Milliseconds within which a request is answered; a reader that is busy with one for longer is replaced. */
  readonly deadlineMs: number;
  /** Milliseconds before the first attempt to replace a reader; twice as long after each that failed. */
  readonly pauseMs?: number;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  /** @param waiting how many requests wait for a reader now */
  readonly metrics: (waiting: () => number) => ReaderMetrics;
}

export interface ReaderPool extends ListReaders {
  /** Ends all readers; what waits is answered 503. */
  readonly close: () => Promise<void>;
}

interface Job {
  readonly request: ListRequest;
  readonly since: number;
  readonly resolve: (read: ReadList | undefined) => void;
  readonly refuse: (reason: RefusalReason) => void;
}

/** A place in the pool. Its reader changes. */
interface Place {
  readonly number: number;
  reader: Reader | undefined;
  isBusy: boolean;
}

const MESSAGES: Readonly<Record<RefusalReason, string>> = {
  full: 'Too many lists are being read; please retry.',
  deadline: 'The list was not read in time; please retry.',
  ended: 'The list could not be read now; please retry.',
};

const refusalOf = (reason: RefusalReason): UnavailableError =>
  new UnavailableError(MESSAGES[reason], { headers: { 'Retry-After': '1' } });

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

/**
 * Starts readers and hands them requests, one at a time each, by turns of tenants. A reader that ends or hangs is replaced.
 * @throws Error when a reader cannot be started now
 */
export const startReaderPool = async (options: PoolOptions): Promise<ReaderPool> => {
  const { start, readers, capacity, deadlineMs, pauseMs = FIRST_PAUSE_MS, logger } = options;
  const line = createFairLine<Job>(capacity);
  const metrics = options.metrics(line.length);
  const closing = new AbortController();
  const places: readonly Place[] = Array.from({ length: readers }, (_, number) => ({
    number,
    reader: undefined,
    isBusy: false,
  }));

  const work = async (place: Place, reader: Reader, job: Job): Promise<void> => {
    place.isBusy = true;
    const startedAt = performance.now();
    const hung = setTimeout(() => {
      logger.warn({ reader: place.number, deadlineMs }, 'a reader takes too long and is ended');
      void reader.stop();
    }, deadlineMs);
    try {
      const answer = await reader.read(job.request);
      metrics.read(place.number, answer === undefined ? 'handed_back' : 'answered');
      const waitedMs = startedAt - job.since;
      job.resolve(answer === undefined ? undefined : { answer, waitedMs });
    } catch {
      metrics.read(place.number, 'failed');
      job.refuse('ended');
    } finally {
      clearTimeout(hung);
      place.isBusy = false;
    }
  };

  const dispatch = (): void => {
    for (const place of places) {
      const { reader, isBusy } = place;
      const job = reader === undefined || isBusy ? undefined : line.take();
      if (reader !== undefined && job !== undefined)
        void work(place, reader, job).finally(dispatch);
    }
  };

  const settle = (place: Place, reader: Reader): void => {
    place.reader = reader;
    void reader.ended.then(() => {
      place.reader = undefined;
      if (!closing.signal.aborted) void replace(place);
    });
    dispatch();
  };

  const replace = async (place: Place): Promise<void> => {
    for (let pause = pauseMs; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
      await sleep(pause, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
      if (closing.signal.aborted) return;
      try {
        const reader = await start();
        metrics.restarted();
        logger.info({ reader: place.number }, 'a reader was replaced');
        settle(place, reader);
        // It came too late for the others' end.
        if (closing.signal.aborted) await reader.stop();
        return;
      } catch (error) {
        logger.warn({ reader: place.number, err: error }, 'a reader could not be started');
      }
    }
  };

  const stopAll = async (): Promise<void> => {
    await Promise.all(places.map(({ reader }) => reader?.stop()));
  };

  const started = await Promise.allSettled(places.map(() => start()));
  for (const [number, place] of places.entries()) {
    const one = started[number];
    if (one?.status === 'fulfilled') settle(place, one.value);
  }
  const failed = started.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') {
    closing.abort();
    await stopAll();
    throw failed.reason;
  }

  const wait = (
    request: ListRequest,
    { tenant, signal }: ListTurn,
  ): Promise<ReadList | undefined> =>
    new Promise((resolve, reject) => {
      let isSettled = false;
      const once = (end: () => void): void => {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        line.remove(tenant, job);
        end();
      };
      const job: Job = {
        request,
        since: performance.now(),
        resolve: (read) => {
          once(() => {
            resolve(read);
          });
        },
        refuse: (reason) => {
          once(() => {
            metrics.refused(reason);
            reject(refusalOf(reason));
          });
        },
      };
      const leave = (): void => {
        once(() => {
          resolve(undefined);
        });
      };
      const timer = setTimeout(job.refuse, deadlineMs, 'deadline');
      signal.addEventListener('abort', leave);
      line.add(tenant, job)?.refuse('full');
      dispatch();
    });

  return {
    read: (request, turn) => {
      turn.signal.throwIfAborted();
      return closing.signal.aborted ? Promise.reject(refusalOf('ended')) : wait(request, turn);
    },
    close: async () => {
      closing.abort();
      for (let job = line.take(); job !== undefined; job = line.take()) job.refuse('ended');
      await stopAll();
    },
  };
};
