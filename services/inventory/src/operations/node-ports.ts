import { ConflictError, NotFoundError } from '@tenure/contracts';
import { timestampOf } from '../domain/node-record.js';
import { type ResourceRecord, type Stores, type VifPlace } from '../ports/stores.js';
import { assertHeld } from './node-locks.js';
import { assertOccupied, occupy, vifIn } from './vif-attachments.js';

export interface PortDependencies {
  readonly stores: Pick<Stores, 'nodes' | 'resources' | 'claims'>;
  readonly now: () => Date;
}

/** What a conductor writes of a port or portgroup, and the lock of its node that lets it. */
export interface PortChange {
  readonly section: 'ports' | 'portgroups';
  readonly nodeUuid: string;
  readonly uuid: string;
  readonly holder: string;
  readonly fence: number;
  readonly set: Readonly<Record<string, unknown>>;
}

const MAX_TRIES = 10;

interface Written {
  readonly before: ResourceRecord;
  readonly after: ResourceRecord;
}

/** Takes the write back when the VIF went to another place meanwhile. */
const keepVif = async (
  { stores }: Pick<PortDependencies, 'stores'>,
  vif: string,
  place: VifPlace,
  { before, after }: Written,
): Promise<void> => {
  try {
    await assertOccupied({ stores }, vif, place);
  } catch (error) {
    const undone = { ...before, revision: after.revision + 1 };
    await stores.resources[place.section].swap(undone, after.revision);
    throw error;
  }
};

/**
 * Writes to a port or portgroup under the lock of its node.
 * @throws ConflictError `lock_lost`, `duplicate` when a VIF is attached elsewhere, `revision_conflict` when others keep
 * winning; NotFoundError also when it hangs on another node
 */
export const changePortUnderLock = async (
  { stores, now }: PortDependencies,
  { section, nodeUuid, uuid, holder, fence, set }: PortChange,
): Promise<ResourceRecord> => {
  const store = stores.resources[section];
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const node = await stores.nodes.findBy('uuid', nodeUuid);
    if (node === undefined) throw NotFoundError.of('Node', nodeUuid);
    assertHeld(node, { holder, fence });
    const before = await store.findBy('uuid', uuid);
    if (before?.['node_uuid'] !== nodeUuid)
      throw NotFoundError.of(section === 'ports' ? 'Port' : 'Portgroup', uuid);
    const vif = vifIn(set['internal_info']);
    if (vif !== null) await occupy({ stores }, vif, { section, uuid });
    const after = {
      ...before,
      ...set,
      updated_at: timestampOf(now()),
      revision: before.revision + 1,
    };
    if (!(await store.swap(after, before.revision))) continue;
    if (vif !== null) await keepVif({ stores }, vif, { section, uuid }, { before, after });
    return after;
  }
  throw new ConflictError('revision_conflict', `${uuid} is being changed by many others.`);
};
