import {
  type HandoverOpening,
  type HandoverPlan,
  type HandoverRecord,
  type HandoverStep,
  type NodeRecord,
  timestampOf,
} from '@tenure/contracts';
import { endsTenancy, needsNothing } from '../../domain/custody.js';
import { DuplicateValueError } from '../../ports/record-store.js';
import { type StoredHandover } from '../../ports/stores.js';
import { changeLease } from '../leases/find-lease.js';
import { type HandoverDependencies } from './change-handover.js';
import { completeHandover } from './complete-handover.js';
import { ALL_VOLUMES, detachVifs, removeVolumes } from './tenant-attachments.js';

const WHOLE: HandoverPlan = { undeploy: true, clean: true };

const NOTHING_DONE = {
  status: 'open',
  phase: null,
  reason: null,
  agent: null,
  erased: [],
  firmware: [],
  completed_at: null,
  number: null,
  previous: null,
  digest: null,
  signature: null,
} as const;

/**
 * Creates the record of the handover that a node carries, and does all steps that need no access to the machine:
 * removes the tenant's volumes, seals its values with its lease, and completes the handover of a machine that nobody
 * used. Safe to repeat.
 * @returns undefined when the node carries none
 */
export async function recordOpening(
  deps: HandoverDependencies,
  node: NodeRecord,
): Promise<StoredHandover | undefined> {
  const opening = node.custody?.opening ?? null;
  if (opening === null) return undefined;
  const record = await recordIn(deps, opening);
  await sealLease(deps, opening);
  const isDetached = record.status === 'complete' && node.handover_uuid !== record.uuid;
  if (!needsNothing(opening) || isDetached) return record;
  const at = timestampOf(deps.now());
  const steps = (['power_off', 'clean'] as const).map((step): HandoverStep => ({
    step,
    outcome: 'nothing_to_do',
    at,
    detail: null,
  }));
  return completeHandover(deps, { ...record, steps: [...record.steps, ...steps] });
}

const recordIn = async (
  deps: HandoverDependencies,
  opening: HandoverOpening,
): Promise<StoredHandover> =>
  (await deps.stores.handovers.findBy('uuid', opening.uuid)) ??
  enter(deps, opening, await withoutAttachments(deps, opening));

/** Keeps the values that a lessee wrote with its lease. */
async function sealLease(
  deps: HandoverDependencies,
  { lease_uuid: lease, sealed }: HandoverOpening,
): Promise<void> {
  if (lease === null || (await deps.stores.leases.findBy('uuid', lease)) === undefined) return;
  await changeLease(deps, lease, (current) =>
    (current.sealed ?? null) === null ? { sealed } : undefined,
  );
}

/** Enters the record of an opening, unless that was done before. */
async function enter(
  { stores }: HandoverDependencies,
  opening: HandoverOpening,
  steps: readonly HandoverStep[],
): Promise<StoredHandover> {
  const lease =
    opening.lease_uuid === null
      ? undefined
      : await stores.leases.findBy('uuid', opening.lease_uuid);
  const record = { ...recordOf(opening, opening.plan ?? lease?.on_end ?? WHOLE), steps };
  try {
    return await stores.handovers.insert((epoch): StoredHandover => ({
      ...record,
      revision: epoch,
    }));
  } catch (error) {
    const found = await stores.handovers.findBy('uuid', opening.uuid);
    if (!(error instanceof DuplicateValueError) || found === undefined) throw error;
    return found;
  }
}

/**
 * Removes the volumes of a tenant at the end of its tenancy, all volumes under another owner, and detaches VIFs, so
 * that the next tenant sees none of them. This happens before there is a record, and never after: attachments of the
 * next tenant stay.
 */
async function withoutAttachments(
  { stores, now }: HandoverDependencies,
  { cause, from_project: project, node_uuid: nodeUuid }: HandoverOpening,
): Promise<readonly HandoverStep[]> {
  if (!endsTenancy(cause)) return [];
  const at = timestampOf(now());
  const stepOf = (step: HandoverStep['step'], count: number): HandoverStep => ({
    step,
    outcome: count > 0 ? 'done' : 'nothing_to_do',
    at,
    detail: null,
  });
  const whose = cause === 'owner_changed' || project === null ? ALL_VOLUMES : project;
  const volumes = await removeVolumes(stores, nodeUuid, whose);
  const vifs = await detachVifs(stores, nodeUuid, at);
  // VIFs of an order that is still in progress are left to its conductor.
  return [stepOf('volumes', volumes), ...(vifs > 0 ? [stepOf('vifs', vifs)] : [])];
}

const recordOf = (
  { fields, ...opening }: HandoverOpening,
  plan: HandoverPlan,
): Omit<HandoverRecord, 'revision'> => ({
  ...opening,
  ...NOTHING_DONE,
  plan,
  steps: [],
  put_back: fields.length === 0 ? {} : { fields },
  updated_at: null,
});
