import { type NodeRecord } from '@tenure/contracts';
import { type ProvisionStep } from './order.js';

/** Member of `driver_internal_info` that holds what the provision states alone cannot say. */
export const PENDING_PROVISION = 'pending_provision';

/** What a resume needs: what was asked for, and how many of its steps were done. */
export interface PendingProvision {
  /** Of the order, for example `delete`: by itself `cleaning` does not tell what led there. */
  readonly event: string;
  readonly steps: readonly ProvisionStep[];
  readonly stepsDone: number;
}

/** The pending record as stored, with the time it was asked for (RFC 3339). */
export const toPendingRecord = (
  { event, steps, stepsDone }: PendingProvision,
  requestedAt: string,
): Readonly<Record<string, unknown>> => ({
  event,
  steps,
  steps_done: stepsDone,
  requested_at: requestedAt,
});

const isStep = (value: unknown): value is ProvisionStep =>
  typeof value === 'object' && value !== null && 'step' in value && typeof value.step === 'string';

/** What a node still has to do; undefined when no order was written down. */
export const pendingProvisionOf = (node: NodeRecord): PendingProvision | undefined => {
  const record = node.driver_internal_info[PENDING_PROVISION];
  if (typeof record !== 'object' || record === null) return undefined;
  const { event, steps, steps_done: done } = record as Readonly<Record<string, unknown>>; // read member by member, each checked
  if (typeof event !== 'string' || !Array.isArray(steps) || !steps.every(isStep)) return undefined;
  const stepsDone = typeof done === 'number' && Number.isSafeInteger(done) ? done : 0;
  return { event, steps, stepsDone };
};
