import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { isJsonObject } from '@tenure/policy';

/** A message of a thread: its progress, and at the end its result. */
export type ThreadMessage<Result> =
  | { readonly questions: number; readonly share: number }
  | { readonly result: Result };

/** Receives the number of answered questions, and the share of the work that is done, from 0 to 1. */
export type Progress = (questions: number, share: number) => void;

/**
 * Runs one worker thread for each task.
 * @param thread the compiled file of the thread; it gets its task as `workerData` and posts `ThreadMessage`s
 * @throws the error of a thread
 */
export function runInThreads<Result>(
  thread: URL,
  tasks: readonly unknown[],
  progress: Progress,
): Promise<readonly Result[]> {
  const states = tasks.map(() => ({ questions: 0, share: 0 }));
  return Promise.all(
    tasks.map((task, part) =>
      runOne<Result>(thread, task, (questions, share) => {
        states[part] = { questions, share };
        const sum = (key: 'questions' | 'share'): number =>
          states.reduce((total, state) => total + state[key], 0);
        progress(sum('questions'), sum('share') / tasks.length);
      }),
    ),
  );
}

/** Distributes items round-robin over at most `parts` lists. */
export const distributed = <Item>(items: readonly Item[], parts: number): readonly Item[][] =>
  Array.from({ length: Math.min(parts, items.length) }, (_, part) =>
    items.filter((_item, at) => at % parts === part),
  );

async function runOne<Result>(
  thread: URL,
  workerData: unknown,
  progress: Progress,
): Promise<Result> {
  const worker = new Worker(thread, { workerData });
  let found: { readonly result: Result } | undefined;
  worker.on('message', (message: unknown) => {
    if (!isMessage<Result>(message)) return;
    if ('result' in message) found = message;
    else progress(message.questions, message.share);
  });
  // rejects with the error of the thread
  await once(worker, 'exit');
  if (found === undefined) throw new Error('a thread ended without a result');
  return found.result;
}

const isMessage = <Result>(value: unknown): value is ThreadMessage<Result> => isJsonObject(value);
