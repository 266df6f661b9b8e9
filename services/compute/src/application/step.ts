import {
  AppError,
  type CallContext,
  type ServerChange,
  type ServerPlacement,
  type ServerRecord,
  type ServerTask,
  timestampOf,
} from '@tenure/contracts';
import { type Allocations, type NodeVerbs } from '../ports/machines.js';
import { type ServerStore } from '../ports/server-store.js';

/** Seconds that work may take. */
interface Limits {
  readonly build: number;
  readonly remove: number;
  readonly power: number;
  /** Given to an operating system to shut down by itself. */
  readonly shutdown: number;
}

/** The input of a step of a task: everything as it was read a moment ago. */
export interface StepContext {
  readonly server: ServerRecord;
  readonly task: ServerTask;
  readonly placement: ServerPlacement;
  readonly callContext: CallContext;
  readonly now: Date;
  /** Seconds of work that went into the task. */
  readonly worked: number;
  readonly limits: Limits;
  readonly store: Pick<ServerStore, 'writeInstance'>;
  readonly allocations: Allocations;
  readonly nodes: NodeVerbs;
}

/** The result of a step. Every step may be repeated: after a crash in the middle of one, another replica repeats it. */
export type StepResult =
  /** Look again later: something is under way. */
  | { readonly kind: 'wait' }
  /** Look again at once. */
  | { readonly kind: 'again' }
  /** Persist this, and go on with the task. */
  | { readonly kind: 'go on'; readonly set: ServerChange }
  /** Persist this: the task is done. */
  | { readonly kind: 'end'; readonly set: ServerChange; readonly failed: boolean }
  /** Nothing is left of the server. */
  | { readonly kind: 'removed' };

export type Step = (context: StepContext) => Promise<StepResult>;

export const WAIT: StepResult = { kind: 'wait' };
export const AGAIN: StepResult = { kind: 'again' };
export const REMOVED: StepResult = { kind: 'removed' };

export const ended = (set: ServerChange): StepResult => ({ kind: 'end', set, failed: false });

/** The task goes on with some members changed. */
export const goOn = (
  { task }: Pick<StepContext, 'task'>,
  change: Partial<ServerTask>,
  set: ServerChange = {},
): StepResult => ({ kind: 'go on', set: { ...set, task: { ...task, ...change } } });

/** The task has failed, and the server with it. */
export const endedInError = (
  { now }: Pick<StepContext, 'now'>,
  message: string,
  set: ServerChange = {},
): StepResult => ({
  kind: 'end',
  set: { ...set, vm_state: 'error', fault: faultOf(message, now) },
  failed: true,
});

/** The task has failed, and the server is what it was before. */
export const reverted = ({ now }: Pick<StepContext, 'now'>, message: string): StepResult => ({
  kind: 'end',
  set: { fault: faultOf(message, now) },
  failed: true,
});

/** Whether more seconds of work went into the task: neither a clock that was set nor hours without a replica make it late. */
export const isLate = ({ worked }: Pick<StepContext, 'worked'>, seconds: number): boolean =>
  worked > seconds;

/** Nova's number for a node's power. */
export function powerStateOf(power: string | null): number {
  if (power === 'power on') return 1;
  return power === 'power off' ? 4 : 0;
}

/** The message of a permanent refusal; undefined when the order was accepted. Throws transient errors. */
export async function refusalOf(order: () => Promise<void>): Promise<string | undefined> {
  try {
    await order();
    return undefined;
  } catch (error) {
    if (isTransient(error) || !(error instanceof AppError)) throw error;
    return error.message;
  }
}

const faultOf = (message: string, now: Date): ServerRecord['fault'] => ({
  code: 500,
  message: message.slice(0, 1024),
  created: timestampOf(now),
});

/** Whether it makes sense to try again: the node is locked, its tenancy changed, or another part does not answer. */
const isTransient = (error: unknown): boolean =>
  !(error instanceof AppError) ||
  error.status >= 500 ||
  error.status === 412 ||
  error.status === 429 ||
  isLock(error);

const isLock = (error: AppError): boolean =>
  error.status === 409 && /\bis locked\b/u.test(error.message);
