import {
  AppError,
  type CallContext,
  NO_OBLIGATIONS,
  type ServerChange,
  type ServerRecord,
  type ServerTask,
  type Subject,
  type TaskKind,
  timestampOf,
} from '@tenure/contracts';
import { newCallContext } from '@tenure/signed-context';
import { later } from '../domain/moment.js';
import { statusOf } from '../domain/status.js';
import { type ServerStore } from '../ports/server-store.js';
import { buildStep } from './build.js';
import { rebootStep, startStep, stopStep } from './power.js';
import { rebuildStep } from './rebuild.js';
import { removeStep } from './release.js';
import { rescueStep, unrescueStep } from './rescue.js';
import { type Step, type StepContext, type StepResult } from './step.js';

/** The result of one look at a server: look again at once or later, done, or another replica has it locked. */
export type Visit = 'again' | 'later' | 'done' | 'elsewhere';

export interface VisitDeps extends Pick<StepContext, 'limits' | 'allocations' | 'nodes'> {
  readonly store: ServerStore;
  /** This replica's name: after a restart it still owns the tasks that it had locked. */
  readonly holder: string;
  readonly now: () => Date;
  readonly onEnd: (kind: TaskKind, failed: boolean) => void;
}

const STEPS: Readonly<Record<TaskKind, Step>> = {
  build: buildStep,
  delete: removeStep,
  rebuild: rebuildStep,
  rescue: rescueStep,
  unrescue: unrescueStep,
  start: startStep,
  stop: stopStep,
  reboot: rebootStep,
};

const ACTIONS: Readonly<Record<TaskKind, string>> = {
  build: 'os_compute_api:servers:create',
  delete: 'os_compute_api:servers:delete',
  rebuild: 'os_compute_api:servers:rebuild',
  rescue: 'os_compute_api:os-rescue',
  unrescue: 'os_compute_api:os-unrescue',
  start: 'os_compute_api:servers:start',
  stop: 'os_compute_api:servers:stop',
  reboot: 'os_compute_api:servers:reboot',
};

/** Longer than the calls of one visit may take together, so that no other replica begins before it has ended. */
const HOLD_SECONDS = 60;
const RENEW_BELOW_SECONDS = 40;

const EVERY_SERVER = { mode: 'all', predicates: [] } as const;

/** The context of work that the service does for itself: it looks after every server. */
export const ownContext = (requestId: string, action = 'tenure:compute:reconcile'): CallContext =>
  newCallContext(action, {
    request_id: requestId,
    obligations: { ...NO_OBLIGATIONS, filter: { ...EVERY_SERVER, predicates: [] } },
  });

/** With what follows from the change: Nova's status, and when it was. */
export function completed(server: ServerRecord, set: ServerChange, now: Date): ServerChange {
  const { vm_state, task_state } = { ...server, ...set };
  return { ...set, status: statusOf(vm_state, task_state), updated_at: timestampOf(now) };
}

/**
 * Looks at a server and does the next step of what is being done with it. Everything is read anew, and written over the
 * revision that was read: another task that was requested meanwhile wins, and the next visit sees it.
 * @throws AppError when another part does not answer, or another replica wrote first
 */
export async function visit(deps: VisitDeps, uuid: string, requestId: string): Promise<Visit> {
  const server = await found(deps, uuid, requestId);
  if (server === undefined || server.task === null) return 'done';
  if (isElsewhere(deps, server.task)) return 'elsewhere';
  const { store, allocations, nodes, limits, now } = deps;
  const mine = await acquired(deps, server, server.task);
  const callContext = contextOfTask(mine.task);
  const placement = await store.placement(uuid, ownContext(requestId));
  const moment = now();
  const worked = workedSeconds(mine.task, moment);
  const context = {
    ...mine,
    placement,
    callContext,
    now: moment,
    worked,
    limits,
    store,
    allocations,
    nodes,
  };
  return carryOut(deps, mine, await STEPS[mine.task.kind](context));
}

