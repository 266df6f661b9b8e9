import { parentPort, workerData } from 'node:worker_threads';
import { followDecisions, logEnds } from '@tenure/decision-log';
import { matchesFilter } from '@tenure/policy';
import { type FollowedDecisions } from '../ports/audit-queries.js';
import { searchLog, TASKS } from './audit-queries-tasks.js';
import { type AuditTask, type FollowTask } from './audit-queries-threads.js';

// Each task runs in a thread of its own, so that a query never delays a decision and can be terminated.

/** Milliseconds between batches of a live view, and how many decisions are in one. */
const BATCH_MS = 500;
const BATCH = 50;

// passed by audit-queries-threads.ts, which alone starts this thread
const task = workerData as AuditTask;
const result: unknown = await (task.kind === 'follow'
  ? follow(task)
  : Reflect.apply(TASKS[task.kind], undefined, task.args));
parentPort?.postMessage({ result });

async function follow({ dir, filter, from, milliseconds }: FollowTask): Promise<void> {
  let batch: FollowedDecisions = { decisions: [], left: 0 };
  setInterval(() => {
    if (batch.decisions.length === 0) return;
    parentPort?.postMessage({ batch });
    batch = { decisions: [], left: 0 };
  }, BATCH_MS);
  // Before the last ones are read, so that none is missed; one may be sent twice.
  const ends = await logEnds(dir);
  const search = { ...filter, ...(from !== undefined && { since: from }), limit: BATCH, skip: 0 };
  const last = from === undefined ? undefined : await searchLog(dir, search, milliseconds);
  parentPort?.postMessage({ batch: { decisions: last?.decisions.toReversed() ?? [], left: 0 } });
  for await (const decision of followDecisions(dir, ends, new AbortController().signal)) {
    if (!matchesFilter(decision, filter)) continue;
    const { decisions, left } = batch;
    batch =
      decisions.length < BATCH
        ? { decisions: [...decisions, decision], left }
        : { decisions, left: left + 1 };
  }
}
