import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { NotFoundError, UnavailableError } from '@tenure/contracts';
import { type DecisionFilter, type Matrix, memberOf } from '@tenure/policy';
import { createLimiter } from '@tenure/process';
import { type AuditQueries, type FollowedDecisions } from '../ports/audit-queries.js';
import { type AuditPolicy, type Tasks } from './audit-queries-tasks.js';

/** A live view, which runs until it is terminated. */
export interface FollowTask {
  readonly kind: 'follow';
  readonly dir: string;
  readonly filter: DecisionFilter;
  readonly from: string | undefined;
  readonly milliseconds: number;
}

/** The work of a thread: one of the tasks with its arguments, or a live view. */
export type AuditTask =
  | { readonly kind: keyof Tasks; readonly args: readonly unknown[] }
  | FollowTask;

type Results = { readonly [Kind in keyof Tasks]: Awaited<ReturnType<Tasks[Kind]>> };

export interface AuditQueriesOptions {
  /** Directory of decision logs; undefined where there are no files. */
  readonly dir: string | undefined;
  readonly policy: () => AuditPolicy;
}

/** The thread's file, compiled. */
const THREAD = new URL('./audit-queries-thread.js', import.meta.url);

/** Milliseconds of a task, and of a search before it returns the decisions found so far. */
const TASK_MS = 15_000;
const SEARCH_MS = 8000;
/** Threads at a time, tasks that wait for one, and live views. */
const MAX_THREADS = 2;
const MAX_WAITING = 16;
const MAX_FOLLOWERS = 4;
const HEAP_MB = 256;

const DECISION_LOG_ABSENT = 'This decision point keeps no decision log in files.';

/** Runs each task in a thread of its own, with a limit of concurrent threads. */
export function createAuditQueries({ dir, policy }: AuditQueriesOptions): AuditQueries {
  const threads = createLimiter({
    atOnce: MAX_THREADS,
    waiting: MAX_WAITING,
    refusal: () => new UnavailableError('Too many queries at once.'),
  });
  let followers = 0;
  let matrix: { readonly revision: string; readonly result: Promise<Matrix> } | undefined;

  const perform = <Kind extends keyof Tasks>(
    kind: Kind,
    ...args: Parameters<Tasks[Kind]>
  ): Promise<Results[Kind]> =>
    // as audit-queries-thread.ts posts it
    threads.run<Results[Kind]>(async () => (await resultOf({ kind, args })) as Results[Kind]);
  const logDir = (): string => {
    if (dir === undefined) throw new NotFoundError(DECISION_LOG_ABSENT);
    return dir;
  };
  const matrixNow = (): Promise<Matrix> => {
    const current = policy();
    if (matrix?.revision === current.revision) return matrix.result;
    const result = perform('matrix', current);
    matrix = { revision: current.revision, result };
    result.catch(() => {
      matrix = undefined; // the next one tries again
    });
    return result;
  };

  return {
    search: async (search) => perform('search', logDir(), search, SEARCH_MS),
    find: async (id) => perform('find', logDir(), id),
    explain: (decision) => perform('explain', policy(), decision),
    matrix: matrixNow,
    attempt: (attempt) => perform('attempt', policy(), attempt),
    follow: async (filter, from, signal, onBatch) => {
      const task: AuditTask = {
        kind: 'follow',
        dir: logDir(),
        filter,
        from,
        milliseconds: SEARCH_MS,
      };
      if (followers >= MAX_FOLLOWERS)
        throw new UnavailableError('Too many live views at once; close another one.');
      followers += 1;
      const worker = startThread(task);
      worker.on('message', (message: unknown) => {
        onBatch(memberOf(message, 'batch') as FollowedDecisions); // as audit-queries-thread.ts posts it
      });
      try {
        const ended = once(worker, 'exit');
        if (!signal.aborted) await Promise.race([ended, once(signal, 'abort')]);
      } finally {
        followers -= 1;
        await worker.terminate();
      }
    },
  };
}

/** Runs a task in a thread of its own, and returns its result. */
async function resultOf(task: AuditTask): Promise<unknown> {
  const worker = startThread(task);
  try {
    const messages: readonly unknown[] = await once(worker, 'message', {
      signal: AbortSignal.timeout(TASK_MS),
    });
    return memberOf(messages[0], 'result');
  } catch (error) {
    throw new UnavailableError('The query took too long or too much memory. Narrow it down.', {
      cause: error,
    });
  } finally {
    await worker.terminate();
  }
}

const startThread = (task: AuditTask): Worker =>
  new Worker(THREAD, {
    workerData: task,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
