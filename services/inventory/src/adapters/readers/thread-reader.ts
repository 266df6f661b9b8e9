import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type ObserveDependency } from '@tenure/process';
import { type ListAnswer } from '../../ports/list-readers.js';
import { type Reader, type StartReader } from './reader.js';
import { type ReaderData, type ReaderMessage } from './thread-messages.js';

/** The thread's file, compiled. */
export const readerThread = new URL('./reader-thread.js', import.meta.url);

/** Of each thread; one that needs more ends alone. */
const HEAP_MB = 256;
/** Milliseconds within which a thread is ready. */
const START_MS = 60_000;

export interface ThreadOptions {
  /** The thread's file. */
  readonly thread: URL;
  readonly config: ReaderData['config'];
  readonly observe?: ObserveDependency;
  /** Of Node, for the thread; none by default. */
  readonly execArgv?: readonly string[];
}

const endedError = (): Error => new Error('the reader thread ended');

const startThread = async (options: ThreadOptions): Promise<Worker> => {
  const { thread, config, observe, execArgv = [] } = options;
  const workerData: ReaderData = { config, isObserved: observe !== undefined };
  const worker = new Worker(thread, {
    workerData,
    execArgv: [...execArgv],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  try {
    const exited = new AbortController();
    worker.once('exit', () => {
      exited.abort(endedError());
    });
    // Its first message says that it is ready; rejects with what the thread throws.
    await once(worker, 'message', {
      signal: AbortSignal.any([exited.signal, AbortSignal.timeout(START_MS)]),
    });
    return worker;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
};

interface Waiting {
  readonly resolve: (answer: ListAnswer | undefined) => void;
  readonly reject: (error: Error) => void;
}

const readerIn = (worker: Worker, observe: ObserveDependency | undefined): Reader => {
  let waiting: Waiting | undefined;
  const ended = new Promise<void>((resolve) => {
    // What it threw is followed by its exit.
    worker
      .on('error', () => undefined)
      .once('exit', () => {
        waiting?.reject(endedError());
        waiting = undefined;
        resolve();
      });
  });
  worker.on('message', (message: ReaderMessage) => {
    if (message.kind === 'ready') return;
    const asked = waiting;
    waiting = undefined;
    if (message.kind === 'failed') asked?.reject(new Error(message.reason));
    else {
      for (const call of message.calls) observe?.(...call);
      asked?.resolve(message.answer);
    }
  });
  return {
    read: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        worker.postMessage(request);
      }),
    ended,
    stop: async () => {
      await worker.terminate();
    },
  };
};

/** Readers that are threads of this process. */
export const readerThreads =
  (options: ThreadOptions): StartReader =>
  async () =>
    readerIn(await startThread(options), options.observe);
