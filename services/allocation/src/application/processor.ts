import { performance } from 'node:perf_hooks';
import { createOutage, type Logger, type Registry, repeat } from '@tenure/process';
import { type AllocationStore } from '../ports/allocation-store.js';
import { type NodePool } from '../ports/node-pool.js';
import { allocate, type AllocateDeps, type Outcome } from './allocate.js';
import { createFailureTime } from './failure-time.js';
import { createAllocationMetrics } from './metrics.js';
import { recoverAllocations } from './recovery.js';
import { createWorkerPool, type Job } from './worker-pool.js';

export interface ProcessorOptions {
  readonly store: AllocationStore;
  readonly pool: NodePool;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly newRequestId: () => string;
  readonly workers: number;
  readonly emptyPauseMs: number;
  /** Milliseconds between looks for unfinished allocations. */
  readonly recoverEveryMs: number;
  /** Milliseconds after which an unfinished allocation is taken up by any replica. */
  readonly staleMs: number;
  /** Milliseconds of nothing but failures after which an allocation ends in error. */
  readonly failureTimeoutMs: number;
  /** A monotonic clock, milliseconds. */
  readonly elapsedMs?: () => number;
}

/** Ends acknowledged allocations: those submitted here, and those found unfinished. */
export interface Processor {
  readonly submit: (job: Job) => void;
  /** Starts looking for unfinished allocations. */
  readonly start: () => void;
  /** Whether the last look for unfinished allocations reached the inventory. */
  readonly isReady: () => boolean;
  readonly stop: (graceMs: number) => Promise<void>;
}

const MAX_WAITING = 10_000;

type Run = (job: Job, signal: AbortSignal) => Promise<Outcome>;

/** Nothing runs until something is submitted or it is started. */
export function createProcessor(options: ProcessorOptions): Processor {
  const { store, logger, now, newRequestId, staleMs } = options;
  const run = runWith(options);
  const workers = createWorkerPool({
    workers: options.workers,
    maxWaiting: MAX_WAITING,
    run: async (job, signal) => {
      const started = now();
      metrics.ended(await run(job, signal), (now() - started) / 1000);
    },
    onError: (error, { uuid, requestId }) => {
      logger.error({ err: error, allocation: uuid, request_id: requestId }, 'run failed');
    },
  });
  const { submit } = workers;
  const metrics = createAllocationMetrics(options.registry, workers.size);

  const stopping = new AbortController();
  const outage = createOutage({
    began: (error) => {
      logger.warn({ err: error }, 'could not look for unfinished allocations');
    },
    isOn: true,
  });
  const recover = async (): Promise<void> => {
    try {
      metrics.recovered(await recoverAllocations({ store, submit, newRequestId, now, staleMs }));
      outage.succeeded();
    } catch (error) {
      outage.failed(error);
    }
  };
  // Spread by 20 %, so that replicas do not look in step.
  const pauseMs = (): number => options.recoverEveryMs * (0.8 + options.random() * 0.4);
  let recovering: Promise<void> | undefined;
  return {
    submit,
    start: () => {
      recovering ??= repeat(recover, pauseMs, stopping.signal);
    },
    isReady: () => !stopping.signal.aborted && !outage.isOn(),
    stop: async (graceMs) => {
      stopping.abort();
      await workers.stop(graceMs);
    },
  };
}

function runWith(options: ProcessorOptions): Run {
  const { logger, failureTimeoutMs, elapsedMs = () => performance.now() } = options;
  const failureTime = createFailureTime(failureTimeoutMs, elapsedMs);
  const deps: AllocateDeps = { ...options, failureTime };
  return async (job, signal) => {
    const about = { allocation: job.uuid, request_id: job.requestId };
    const outcome = await allocate(deps, { ...job, signal }, (error) => {
      logger.warn({ err: error, ...about }, 'allocation not finished by this run');
    });
    if (outcome !== 'deferred') failureTime.forget(job.uuid);
    logger.info({ ...about, outcome }, 'allocation processed');
    return outcome;
  };
}
