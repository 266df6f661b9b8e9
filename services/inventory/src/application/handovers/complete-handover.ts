import { isDeepStrictEqual } from 'node:util';
import {
  ConflictError,
  type CustodyHead,
  type HandoverRecord,
  type NodeRecord,
  NotFoundError,
  timestampOf,
  wasCleaned,
} from '@tenure/contracts';
import { custodyHeadOf } from '../../domain/custody-chain.js';
import { endsTenancy, handedOver, holderOf } from '../../domain/custody.js';
import { isLesseeOver } from '../../domain/lease-tenancy.js';
import { DuplicateValueError } from '../../ports/record-store.js';
import { type StoredHandover } from '../../ports/stores.js';
import { allWhere } from '../all-where.js';
import { changeNode } from '../change-node.js';
import { forgetAllocation } from '../forget-allocation.js';
import { finishLease, withoutAllocationOf } from '../leases/finish-lease.js';
import { findDocument } from '../node-documents.js';
import { changeHandover, type HandoverDependencies } from './change-handover.js';
import { dropOldSealed } from './drop-sealed.js';
import { handoverNumbered } from './find-handovers.js';
import { removeVolumes } from './tenant-attachments.js';

/** Not in use, and cleaned on the way there. */
const BEFORE_USE: ReadonlySet<string> = new Set(['enroll', 'verify failed']);

type Components = readonly Readonly<Record<string, unknown>>[];

/** The work on a machine, which may count for several handovers. */
type Work = Pick<HandoverRecord, 'steps' | 'erased' | 'put_back' | 'agent' | 'firmware'>;

/** Whether the planned work was done, according to node and record. */
export function isDone(node: NodeRecord, record: HandoverRecord): boolean {
  const { plan, phase } = record;
  if (!plan.clean || BEFORE_USE.has(node.provision_state)) return !plan.undeploy || phase !== null;
  return (phase === 'undeploying' || phase === 'cleaning') && wasCleaned(record);
}

/**
 * Completes the records of a node's handover, oldest first: this one, and those of tenancies that ended while the
 * handover before was still open. The work on the machine counts for each of them.
 * @returns the head that the node has then
 */
export async function closeRecords(
  deps: HandoverDependencies,
  node: NodeRecord,
  record: StoredHandover,
): Promise<CustodyHead> {
  const { steps, erased, put_back, agent, firmware: read } = record;
  const firmware = read.length > 0 ? read : await storedFirmware(deps, node.uuid);
  const work = { steps, erased, agent, firmware, put_back: withoutFields(put_back) };
  let head = custodyHeadOf(node);
  for (const earlier of await openOf(deps, node.uuid))
    if (earlier.uuid !== record.uuid)
      head = await close(deps, earlier, head, { work, to: earlier.to_project });
  return close(deps, record, head, { work, to: node.lessee ?? node.owner });
}

/** Makes the change of a node that detaches a completed handover from it; the node's other handovers stay. */
export const detachingFrom =
  ({ stores }: HandoverDependencies, record: StoredHandover, head: CustodyHead) =>
  async (node: NodeRecord): Promise<NodeRecord> => {
    if (node.handover_uuid !== record.uuid) return node;
    const free = endsTenancy(record.cause)
      ? await withoutAllocationOf(stores, node, record.from_project)
      : node;
    return handedOver(free, head);
  };

/** The steps outside the node that follow a completed handover. Safe to repeat. */
export async function afterHandover(
  deps: HandoverDependencies,
  record: StoredHandover,
): Promise<void> {
  const { node_uuid: nodeUuid, from_project: project, lease_uuid: lease } = record;
  if (project !== null && !endsTenancy(record.cause)) {
    const node = await deps.stores.nodes.findBy('uuid', nodeUuid);
    // The lessee of an instance may have been removed together with the instance.
    if (node !== undefined && holderOf(node) !== project)
      await removeVolumes(deps.stores, nodeUuid, project);
  }
  const found = lease === null ? undefined : await deps.stores.leases.findBy('uuid', lease);
  if (found !== undefined) await finishLease(deps, found.uuid);
}

/**
 * Completes a handover: signs its record, then detaches it from the node, then ends the lease that waited for it. After
 * a crash in between, a repeated call does the remaining steps.
 * @throws ConflictError `handover_not_done`; NotFoundError
 */
export async function completeHandover(
  deps: HandoverDependencies,
  record: StoredHandover,
): Promise<StoredHandover> {
  const { stores, now } = deps;
  const node = await stores.nodes.findBy('uuid', record.node_uuid);
  if (node === undefined) throw NotFoundError.of('Node', record.node_uuid);
  assertDone(node, record, timestampOf(now()));
  const head = await closeRecords(deps, node, record);
  await detachHandover(deps, record, head);
  await afterHandover(deps, record);
  return (await stores.handovers.findBy('uuid', record.uuid)) ?? record;
}

