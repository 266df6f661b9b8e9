import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { isJsonObject, type PolicyMaterial } from '@tenure/policy';
import { type Assignment, type Examination, type Progress } from './examine.js';
import { together } from './tally.js';

/** What a thread is started with. */
export interface ThreadTask {
  /** Not its files: a pipe gives what it has once, and a file may change. */
  readonly material: PolicyMaterial;
  readonly assignment: Assignment;
}

/** What a thread tells: how far it is, then what it found. */
export type ThreadMessage =
  { readonly questions: number; readonly share: number } | { readonly examination: Examination };

/** Splits the work by switches, as evenly as it goes. */
export const split = ({ actions, worlds }: Assignment, parts: number): readonly Assignment[] =>
  Array.from({ length: Math.min(parts, worlds.length) }, (_, part) => ({
    actions,
    worlds: worlds.filter((_world, at) => at % parts === part),
  }));

/** What was found in all parts. */
export const merged = (parts: readonly Examination[]): Examination =>
  parts.reduce((one, other) => ({
    questions: one.questions + other.questions,
    findings: one.findings.flatMap((finding, at) => {
      const same = other.findings[at];
      return same === undefined ? [finding] : [together(finding, same)];
    }),
  }));

const isMessage = (value: unknown): value is ThreadMessage => isJsonObject(value);

const examineInThread = async (
  task: ThreadTask,
  progress: (questions: number, share: number) => void,
): Promise<Examination> => {
  const worker = new Worker(new URL('./examiner-thread.js', import.meta.url), { workerData: task });
  let found: Examination | undefined;
  worker.on('message', (message: unknown) => {
    if (!isMessage(message)) return;
    if ('examination' in message) found = message.examination;
    else progress(message.questions, message.share);
  });
  // rejects with what the thread threw
  await once(worker, 'exit');
  if (found === undefined) throw new Error('a thread ended without a result');
  return found;
};

/**
 * Examines a policy with several threads, each with a policy of its own.
 * @throws what a thread throws, as `examine` does
 */
export const examineInThreads = async (
  material: PolicyMaterial,
  parts: readonly Assignment[],
  progress: Progress,
): Promise<Examination> => {
  const states = parts.map(() => ({ questions: 0, share: 0 }));
  const tell = (part: number, questions: number, share: number): void => {
    states[part] = { questions, share };
    const sum = (key: 'questions' | 'share'): number =>
      states.reduce((total, state) => total + state[key], 0);
    progress(sum('questions'), sum('share') / parts.length);
  };
  return merged(
    await Promise.all(
      parts.map((assignment, part) =>
        examineInThread({ material, assignment }, (questions, share) => {
          tell(part, questions, share);
        }),
      ),
    ),
  );
};
