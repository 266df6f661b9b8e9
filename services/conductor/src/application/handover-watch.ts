import { performance } from 'node:perf_hooks';
import {
  AppError,
  timestampOf,
  type CallContext,
  type HandoverRecord,
  type NodeRecord,
} from '@tenure/contracts';
import { deadlineIn } from '@tenure/process';
import { newCallContext } from '@tenure/signed-context';
import { DriverFailure } from '../domain/driver-failure.js';
import { type NextStep, nextStep } from '../domain/handover-steps.js';
import { plainOrder } from '../domain/provision/order.js';
import { isPassing } from '../domain/refused.js';
import { type HandoverReport } from '../ports/handover-book.js';
import { aboutNode } from './about-node.js';
import { eachNode } from './each-node.js';
import { firmwareNow } from './firmware-now.js';
import { type Clear, type Cleared, ClearingFailure } from './handover-clearing.js';
import { type NodeLock } from './node-locks.js';
import { type ProvisionWork } from './provision-work.js';
import { createRunningTasks } from './running-tasks.js';
import { type SharedParts } from './shared-parts.js';
import { thenRelease } from './under-lock.js';

/** Metrics of handovers: the number of open ones after each round, and the outcome of each. */
export interface HandoverObserver {
  readonly open: (count: number) => void;
  readonly outcome: (outcome: 'cleared' | 'ordered' | 'failed' | 'complete') => void;
}

export interface HandoverWatchOptions extends SharedParts {
  readonly provision: Pick<ProvisionWork, 'accept'>;
  readonly clear: Clear;
  readonly observe: HandoverObserver;
}

/** Brings machines from one tenancy to the next. */
export interface HandoverWatch {
  /** Does the next step for every node of this conductor that is being handed over. */
  readonly round: () => Promise<void>;
  /** Resolves when nothing is running any more. */
  readonly idle: () => Promise<void>;
}

/** Milliseconds until a machine that could not be cleared is tried again. */
const RETRY_MS = 30_000;
/** BIOS settings come into force with a start, which takes its time. */
const CLEAR_MS = 1_200_000;
/** So many nodes at the same time: one whose BMC hangs must not keep the others. */
const WORKERS = 16;

type Step<K extends NextStep['kind']> = Extract<NextStep, { readonly kind: K }>;

/** State that is kept between two rounds. */
interface Memory {
  /** Nodes whose next step is being done. */
  readonly busy: Set<string>;
  /** By handover: when a machine that could not be cleared is tried again. */
  readonly retryAt: Map<string, number>;
}

/** One node and its handover, and the context of their calls. */
interface Open {
  readonly context: CallContext;
  readonly node: NodeRecord;
  readonly record: HandoverRecord;
}

type Failure = Pick<HandoverReport, 'phase' | 'steps' | 'put_back'> & { readonly reason: string };

/** Milliseconds that the hardware is given to say its firmware before a record is completed. */
const FIRMWARE_MS = 20_000;

export function createHandoverWatch(options: HandoverWatchOptions): HandoverWatch {
  const { inventory, membership, logger, stopping, observe } = options;
  const running = createRunningTasks(options.workers, 'handover');
  const memory: Memory = { busy: new Set(), retryAt: new Map() };
  const { busy } = memory;

  const begin = (context: CallContext, node: NodeRecord): void => {
    busy.add(node.uuid);
    const work = (): Promise<void> =>
      visit(options, memory, context, node)
        .catch((error: unknown) => {
          const level = isForNextRound(error) || stopping.aborted ? 'debug' : 'error';
          logger[level]({ node: node.uuid, err: error }, 'a step of a handover was not done');
        })
        .finally(() => busy.delete(node.uuid));
    running.add(work);
  };

  return {
    round: async () => {
      const context = newCallContext('tenure:conductor:handover');
      await membership.ensureLoaded();
      let open = 0;
      const visited = (node: NodeRecord): void => {
        if (!membership.isMine(node)) return;
        open += 1;
        if (!busy.has(node.uuid) && busy.size < WORKERS) begin(context, node);
      };
      await eachNode(inventory, context, visited, { inHandover: true });
      observe.open(open);
    },
    idle: running.idle,
  };
}

async function visit(
  options: HandoverWatchOptions,
  memory: Memory,
  context: CallContext,
  node: NodeRecord,
): Promise<void> {
  const { handovers } = options;
  const uuid = node.handover_uuid ?? '';
  if ((memory.retryAt.get(uuid) ?? 0) > performance.now()) return;
  memory.retryAt.delete(uuid);
  const record = await handovers.get(context, uuid);
  if (record !== undefined) await advance(options, memory, { context, node, record });
}