/** The firmware that was stored last, for a record without firmware of its own. */
async function storedFirmware(
  { stores }: HandoverDependencies,
  nodeUuid: string,
): Promise<Components> {
  const stored = await findDocument(stores, nodeUuid, 'firmware');
  const { components } = stored?.document ?? {};
  if (stored === undefined || !Array.isArray(components)) return [];
  const read_at = stored.updated_at ?? stored.created_at;
  return (components as Components).map(({ component, current_version }) => ({
    component,
    current_version,
    source: 'inventory',
    read_at,
  }));
}

/** Without the fields that were put back: each record has its own. */
const withoutFields = ({
  fields: _fields,
  ...settings
}: HandoverRecord['put_back']): HandoverRecord['put_back'] => settings;

const openOf = ({ stores }: HandoverDependencies, nodeUuid: string) =>
  stores.handovers.list(
    allWhere(
      { field: 'node_uuid', op: 'eq', value: nodeUuid },
      { field: 'status', op: 'in', values: ['open', 'failed'] },
    ),
  );

/**
 * Completes one record: signed, and bound to the one before it. Of two that are completed at once each has its number.
 * @returns the head that the node has then
 */
async function close(
  deps: HandoverDependencies,
  { uuid, node_uuid: nodeUuid }: StoredHandover,
  head: CustodyHead,
  { work, to }: { readonly work: Work; readonly to: string | null },
): Promise<CustodyHead> {
  const moment = timestampOf(deps.now());
  const tried: { number?: number | null } = {};
  try {
    const { number, digest } = await changeHandover(deps, uuid, async (current) => {
      if (current.status === 'complete') return undefined;
      const done = {
        ...withWork(current, work),
        status: 'complete',
        reason: null,
        to_project: to,
        completed_at: moment,
      } as const;
      const record = { ...current, ...done, updated_at: moment, revision: current.revision + 1 };
      const seal = await deps.signer.sign(record, head);
      tried.number = seal.number;
      return { ...done, ...seal };
    });
    await dropOldSealed(deps, { node_uuid: nodeUuid, number });
    return number === null || number < head.count ? head : { count: number, digest };
  } catch (error) {
    const { number: taken = null } = tried;
    if (!(error instanceof DuplicateValueError) || taken === null) throw error;
    const { stores } = deps;
    const record = await stores.handovers.findBy('uuid', uuid);
    if (record === undefined) throw NotFoundError.of('Handover', uuid);
    return close(deps, record, await headAfter(deps, nodeUuid, taken), { work, to });
  }
}

/** The work of a record, joined with that of the later one that completes with it. */
const withWork = (own: HandoverRecord, work: Work): Work => ({
  steps: joined(own.steps, work.steps),
  erased: joined(own.erased, work.erased),
  put_back: { ...own.put_back, ...work.put_back },
  agent: work.agent ?? own.agent,
  firmware: work.firmware,
});

/** The head after a number that another completion of the same moment took. */
async function headAfter(
  { stores }: HandoverDependencies,
  nodeUuid: string,
  number: number,
): Promise<CustodyHead> {
  const taken = await handoverNumbered(stores, nodeUuid, number);
  return { count: number, digest: taken?.digest ?? null };
}

/** The first, and what the second has besides. */
const joined = <T>(first: readonly T[], second: readonly T[]): readonly T[] => [
  ...first,
  ...second.filter((one) => !first.some((other) => isDeepStrictEqual(other, one))),
];

/** @throws ConflictError `handover_not_done` */
function assertDone(node: NodeRecord, record: StoredHandover, now: string): void {
  const isUnused = node.reservation === null || !record.plan.clean;
  if (record.status === 'complete') return;
  if (isLesseeOver(node, now) || !isDone(node, record) || !isUnused) throw notDone(record.uuid);
}

/** Detaches a handover whose record is complete from its node. Safe to repeat. */
async function detachHandover(
  deps: HandoverDependencies,
  record: StoredHandover,
  head: CustodyHead,
): Promise<void> {
  const { uuid, node_uuid: nodeUuid } = record;
  const allocations = new Set<string>();
  const whole = detachingFrom(deps, record, head);
  const { allocation_uuid: kept } = await changeNode({
    nodes: deps.stores.nodes,
    now: deps.now,
    uuid: nodeUuid,
    ident: nodeUuid,
    change: (node) => {
      if (node.handover_uuid !== uuid) return undefined;
      if (node.allocation_uuid !== null) allocations.add(node.allocation_uuid);
      return whole(node);
    },
  });
  if (kept === null)
    for (const allocation of allocations) await forgetAllocation(deps.stores, allocation);
}

const notDone = (uuid: string): ConflictError =>
  new ConflictError('handover_not_done', `Handover ${uuid} is not done: work is left.`);
