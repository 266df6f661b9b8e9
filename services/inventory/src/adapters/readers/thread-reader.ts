import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type ObserveDependency } from '@tenure/process';
import { type ListAnswer } from '../../ports/list-readers.js';
import { type Reader, type StartReader } from './reader.js';
import { type ReaderData, type ReaderMessage } from './thread-messages.js';

/** Maximum heap of each thread; a thread that exceeds it ends without the process. */
const HEAP_MB = 256;
/** Deadline for the start of a thread, in milliseconds. */
const START_MS = 60_000;

export interface ThreadOptions {
  /** The file of the thread. */
  readonly thread: URL;
  readonly config: ReaderData['config'];
  readonly observe?: ObserveDependency;
  /** Node options of the thread; none by default. */
  readonly execArgv?: readonly string[];
}

interface Waiting {
  readonly resolve: (answer: ListAnswer | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** Readers that run in threads of this process. */
export const readerThreads =
  (options: ThreadOptions): StartReader =>
  async () =>
    readerIn(await startThread(options), options.observe);

function readerIn(worker: Worker, observe: ObserveDependency | undefined): Reader {
  let waiting: Waiting | undefined;
  const ended = new Promise<void>((resolve) => {
    // An error is followed by the exit.
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
    const answered = waiting;
    waiting = undefined;
    if (message.kind === 'failed') answered?.reject(new Error(message.reason));
    else {
      for (const call of message.calls) observe?.(...call);
      answered?.resolve(message.answer);
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
}

async function startThread(options: ThreadOptions): Promise<Worker> {
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
    // The first message is `ready`; `once` rejects with the error of the thread.
    await once(worker, 'message', {
      signal: AbortSignal.any([exited.signal, AbortSignal.timeout(START_MS)]),
    });
    return worker;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

const endedError = (): Error => new Error('the reader thread ended');
