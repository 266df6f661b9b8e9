import { type NodeRecord, timestampOf } from '@tenure/contracts';
import { epochFloorOf } from '../domain/epochs.js';
import { NAMING_SECTIONS } from '../domain/outside-things.js';
import { type RecordStore, type StoredRecord } from '../ports/record-store.js';
import { type DepartureRecord, type Stores } from '../ports/stores.js';
import { allWhere } from './all-where.js';
import { releaseLeft } from './claims.js';

type Belongings = Pick<RecordStore<StoredRecord>, 'list' | 'remove'>;

/**
 * Notes that a node is about to go. Written before the node goes and removed after everything that hangs on it: whoever
 * finds the note of a node that is gone finishes what a crash interrupted.
 */
export const announceDeparture = (
  { departures }: Stores,
  node: NodeRecord,
  now: Date,
): Promise<void> =>
  departures.merge(
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
 * Removes what hung on a node that is gone, if it left anything: nothing of it may fall to whoever makes a node with the
 * same uuid. A node that is still there keeps everything.
 */
export async function finishDeparture(stores: Stores, nodeUuid: string): Promise<void> {
  const departure = await stores.departures.findBy('uuid', nodeUuid);
  if (departure === undefined || (await stores.nodes.findBy('uuid', nodeUuid)) !== undefined)
    return;
  await remove(stores, departure);
}

/** As `finishDeparture`, for every node that ever began to go. */
export async function finishDepartures(stores: Stores): Promise<void> {
  for (const { uuid } of await stores.departures.list(allWhere()))
    await finishDeparture(stores, uuid);
}

async function remove(stores: Stores, departure: DepartureRecord): Promise<void> {
  await removeNaming(stores, departure.uuid);
  for (const store of belongingsIn(stores)) await removeAllOf(store, departure.uuid);
  await removeAllocation(stores, departure);
  await stores.departures.remove(departure.uuid, departure.revision, departure.revision);
}

/** With what hung on the node its claims end. */
async function removeNaming(stores: Stores, nodeUuid: string): Promise<void> {
  const query = allWhere({ field: 'node_uuid', op: 'eq', value: nodeUuid });
  for (const section of NAMING_SECTIONS) {
    const store = stores.resources[section];
    const rows = await store.list(query);
    await removeAllOf(store, nodeUuid);
    for (const row of rows) await releaseLeft({ stores }, section, row);
  }
}

/** Other stores whose records hang on a node by their `node_uuid`. */
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
  { allocation_uuid: uuid }: DepartureRecord,
): Promise<void> {
  const allocation = uuid === null ? undefined : await allocations.findBy('uuid', uuid);
  if (allocation === undefined) return;
  await allocations.remove(allocation.uuid, allocation.revision, epochFloorOf(allocation));
}