/** Releases a server that this replica has locked but does not work on any more. */
export async function release(
  { store, holder }: Pick<VisitDeps, 'store' | 'holder'>,
  uuid: string,
): Promise<void> {
  const context = ownContext('req-stop');
  const server = await store.find(uuid, context);
  if (server.task?.holder !== holder) return;
  await store.update(server, { task: { ...server.task, holder: null, held_until: null } }, context);
}

async function found(
  { store }: VisitDeps,
  uuid: string,
  requestId: string,
): Promise<ServerRecord | undefined> {
  try {
    return await store.find(uuid, ownContext(requestId));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const isElsewhere = ({ holder, now }: VisitDeps, task: ServerTask): boolean =>
  task.holder !== null &&
  task.holder !== holder &&
  task.held_until !== null &&
  Date.parse(task.held_until) > now().getTime() &&
  // A lock with more time left than is possible was taken by a clock that was set back since.
  Date.parse(task.held_until) <= now().getTime() + 2 * HOLD_SECONDS * 1000;

/** Locks the task for this replica, so that no other works on the server at the same time. */
async function acquired(
  deps: VisitDeps,
  server: ServerRecord,
  task: ServerTask,
): Promise<{ readonly server: ServerRecord; readonly task: ServerTask }> {
  if (isAcquiredHere(task, deps)) return { server, task };
  const { store, holder, now } = deps;
  const moment = now();
  const taken = {
    ...task,
    holder,
    held_until: later(moment, HOLD_SECONDS),
    worked_seconds: workedSeconds(task, moment),
  };
  const context = ownContext(task.request_id);
  return { server: await store.update(server, { task: taken }, context), task: taken };
}

const contextOfTask = (task: ServerTask): CallContext => ({
  ...ownContext(task.request_id, ACTIONS[task.kind]),
  subject: asker(task),
  obligations: NO_OBLIGATIONS,
});

/** Seconds of work on the task, those of the current lock included. */
function workedSeconds({ worked_seconds = 0, held_until, since }: ServerTask, now: Date): number {
  if (held_until === null) return worked_seconds;
  const acquiredAt = Math.max(Date.parse(held_until) - HOLD_SECONDS * 1000, Date.parse(since));
  return worked_seconds + workedBetween(acquiredAt, now.getTime());
}

async function carryOut(
  { store, now, onEnd }: VisitDeps,
  { server, task }: { readonly server: ServerRecord; readonly task: ServerTask },
  result: StepResult,
): Promise<Visit> {
  const context = ownContext(task.request_id);
  switch (result.kind) {
    case 'wait':
      return 'later';
    case 'again':
      return 'again';
    case 'go on':
      await store.update(server, completed(server, result.set, now()), context);
      return 'again';
    case 'end': {
      const set = { ...result.set, task: null, task_state: null };
      await store.update(server, completed(server, set, now()), context);
      onEnd(task.kind, result.failed);
      return 'done';
    }
    case 'removed':
      await store.remove(server, context);
      onEnd(task.kind, false);
      return 'done';
  }
}

const isNotFound = (error: unknown): boolean => error instanceof AppError && error.status === 404;

/** Locked by this replica, with enough time left. A lock with too much time left was taken by another clock. */
function isAcquiredHere(
  { holder, held_until }: ServerTask,
  { holder: here, now }: VisitDeps,
): boolean {
  if (holder !== here || held_until === null) return false;
  return held_until > later(now(), RENEW_BELOW_SECONDS) && held_until <= later(now(), HOLD_SECONDS);
}

/** The user who requested the task, for the histories of nodes; without rights. */
const asker = ({ user_id }: ServerTask): Subject | null =>
  user_id === null
    ? null
    : { user_id, project_id: null, system_scope: null, domain_id: null, roles: [] };

/** Seconds between two moments, at least 0 and at most the time of a lock: a clock that was set did no work. */
const workedBetween = (from: number, to: number): number =>
  Math.min(Math.max(0, (to - from) / 1000), HOLD_SECONDS);
