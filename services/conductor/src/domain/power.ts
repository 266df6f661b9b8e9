import { type NodeRecord } from '@tenure/contracts';
import { type Attempt } from './attempt.js';
import { type Fields, membersOf, without } from './members.js';

/** Power states that can be read; `null` in a record means that the state is still unknown. */
export type PowerState = 'power on' | 'power off';

const POWER_TARGETS = [
  'power on',
  'power off',
  'rebooting',
  'soft power off',
  'soft rebooting',
] as const;
export type PowerTarget = (typeof POWER_TARGETS)[number];

/** A power command as accepted. `timeoutSeconds` is the client's own limit (microversion 1.27). */
export interface PowerOrder {
  readonly target: PowerTarget;
  readonly timeoutSeconds: number | null;
}

/** One verifiable change of power: each is read back before the next begins. */
export interface PowerStep {
  readonly goal: PowerState;
  readonly soft: boolean;
}

/** A change of power, and what was recorded of earlier attempts at it. */
export interface PowerChange extends PowerStep {
  readonly attempt: Attempt;
}

/** Member of `driver_internal_info` that holds what `target_power_state` alone cannot say. */
export const PENDING_POWER = 'pending_power';

/** A requested power command whose target is not checked yet. */
export interface PowerRequest {
  readonly target: string;
  readonly timeoutSeconds: number | null;
}

/** The data to resume an order: the order itself, and how many of its steps were read back as done. */
export interface PendingPower extends PowerOrder {
  readonly stepsDone: number;
  /** How often the step that is not done yet was resumed after a restart. */
  readonly resumed: number;
  /** True when the command of that step may have arrived. */
  readonly isSent: boolean;
}

export const isPowerTarget = (value: unknown): value is PowerTarget =>
  POWER_TARGETS.some((target) => target === value);

export const isPowerState = (value: unknown): value is PowerState =>
  value === 'power on' || value === 'power off';

/** Soft targets and `timeout` came with microversion 1.27. */
export const needsSoftPower = (request: PowerRequest): boolean =>
  isSoft(request.target) || request.timeoutSeconds !== null;

/** The state that `target_power_state` shows while the order is carried out. */
export const goalOf = (target: PowerTarget): PowerState =>
  target === 'power off' || target === 'soft power off' ? 'power off' : 'power on';

/**
 * An order as steps. A reboot is off, then on: unlike a reset, each half can be read back from the BMC
 * and resumed after a crash without ever sending a command twice.
 */
export function stepsOf(target: PowerTarget): readonly PowerStep[] {
  const soft = isSoft(target);
  if (target === 'power on') return [{ goal: 'power on', soft: false }];
  if (target === 'power off' || target === 'soft power off') return [{ goal: 'power off', soft }];
  return [
    { goal: 'power off', soft },
    { goal: 'power on', soft: false },
  ];
}

/** True when `target_power_state` in the reservation is all the data that a resume needs. */
export const isPlain = (order: PowerOrder): boolean =>
  order.timeoutSeconds === null && (order.target === 'power on' || order.target === 'power off');

/** An order, or the rest of one, of whose next step nothing is sent yet. */
export const freshPending = (
  order: PowerOrder & { readonly stepsDone?: number },
): PendingPower => ({
  stepsDone: 0,
  ...order,
  resumed: 0,
  isSent: false,
});

/** A pending command as it is resumed after a restart. */
export const takenUp = (pending: PendingPower): PendingPower => ({
  ...pending,
  resumed: pending.resumed + 1,
});

/** The pending record as stored, with the time of the request (RFC 3339). */
export const toPendingRecord = (pending: PendingPower, requestedAt: string): Fields => ({
  target: pending.target,
  timeout: pending.timeoutSeconds,
  steps_done: pending.stepsDone,
  resumed: pending.resumed,
  sent: pending.isSent,
  requested_at: requestedAt,
});

/** The pending record of a node; undefined when it has none. */
export function recordedPower(node: NodeRecord): PendingPower | undefined {
  const record = membersOf(node.driver_internal_info[PENDING_POWER]);
  const { target, timeout, steps_done, resumed, sent } = record;
  if (!isPowerTarget(target)) return undefined;
  return {
    target,
    timeoutSeconds: positiveInteger(timeout),
    stepsDone: positiveInteger(steps_done) ?? 0,
    resumed: positiveInteger(resumed) ?? 0,
    isSent: sent === true,
  };
}

/** The pending power command of a reserved node; undefined when it was reserved for other work. */
export function pendingOf(node: NodeRecord): PendingPower | undefined {
  const goal = node.target_power_state;
  if (!isPowerState(goal)) return undefined;
  const pending = recordedPower(node);
  // A record that does not fit the target is of an older order: the target is what was acknowledged last.
  return pending !== undefined && goalOf(pending.target) === goal
    ? pending
    : freshPending({ target: goal, timeoutSeconds: null });
}

/** `driver_internal_info` without the pending record. */
export const withoutPending = (node: NodeRecord): Fields =>
  without(node.driver_internal_info, PENDING_POWER);

const isSoft = (target: string): boolean =>
  target === 'soft power off' || target === 'soft rebooting';

const positiveInteger = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
