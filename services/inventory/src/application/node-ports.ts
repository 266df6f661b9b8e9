import { randomUUID } from 'node:crypto';
import { attachedVifOf, ConflictError, NotFoundError, timestampOf } from '@tenure/contracts';
import { PORT } from '../domain/kinds/port.js';
import { createdValues } from '../domain/resource-values.js';
import { type ResourceRecord } from '../ports/resource-records.js';
import { type Stores, type VifPlace } from '../ports/stores.js';
import { releaseLeft } from './claims.js';
import { assertLockHolder } from './node-locks.js';
import { insertResource } from './resources/write-resources.js';
import { untilWritten } from './until-written.js';
import { assertOccupied, occupy } from './vif-attachments.js';

export interface PortDependencies {
  readonly stores: Pick<Stores, 'nodes' | 'resources' | 'claims'>;
  readonly now: () => Date;
}

/** The lock of a node, under which a conductor writes its ports and portgroups. */
interface PortLock {
  readonly nodeUuid: string;
  readonly holder: string;
  readonly fence: number;
}

/** A conductor's change of a port or portgroup. */
export interface PortChange extends PortLock {
  readonly section: 'ports' | 'portgroups';
  readonly uuid: string;
  readonly set: Readonly<Record<string, unknown>>;
  /** The project for which the VIF in `set` is attached; undefined when the request has none. */
  readonly vifProjectId?: string | null | undefined;
}

const MAX_TRIES = 10;

interface Written {
  readonly before: ResourceRecord;
  readonly after: ResourceRecord;
}

/** A port that a conductor found on a machine. */
export interface NewPort extends PortLock {
  readonly address: string;
  readonly pxeEnabled: boolean;
}

// A conductor uses the newest microversion.
const EVERY_MINOR = Number.MAX_SAFE_INTEGER;

/**
 * Creates a port under the lock of its node. A caller that lost the lock meanwhile creates nothing.
 * @throws BadRequestError; ConflictError `lock_lost`, `duplicate` when a port has the address already; NotFoundError
 */
export async function createPortUnderLock(
  { stores, now }: PortDependencies,
  { address, pxeEnabled, ...lock }: NewPort,
): Promise<ResourceRecord> {
  await assertNodeLocked(stores, lock);
  const body = { address, node_uuid: lock.nodeUuid, pxe_enabled: pxeEnabled };
  const record = await insertResource({ stores }, PORT, {
    ...createdValues(PORT, body, EVERY_MINOR),
    uuid: randomUUID(),
    created_at: timestampOf(now()),
    updated_at: null,
  });
  try {
    await assertNodeLocked(stores, lock);
  } catch (error) {
    await stores.resources.ports.remove(record.uuid, record.revision, record.revision);
    throw error;
  }
  return record;
}

/**
 * Writes to a port or portgroup under the lock of its node.
 * @throws ConflictError `lock_lost`, `duplicate` when a VIF is attached elsewhere, `revision_conflict` when concurrent
 * writes keep winning; NotFoundError also when it belongs to another node
 */
export async function changePortUnderLock(
  { stores, now }: PortDependencies,
  { section, nodeUuid, uuid, holder, fence, set, vifProjectId: projectId }: PortChange,
): Promise<ResourceRecord> {
  const store = stores.resources[section];
  const attempt = async (): Promise<ResourceRecord | undefined> => {
    await assertNodeLocked(stores, { nodeUuid, holder, fence });
    const before = await store.findBy('uuid', uuid);
    if (before?.node_uuid !== nodeUuid)
      throw NotFoundError.of(section === 'ports' ? 'Port' : 'Portgroup', uuid);
    const vif = attachedVifOf(set['internal_info']);
    if (vif !== null) await occupy({ stores }, { vif, projectId }, { section, uuid });
    const after = {
      ...before,
      ...set,
      updated_at: timestampOf(now()),
      revision: before.revision + 1,
    };
    if (!(await store.swap(after, before.revision))) return undefined;
    if (vif !== null) await keepVif({ stores }, vif, { section, uuid }, { before, after });
    await releaseLeft({ stores }, section, before);
    return after;
  };
  return untilWritten(
    MAX_TRIES,
    attempt,
    () => new ConflictError('revision_conflict', `${uuid} is being changed by many others.`),
  );
}

async function assertNodeLocked(
  { nodes }: Pick<PortDependencies['stores'], 'nodes'>,
  { nodeUuid, holder, fence }: PortLock,
): Promise<void> {
  const node = await nodes.findBy('uuid', nodeUuid);
  if (node === undefined) throw NotFoundError.of('Node', nodeUuid);
  assertLockHolder(node, { holder, fence });
}

/** Takes the write back when the VIF went to another place meanwhile. */
async function keepVif(
  { stores }: Pick<PortDependencies, 'stores'>,
  vif: string,
  place: VifPlace,
  { before, after }: Written,
): Promise<void> {
  try {
    await assertOccupied({ stores }, vif, place);
  } catch (error) {
    const undone = { ...before, revision: after.revision + 1 };
    await stores.resources[place.section].swap(undone, after.revision);
    throw error;
  }
}
