import { type ListReaders } from '../../ports/list-readers.js';
import { createFairLine } from './fair-line.js';
import { beginJob, type ReadJob, refusalOf } from './read-job.js';
import { type ReaderMetrics } from './reader-metrics.js';
import { openPlace, type PlaceOptions, type ReaderPlace } from './reader-place.js';

export interface PoolOptions extends Pick<PlaceOptions, 'start' | 'logger'> {
  /** How many readers. */
  readonly readers: number;
  /** Requests that may wait for a reader. */
  readonly capacity: number;
  /** Milliseconds within which a request is answered; a reader that is busy with one for longer is replaced. */
  readonly deadlineMs: number;
  /** Milliseconds before the first attempt to replace a reader. */
  readonly pauseMs?: number;
  /** @param waiting how many requests wait for a reader now */
  readonly metrics: (waiting: () => number) => ReaderMetrics;
}

export interface ReaderPool extends ListReaders {
  /** Ends all readers; what is under way or waits is answered 503. */
  readonly close: () => Promise<void>;
}

const FIRST_PAUSE_MS = 100;

const closeAll = async (places: readonly ReaderPlace[]): Promise<void> => {
  await Promise.all(places.map((place) => place.close()));
};

/** @throws Error when one cannot be opened; those that were are closed then */
const openPlaces = async (
  count: number,
  options: PlaceOptions,
): Promise<readonly ReaderPlace[]> => {
  const numbers = Array.from({ length: count }, (_, number) => number);
  const opened = await Promise.allSettled(numbers.map((number) => openPlace(number, options)));
  const places = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = opened.find((one) => one.status === 'rejected');
  if (failed === undefined) return places;
  await closeAll(places);
  throw failed.reason;
};

/**
 * Starts readers and hands them requests, one at a time each, by turns of tenants. A reader that ends or hangs is replaced.
 * @throws Error when a reader cannot be started now
 */
export const startReaderPool = async (options: PoolOptions): Promise<ReaderPool> => {
  const { start, readers, capacity, deadlineMs, pauseMs = FIRST_PAUSE_MS, logger } = options;
  const line = createFairLine<ReadJob>(capacity);
  const metrics = options.metrics(line.length);
  let places: readonly ReaderPlace[] = [];
  let isClosed = false;

  const dispatch = (): void => {
    for (const place of places) {
      const job = place.isFree() ? line.take() : undefined;
      if (job !== undefined) place.take(job);
    }
  };
  const onEnd = (job: ReadJob): void => {
    line.remove(job.tenant, job);
  };

  const place = { start, deadlineMs, pauseMs, logger, metrics, onFree: dispatch };
  places = await openPlaces(readers, place);
  return {
    read: async (request, turn) => {
      if (turn.signal.aborted) return undefined;
      if (isClosed) throw refusalOf('ended');
      const { job, answer } = beginJob(request, {
        ...turn,
        deadlineMs,
        onEnd,
        onRefused: metrics.refused,
      });
      line.add(turn.tenant, job)?.refuse('full');
      dispatch();
      return answer;
    },
    close: async () => {
      isClosed = true;
      for (let job = line.take(); job !== undefined; job = line.take()) job.refuse('ended');
      await closeAll(places);
    },
  };
};
