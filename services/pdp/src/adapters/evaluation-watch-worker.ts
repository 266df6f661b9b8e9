import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type EvaluationWatch } from '../ports/evaluation-watch.js';

/** What the watching thread is given. `cell[0]` is odd while an evaluation runs, and differs for every one. */
export interface WatchdogData {
  readonly cell: Int32Array;
  readonly hardMs: number;
}

/** The thread's file: beside this one, compiled or not. */
export const watchdogThread = new URL(
  import.meta.url.endsWith('.ts') ? './watchdog-thread.ts' : './watchdog-thread.js',
  import.meta.url,
);

/**
 * Starts the thread that ends the process when one evaluation runs longer than `hardMs`.
 * @returns the watch to tell of evaluations; `stop` ends the thread
 */
export const startEvaluationWatch = async (
  hardMs: number,
): Promise<EvaluationWatch & { readonly stop: () => Promise<void> }> => {
  const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: WatchdogData = { cell, hardMs };
  const worker = new Worker(watchdogThread, { workerData, execArgv: [] });
  await once(worker, 'online');
  worker.unref();
  return {
    begin: () => {
      Atomics.add(cell, 0, 1);
    },
    end: () => {
      Atomics.add(cell, 0, 1);
    },
    stop: async () => {
      await worker.terminate();
    },
  };
};
