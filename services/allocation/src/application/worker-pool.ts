import { inTime } from '@tenure/process';

/** One allocation to work on. */
export interface Job {
  readonly uuid: string;
  readonly requestId: string;
}

export interface WorkerPoolOptions {
  /** Jobs at once. */
  readonly workers: number;
  /** Jobs that may wait; more are dropped, and found again by the recovery. */
  readonly maxWaiting: number;
  readonly run: (job: Job, signal: AbortSignal) => Promise<void>;
  readonly onError: (error: unknown, job: Job) => void;
}

/** Bounded concurrency over jobs; a uuid is never worked on twice at once here. */
export interface WorkerPool {
  /** @returns false when it is not taken: in hand already, too many wait, or stopped */
  readonly submit: (job: Job) => boolean;
  readonly size: () => { readonly running: number; readonly waiting: number };
  /** Takes no more jobs, drops those that wait, lets those that run finish; cuts them short after `graceMs`. */
  readonly stop: (graceMs: number) => Promise<void>;
}

export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const waiting = new Map<string, Job>();
  const running = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  let open = true;

  const startNext = (): void => {
    while (running.size < options.workers) {
      const next = waiting.values().find((job) => !running.has(job.uuid));
      if (next === undefined) return;
      waiting.delete(next.uuid);
      const work = options
        .run(next, stopping.signal)
        .catch((error: unknown) => {
          options.onError(error, next);
        })
        .finally(() => {
          running.delete(next.uuid);
          startNext();
        });
      running.set(next.uuid, work);
    }
  };

  return {
    submit: (job) => {
      if (!open || waiting.size >= options.maxWaiting) return false;
      if (running.has(job.uuid) || waiting.has(job.uuid)) return false;
      waiting.set(job.uuid, job);
      startNext();
      return true;
    },
    size: () => ({ running: running.size, waiting: waiting.size }),
    stop: async (graceMs) => {
      open = false;
      waiting.clear();
      await inTime(graceMs, Promise.allSettled([...running.values()]), () => undefined);
      stopping.abort();
    },
  };
}
