import { createHash } from 'node:crypto';
import { AppError, type HandoverStep, type NodeRecord, timestampOf } from '@tenure/contracts';
import { type Deadline } from '../deadline.js';
import { agentAddressOf } from '../domain/agent.js';
import { type Fields } from '../domain/provision/fields.js';
import { recordedPlan } from '../domain/provision/step-progress.js';
import { type HandoverBook, type HandoverReport } from '../ports/handover-book.js';
import { type Clear, ClearingFailure } from './handover-clearing.js';
import { type HeldLock, isLockLost } from './node-locks.js';
import { patiently } from './patient-write.js';

export interface HandoverWorkOptions {
  readonly handovers: HandoverBook;
  /** Clears a machine under its lock. */
  readonly clear: Clear;
  readonly now: () => Date;
}

const handoverOf = ({ handover_uuid: uuid }: NodeRecord): string | undefined =>
  typeof uuid === 'string' ? uuid : undefined;

const report = async (
  lock: HeldLock,
  { handovers }: HandoverWorkOptions,
  said: HandoverReport,
  deadline: Deadline,
): Promise<void> => {
  const uuid = handoverOf(lock.node());
  if (uuid === undefined) return;
  await patiently(() => handovers.report(lock.behalf(), uuid, said), deadline);
};

/**
 * Clears a machine that is being torn down, before it is cleaned, and writes down how far its handover has come.
 * @throws what the step that failed threw
 */
export const clearTornDown = async (
  lock: HeldLock,
  options: HandoverWorkOptions,
  deadline: Deadline,
): Promise<void> => {
  const at = timestampOf(options.now());
  const undeployed: HandoverStep = { step: 'undeploy', outcome: 'done', at, detail: null };
  try {
    const { steps, put_back } = await options.clear(lock, deadline);
    const said = { status: 'open', phase: 'undeploying', put_back } as const;
    await report(lock, options, { ...said, steps: [undeployed, ...steps] }, deadline);
  } catch (error) {
    if (!(error instanceof ClearingFailure) || isLockLost(error)) throw error;
    await report(lock, options, { status: 'open', ...error.cleared }, deadline);
    throw error.cause;
  }
};

/** Of whom it is known who cleaned: by its certificate, or else by its secret. */
const agentDigestOf = (node: NodeRecord): string | undefined => {
  const agent = agentAddressOf(node);
  if (agent === undefined) return undefined;
  return createHash('sha256')
    .update(agent.verifyCa ?? agent.token)
    .digest('hex');
};

/** What was cleaned, and how it went. */
const erasedOf = (node: NodeRecord): NonNullable<HandoverReport['erased']> => {
  const plan = recordedPlan(node, 'clean') ?? [];
  if (plan.length === 0)
    return [{ interface: 'deploy', step: 'clean', priority: 0, outcome: 'done' }];
  return plan.map(({ interface: name = null, step, priority }) => ({
    interface: name,
    step,
    priority,
    outcome: 'done',
  }));
};

/** Whether automated cleaning has just ended, and the node comes to rest. */
const isCleaned = (node: NodeRecord, { provision_state: state }: Fields): boolean =>
  node.provision_state === 'cleaning' &&
  node['target_provision_state'] === 'available' &&
  (state === 'available' || state === 'manageable');

/** As `endsHandover`. @throws AppError */
const tellCleaned = async (
  lock: HeldLock,
  set: Fields,
  options: HandoverWorkOptions,
  deadline: Deadline,
): Promise<boolean> => {
  const node = lock.node();
  const uuid = handoverOf(node);
  if (uuid === undefined || !isCleaned(node, set)) return false;
  const record = await options.handovers.get(lock.behalf(), uuid);
  if (record === undefined || record.phase === null) return false;
  const isSkipped = node['automated_clean'] === false;
  const agent = agentDigestOf(node);
  const clean: HandoverStep = {
    step: 'clean',
    outcome: isSkipped ? 'nothing_to_do' : 'done',
    at: timestampOf(options.now()),
    detail: null,
  };
  const said: HandoverReport = {
    status: 'open',
    phase: 'cleaning',
    steps: [clean],
    erased: isSkipped ? [] : erasedOf(node),
    ...(agent !== undefined && { agent }),
  };
  await report(lock, options, said, deadline);
  return true;
};

/**
 * Whether the work that has just been done on a node ends its handover: it was cleared, and is cleaned with this. Writes
 * down what was cleaned. When the inventory does not take that, the handover is ended later.
 * @param set what the node is about to be settled with
 */
export const endsHandover = async (
  lock: HeldLock,
  set: Fields,
  options: HandoverWorkOptions,
  deadline: Deadline,
): Promise<boolean> => {
  try {
    return await tellCleaned(lock, set, options, deadline);
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
};
