import { currentSpan, traced } from '@tenure/process';
import { type Urgency, type Workers } from './workers.js';

/** Begins what was accepted. The task deals with its own failures. */
type Begin = (task: () => Promise<void>) => void;

/** Work that goes on after its request was answered. Each task has a worker. */
export interface RunningTasks {
  /**
   * Runs `accept` with a worker at hand, which stays with the task that it begins, and is given back when it begins none.
   * @throws UnavailableError when no worker is free
   */
  readonly accept: (urgency: Urgency, accept: (begin: Begin) => Promise<void>) => Promise<void>;
  /** Keeps track of a task that was accepted before, for which a worker need not be free. */
  readonly add: Begin;
  /** Resolves when nothing is running any more. */
  readonly idle: () => Promise<void>;
}

/** @param kind what the work is called in traces */
export function createRunningTasks(workers: Workers, kind: string): RunningTasks {
  const running = new Set<Promise<void>>();
  const track = (begin: () => Promise<void>, free: () => void): void => {
    const task = inOwnSpan(kind, begin);
    running.add(task);
    void task.finally(() => {
      running.delete(task);
      free();
    });
  };
  return {
    accept: async (urgency, accept) => {
      const worker = { free: workers.claim(urgency) };
      const keep = (): void => undefined;
      try {
        await accept((task) => {
          track(task, worker.free);
          worker.free = keep;
        });
      } finally {
        worker.free();
      }
    },
    add: (task) => {
      track(task, workers.acquireAnyway());
    },
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** Runs a task in a span of its own, linked to the span of the request, which ends with the response. */
function inOwnSpan(kind: string, task: () => Promise<void>): Promise<void> {
  const order = currentSpan();
  return traced(`order ${kind}`, task, {
    ...(order !== undefined && { links: [order.place] }),
  });
}
