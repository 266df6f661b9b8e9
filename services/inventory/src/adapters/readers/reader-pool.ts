import { createFairLine } from '@tenure/process';
import { type ListReaders } from '../../ports/list-readers.js';
import { beginJob, type ReadJob, refusalOf } from './read-job.js';
import { type ReaderMetrics } from './reader-metrics.js';
import { openPlace, type PlaceOptions, type ReaderPlace } from './reader-place.js';

export interface PoolOptions extends Pick<PlaceOptions, 'start' | 'logger'> {
  /** Maximum number of readers. */
  readonly readers: number;
  /** Maximum of requests that wait for a reader. */
  readonly capacity: number;
  /** Deadline of a request in milliseconds; a reader that works on one for longer is replaced. */
  readonly deadlineMs: number;
  /** Milliseconds before the first attempt to replace a reader. */
  readonly pauseMs?: number;
  /** @param waiting number of requests that wait for a reader now */
  readonly metrics: (waiting: () => number) => ReaderMetrics;
}

export interface ReaderPool extends ListReaders {
  /** Terminates all readers; requests in flight or queued get 503. */
  readonly close: () => Promise<void>;
}

const FIRST_PAUSE_MS = 100;

/**
 * Starts one reader, and further ones while requests wait. Each reader gets one request at a time, round-robin by tenant. A
 * reader that ends or hangs is replaced.
 * @throws Error when the first reader cannot be started now
 */
export async function startReaderPool(options: PoolOptions): Promise<ReaderPool> {
  const { start, readers, capacity, deadlineMs, pauseMs = FIRST_PAUSE_MS, logger } = options;
  const line = createFairLine<ReadJob>(capacity);
  const metrics = options.metrics(line.length);
  const places: ReaderPlace[] = [];
  let opening: Promise<void> | undefined;
  let isClosed = false;

  const dispatch = (): void => {
    for (const place of places) {
      const job = place.isFree() ? line.take() : undefined;
      if (job !== undefined) place.take(job);
    }
    if (line.length() > 0) openNext();
  };
  const onEnd = (job: ReadJob): void => {
    line.remove(job.tenant, job);
  };

  const open = async (): Promise<void> => {
    const number = places.length;
    const onFree = dispatch;
    places.push(await openPlace(number, { start, deadlineMs, pauseMs, logger, metrics, onFree }));
    dispatch();
  };
  const openNext = (): void => {
    if (isClosed || opening !== undefined || places.length >= readers) return;
    opening = open()
      .catch((error: unknown) => {
        logger.warn({ reader: places.length, err: error }, 'a reader could not be started');
      })
      .finally(() => {
        opening = undefined;
      });
  };

  await open();
  return {
    read: async (request, options) => {
      if (options.signal.aborted) return undefined;
      if (isClosed) throw refusalOf('ended');
      const { job, answer } = beginJob(request, {
        ...options,
        deadlineMs,
        onEnd,
        onRefused: metrics.refused,
      });
      line.add(options.tenant, job)?.refuse('full');
      dispatch();
      return answer;
    },
    close: async () => {
      isClosed = true;
      for (let job = line.take(); job !== undefined; job = line.take()) job.refuse('ended');
      await opening;
      await Promise.all(places.map((place) => place.close()));
    },
  };
}