/** Whether the next round can retry: true for passing failures, but not for those of the driver. */
const isForNextRound = (error: unknown): boolean =>
  isPassing(error) && !(error instanceof AppError && error.code.startsWith('driver_'));

async function advance(options: HandoverWatchOptions, memory: Memory, open: Open): Promise<void> {
  const { observe, logger, stopping } = options;
  const { node, record } = open;
  const step: NextStep = record.status === 'complete' ? { kind: 'done' } : nextStep(node, record);
  if (step.kind === 'wait') return;
  if (step.kind === 'failed') {
    if (record.status !== 'failed' || record.phase !== step.phase)
      await fail(options, memory, open, failureOfWork(step, options.now()));
    return;
  }
  if (step.kind === 'done') {
    await finish(options, open);
    observe.outcome('complete');
    logger.info({ node: node.uuid, handover: record.uuid }, 'a machine was handed over');
    return;
  }
  try {
    await perform(options, open, step);
  } catch (error) {
    if (isForNextRound(error) || stopping.aborted) throw error;
    logger.debug({ node: node.uuid, err: error }, 'a step of a handover failed');
    await fail(options, memory, open, failureOf(error));
  }
}

async function fail(
  { handovers, logger, observe }: HandoverWatchOptions,
  { retryAt }: Memory,
  { context, node, record: { uuid } }: Open,
  failure: Failure,
): Promise<void> {
  retryAt.set(uuid, performance.now() + RETRY_MS);
  observe.outcome('failed');
  const { reason } = failure;
  logger.warn({ node: node.uuid, handover: uuid, reason }, 'a machine could not be handed over');
  await handovers.report(context, uuid, { status: 'failed', ...failure });
}

/** The failure of a step of the state machine, as it is reported. */
const failureOfWork = ({ reason, phase, step }: Step<'failed'>, now: Date): Failure => ({
  reason,
  phase,
  steps: [{ step, outcome: 'failed', at: timestampOf(now), detail: null }],
});

/** Completes a record; safe to repeat. */
async function finish(
  options: HandoverWatchOptions,
  { context, node, record }: Open,
): Promise<void> {
  const { handovers, stopping } = options;
  if (record.status !== 'complete' && record.firmware.length === 0) {
    const firmware = await firmwareNow(options, node, deadlineIn(FIRMWARE_MS, stopping));
    if (firmware.length > 0)
      await handovers.report(context, record.uuid, { status: 'open', firmware });
  }
  await handovers.complete(context, record.uuid);
}

async function perform(
  options: HandoverWatchOptions,
  { context, node, record: { uuid } }: Open,
  step: Step<'clear' | 'order'>,
): Promise<void> {
  const { handovers, locks, provision, observe } = options;
  const about = aboutNode(context, node);
  if (step.kind === 'clear') {
    const cleared = await clearUnder(await locks.take(about, node.uuid), options);
    await handovers.report(context, uuid, { status: 'open', phase: 'cleared', ...cleared });
    observe.outcome('cleared');
    return;
  }
  await provision.accept(about, node.uuid, plainOrder(step.target));
  await handovers.report(context, uuid, { status: 'open', phase: step.phase });
  observe.outcome('ordered');
}

const failureOf = (error: unknown): Failure => ({
  reason: reasonOf(error),
  ...(error instanceof ClearingFailure && error.cleared),
});

/** Clears under a lock, and releases the lock in any case: each step is already recorded. */
const clearUnder = (lock: NodeLock, { clear, stopping }: HandoverWatchOptions): Promise<Cleared> =>
  thenRelease(lock, () => clear({ lock, deadline: deadlineIn(CLEAR_MS, stopping) }));

/** The reason in a text that a lessee may read: without details of the hardware, which the owner finds on the node. */
function reasonOf(error: unknown): string {
  if (error instanceof AppError && error.code === 'node_protected') return 'The node is protected.';
  if (error instanceof AppError && error.code === 'node_retired') return 'The node is retired.';
  const isHardware =
    error instanceof DriverFailure || error instanceof AppError || error instanceof ClearingFailure;
  return isHardware
    ? 'The hardware of the node could not be cleared.'
    : 'An unexpected error happened in the conductor.';
}
