import { type NodeRecord, timestampOf } from '@tenure/contracts';
import { minEpochOf } from '../domain/epochs.js';
import { NAMING_SECTIONS } from '../domain/external-resources.js';
import { type RecordStore, type StoredRecord } from '../ports/record-store.js';
import { type PendingDeletion, type Stores } from '../ports/stores.js';
import { allWhere } from './all-where.js';
import { releaseLeft } from './claims.js';

type Belongings = Pick<RecordStore<StoredRecord>, 'list' | 'remove'>;

/**
 * Records that a node is about to be deleted. The note is written before the node is removed, and removed after all its
 * dependent records. Any replica that finds the note of a removed node finishes an interrupted deletion.
 */
export const recordPendingDeletion = (
  { pendingDeletions }: Stores,
  node: NodeRecord,
  now: Date,
): Promise<void> =>
  pendingDeletions.merge(
    [
      {
        uuid: node.uuid,
        allocation_uuid: node.allocation_uuid,
        created_at: timestampOf(now),
        revision: 0,
      },
    ],
    (existing, incoming, epoch) => ({
      ...incoming,
      revision: existing === undefined ? epoch : existing.revision + 1,
    }),
  );

/**
 * Removes the dependent records of a deleted node, if any are left: a new node with the same uuid must not get them. A
 * node that still exists keeps everything.
 */
export async function finishDeletion(stores: Stores, nodeUuid: string): Promise<void> {
  const deletion = await stores.pendingDeletions.findBy('uuid', nodeUuid);
  if (deletion === undefined || (await stores.nodes.findBy('uuid', nodeUuid)) !== undefined) return;
  await remove(stores, deletion);
}

/** As `finishDeletion`, for every node whose deletion has begun. */
export async function finishDeletions(stores: Stores): Promise<void> {
  for (const { uuid } of await stores.pendingDeletions.list(allWhere()))
    await finishDeletion(stores, uuid);
}

async function remove(stores: Stores, deletion: PendingDeletion): Promise<void> {
  await removeNaming(stores, deletion.uuid);
  for (const store of belongingsIn(stores)) await removeAllOf(store, deletion.uuid);
  await removeAllocation(stores, deletion);
  await stores.pendingDeletions.remove(deletion.uuid, deletion.revision, deletion.revision);
}

/** Removes the records that name external resources, with their claims. */
async function removeNaming(stores: Stores, nodeUuid: string): Promise<void> {
  const query = allWhere({ field: 'node_uuid', op: 'eq', value: nodeUuid });
  for (const section of NAMING_SECTIONS) {
    const store = stores.resources[section];
    const rows = await store.list(query);
    await removeAllOf(store, nodeUuid);
    for (const row of rows) await releaseLeft({ stores }, section, row);
  }
}

/** Other stores with records that belong to a node by their `node_uuid`. */
const belongingsIn = ({
  nodeDocuments,
  nodeHistory,
  leases,
  handovers,
}: Stores): readonly Belongings[] => [nodeDocuments, nodeHistory, leases, handovers];

async function removeAllOf(store: Belongings, nodeUuid: string): Promise<void> {
  const query = allWhere({ field: 'node_uuid', op: 'eq', value: nodeUuid });
  for (;;) {
    const rows = await store.list(query);
    if (rows.length === 0) return;
    // One that is written meanwhile is found again.
    for (const { uuid, revision } of rows) await store.remove(uuid, revision, revision);
  }
}

async function removeAllocation(
  { allocations }: Stores,
  { allocation_uuid: uuid }: PendingDeletion,
): Promise<void> {
  const allocation = uuid === null ? undefined : await allocations.findBy('uuid', uuid);
  if (allocation === undefined) return;
  await allocations.remove(allocation.uuid, allocation.revision, minEpochOf(allocation));
}
