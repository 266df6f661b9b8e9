import { availableParallelism } from 'node:os';
import { type Logger, type ObserveDependency, type Registry } from '@tenure/process';
import { createReaderMetrics } from './adapters/readers/reader-metrics.js';
import { type ReaderPool, startReaderPool } from './adapters/readers/reader-pool.js';
import { readerThreads } from './adapters/readers/thread-reader.js';
import { type InventoryConfig } from './config.js';

/** The program of a reader thread. */
const readerThread = new URL('./reader-thread.js', import.meta.url);

interface Watching {
  readonly registry: Registry;
  readonly observe: ObserveDependency;
  readonly logger: Logger;
}

/**
 * Starts the reader threads; undefined when the configuration has none. The store must be migrated.
 * @throws Error when one of them cannot read the store
 */
export async function startConfiguredReaders(
  config: InventoryConfig,
  { registry, observe, logger }: Watching,
): Promise<ReaderPool | undefined> {
  const { readerQueue: capacity, readerDeadlineMs: deadlineMs } = config;
  if (config.readers === 0) return undefined;
  // Leaves one core to short requests.
  const readers = Math.min(config.readers, Math.max(1, availableParallelism() - 1));
  return startReaderPool({
    start: readerThreads({ thread: readerThread, config, observe }),
    readers,
    capacity,
    deadlineMs,
    logger,
    metrics: (waiting) => createReaderMetrics(registry, waiting),
  });
}
