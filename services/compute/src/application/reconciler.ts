import { AppError, type ServerRecord } from '@tenure/contracts';
import { createLimiter, createOutage, type Logger, repeat } from '@tenure/process';
import { type ComputeMetrics } from './metrics.js';
import { release, ownContext, type Visit, type VisitDeps, visit } from './visit.js';
import { watch } from './watch.js';

export interface ReconcilerOptions extends Omit<VisitDeps, 'onEnd'> {
  readonly logger: Logger;
  readonly metrics: ComputeMetrics;
  /** Cut short by a stop: then it resolves early. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly newRequestId: () => string;
  /** Visits at once. */
  readonly workers: number;
  /** Milliseconds between two looks at a server that something is under way for; they grow to the longest. */
  readonly poll: { readonly firstMs: number; readonly longestMs: number };
  /** Milliseconds between looks for servers whose task no replica has locked. */
  readonly recoverEveryMs: number;
  /** Milliseconds between looks at the machines of servers that nothing is done with. */
  readonly watchEveryMs: number;
}

/** Ends what was acknowledged: what is submitted here, and what is found unfinished. */
export interface Reconciler {
  /** Works on a server until nothing is to be done with it any more. */
  readonly submit: (uuid: string) => void;
  readonly start: () => void;
  /** Whether the last look for unfinished tasks reached the inventory. */
  readonly isReady: () => boolean;
  /** Begins nothing any more, and waits for the visits that are under way. */
  readonly stop: () => Promise<void>;
}

const PAGE = 500;
const GROWTH = 1.5;

type Look = (uuid: string) => Promise<Visit>;

export function createReconciler(options: ReconcilerOptions): Reconciler {
  const { logger } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const runs = createRuns(options, signal);
  let loops: readonly Promise<void>[] | undefined;
  const outage = createOutage({
    began: (error) => {
      logger.warn({ err: error }, 'could not look for unfinished servers');
    },
    isOn: true,
  });

  const recover = async (): Promise<void> => {
    try {
      for await (const { uuid } of serversThat(options, true)) runs.submitIdle(uuid);
      outage.succeeded();
    } catch (error) {
      outage.failed(error);
    }
  };

  const watchAll = async (): Promise<void> => {
    try {
      for await (const server of serversThat(options, false)) {
        if (signal.aborted) return;
        await watch(options, server);
      }
    } catch (error) {
      logger.info({ err: error }, 'could not look at all servers');
    }
  };

  return {
    submit: runs.submit,
    start: () => {
      loops ??= [
        repeat(recover, () => options.recoverEveryMs, signal),
        repeat(watchAll, () => options.watchEveryMs, signal),
      ];
    },
    isReady: () => !signal.aborted && !outage.isOn(),
    stop: async () => {
      stopping.abort();
      const inHand = await runs.completed();
      // So that another replica need not wait until the locks of this one expire.
      await Promise.allSettled([...inHand.map((uuid) => release(options, uuid)), ...(loops ?? [])]);
    },
  };
}

/** The servers that this replica works on, each by one run at a time. */
function createRuns(options: ReconcilerOptions, signal: AbortSignal) {
  const { metrics, sleep, poll } = options;
  const visits = createLimiter({ atOnce: options.workers });
  const look = lookWith(options);
  const running = new Map<string, Promise<void>>();
  const submittedAgain = new Set<string>();

  const run = async (uuid: string): Promise<void> => {
    let pause = poll.firstMs;
    while (!signal.aborted) {
      const seen = await visits.run(() => look(uuid));
      if (seen === 'done' || seen === 'elsewhere') return;
      pause = seen === 'again' ? poll.firstMs : Math.min(pause * GROWTH, poll.longestMs);
      if (seen === 'later') await sleep(pause, signal);
    }
  };

  const submit = (uuid: string): void => {
    if (signal.aborted) return;
    if (running.has(uuid)) {
      submittedAgain.add(uuid);
      return;
    }
    const work = run(uuid).finally(() => {
      running.delete(uuid);
      metrics.running(running.size);
      // The run may have seen the end of one task just before the next was persisted.
      if (submittedAgain.delete(uuid)) submit(uuid);
    });
    running.set(uuid, work);
    metrics.running(running.size);
  };

  return {
    submit,
    /** Submits a server unless this replica already works on it. */
    submitIdle: (uuid: string): void => {
      if (!running.has(uuid)) submit(uuid);
    },
    /** Waits for the visits that are under way, and returns the servers that were in hand. */
    completed: async (): Promise<readonly string[]> => {
      const inHand = [...running.keys()];
      await Promise.allSettled([...running.values()]);
      return inHand;
    },
  };
}

/** Servers with a task, or without one, page by page. */
async function* serversThat(
  { store, newRequestId }: ReconcilerOptions,
  pending: boolean,
): AsyncGenerator<ServerRecord> {
  const context = ownContext(newRequestId());
  let marker: string | undefined;
  do {
    const query = { pending: String(pending), ...(marker !== undefined && { marker }) };
    const { servers, more } = await store.list(query, PAGE, context);
    yield* servers;
    marker = more ? servers.at(-1)?.uuid : undefined;
  } while (marker !== undefined);
}

function lookWith(options: ReconcilerOptions): Look {
  const { logger, metrics, newRequestId } = options;
  const deps: VisitDeps = { ...options, onEnd: metrics.ended };
  return async (uuid) => {
    try {
      return await visit(deps, uuid, newRequestId());
    } catch (error) {
      // Another task was persisted meanwhile.
      if (isConflict(error)) return 'again';
      metrics.failed();
      logger[isExpected(error) ? 'info' : 'warn'](
        { server: uuid, err: error },
        'will be tried again',
      );
      return 'later';
    }
  };
}

const isConflict = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'revision_conflict';

/** Errors that pass by themselves, and are not logged as warnings at each repetition. */
const isExpected = (error: unknown): boolean =>
  error instanceof AppError &&
  (error.status >= 500 || error.status === 409 || error.status === 412);
