import { type api, isJsonObject, type NodeRecord } from '@tenure/contracts';
import { type Fields, membersOf } from '../members.js';
import { type AgentProgress, agentProgressOf, toAgentRecord } from './agent-progress.js';

/** Member of `driver_internal_info` that holds what the provision states alone cannot say. */
export const PENDING_PROVISION = 'pending_provision';

/** The data to resume an order: the request, and how many of its steps were done. */
export interface PendingProvision {
  /** Of the order, for example `delete`: the state `cleaning` alone does not say which order led there. */
  readonly event: string;
  readonly steps: readonly api.ProvisionStep[];
  readonly stepsDone: number;
  /** Whether it was ordered for the lessee; this stays so after a resume. */
  readonly byTenant?: boolean;
  /** No agent may be booted for the work. */
  readonly disableRamdisk?: boolean;
  /** The work is aborted as soon as the running step has ended. */
  readonly abortAfter?: boolean;
  /** Undefined while the work involves no agent. */
  readonly agent?: AgentProgress | undefined;
}

/** The pending record as stored, with the time of the request (RFC 3339). */
export const toPendingRecord = (
  { event, steps, stepsDone, byTenant, disableRamdisk, abortAfter, agent }: PendingProvision,
  requestedAt: string,
): Fields => ({
  event,
  steps,
  steps_done: stepsDone,
  ...(byTenant === true && { by_tenant: true }),
  ...(disableRamdisk === true && { disable_ramdisk: true }),
  ...(abortAfter === true && { abort_after: true }),
  ...(agent !== undefined && { agent: toAgentRecord(agent) }),
  requested_at: requestedAt,
});

/** The pending order of a node; undefined when none is recorded. */
export function pendingProvisionOf(node: NodeRecord): PendingProvision | undefined {
  const members = membersOf(node.driver_internal_info[PENDING_PROVISION]);
  const { event, steps } = members;
  if (typeof event !== 'string' || !Array.isArray(steps) || !steps.every(isStep)) return undefined;
  return { event, steps, ...pendingIn(members) };
}

/** Whether the node's work was ordered by its tenant, whose tenancy goes on. */
export const isTenantsWork = (node: NodeRecord): boolean =>
  typeof node.handover_uuid !== 'string' && pendingProvisionOf(node)?.byTenant === true;

/** `driver_internal_info` with another pending record. */
export const withPendingProvision = (
  node: NodeRecord,
  pending: PendingProvision,
  now: Date,
): Fields => ({
  ...node.driver_internal_info,
  [PENDING_PROVISION]: toPendingRecord(pending, now.toISOString()),
});

const isStep = (value: unknown): value is api.ProvisionStep =>
  isJsonObject(value) && typeof value['step'] === 'string';

function pendingIn(members: Fields): Omit<PendingProvision, 'event' | 'steps'> {
  const done = members['steps_done'];
  const agent = agentProgressOf(members['agent']);
  return {
    stepsDone: typeof done === 'number' && Number.isSafeInteger(done) ? done : 0,
    ...(members['by_tenant'] === true && { byTenant: true }),
    ...(members['disable_ramdisk'] === true && { disableRamdisk: true }),
    ...(members['abort_after'] === true && { abortAfter: true }),
    ...(agent !== undefined && { agent }),
  };
}
