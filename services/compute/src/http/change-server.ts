import {
  AppError,
  type ContextClaims,
  NotFoundError,
  type ServerChange,
  type ServerRecord,
  type ServerTask,
  type TaskKind,
} from '@tenure/contracts';
import { retry } from '@tenure/process';
import { callContextOf } from '@tenure/signed-context';
import { completed } from '../application/visit.js';
import { assertUnlocked } from '../domain/conditions.js';
import { type TaskState } from '../domain/status.js';
import { type Allocations, type NodeVerbs } from '../ports/machines.js';
import { type FlavorStore, type KeypairStore, type ServerStore } from '../ports/server-store.js';
import { decidedServer } from './decided-server.js';

/** Collaborators of the routes. */
export interface RouteDeps {
  readonly servers: ServerStore;
  readonly keypairs: KeypairStore;
  readonly flavors: FlavorStore;
  readonly nodes: NodeVerbs;
  readonly allocations: Allocations;
  /** Hands a server with a task to the reconciler. */
  readonly submit: (uuid: string) => void;
  readonly now: () => Date;
}

// Its task is worked on while its owner wants something else.
const CONFLICT_ATTEMPTS = 8;

/** A task that a request adds to a server. It is persisted before the request is acknowledged. */
export interface NewTask {
  readonly kind: TaskKind;
  readonly taskState: TaskState;
  readonly arguments?: ServerTask['arguments'];
  readonly set?: ServerChange;
}

/** The server that was decided on, as it is now. @throws NotFoundError, TenancyChangedError */
export function namedServer(
  { servers }: Pick<RouteDeps, 'servers'>,
  claims: ContextClaims,
): Promise<ServerRecord> {
  const { uuid } = decidedServer(claims);
  return named(uuid, servers.find(uuid, callContextOf(claims)));
}

/**
 * Changes the server that was decided on. The record that `change` and the lock were checked against is the one that is replaced.
 * @param change sees the record that is written over; throws to refuse; undefined changes nothing
 */
export function changeServer(
  deps: RouteDeps,
  claims: ContextClaims,
  change: (server: ServerRecord) => ServerChange | undefined,
): Promise<ServerRecord> {
  const step = async (): Promise<ServerRecord> => {
    const before = await namedServer(deps, claims);
    assertUnlocked(before, claims);
    const set = change(before);
    if (set === undefined) return before;
    const after = completed(before, set, deps.now());
    return named(before.uuid, deps.servers.update(before, after, callContextOf(claims)));
  };
  return retry(step, {
    attempts: CONFLICT_ATTEMPTS,
    isTransient: isConflict,
    pauseMs: () => 0,
  });
}

export const taskOf = (
  claims: Pick<ContextClaims, 'request_id' | 'subject'>,
  { kind, arguments: given = {} }: Pick<NewTask, 'kind' | 'arguments'>,
  now: Date,
): ServerTask => ({
  kind,
  since: now.toISOString(),
  step: 'begin',
  seen: null,
  holder: null,
  held_until: null,
  failure: null,
  request_id: claims.request_id,
  user_id: claims.subject?.user_id ?? null,
  arguments: given,
});

/**
 * Persists a task and submits it to the reconciler. The lock of the replica that works on the server stays: no replica begins the
 * next task while a step of the one before is under way elsewhere.
 */
export async function requestTask(
  deps: RouteDeps,
  claims: ContextClaims,
  taskFor: (server: ServerRecord) => NewTask | undefined,
): Promise<ServerRecord> {
  const server = await changeServer(deps, claims, (before) => {
    const found = taskFor(before);
    if (found === undefined) return undefined;
    const { holder = null, held_until = null } = before.task ?? {};
    const task = { ...taskOf(claims, found, deps.now()), holder, held_until };
    return { ...found.set, task, task_state: found.taskState };
  });
  deps.submit(server.uuid);
  return server;
}

/** Replaces the store's "not found" by Nova's message. */
async function named<T>(uuid: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof AppError && error.status === 404)
      throw new NotFoundError(`Instance ${uuid} could not be found.`);
    throw error;
  }
}

const isConflict = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'revision_conflict';
