import { randomUUID } from 'node:crypto';
import { type NodeEvent, type NodeRecord, timestampOf } from '@tenure/contracts';
import { eventOf } from '../domain/node-events.js';
import { DuplicateValueError } from '../ports/record-store.js';
import { type HistoryEntry, type Stores } from '../ports/stores.js';
import { allWhere } from './all-where.js';
import { findNode } from './find-node.js';

/** Maximum entries of a node that are returned: the newest. */
export const MAX_ENTRIES = 300;
/** Entries beyond the maximum before the oldest are removed: a write must not read the whole history. */
const TRIM_EVERY = 16;

type EntryStore = Stores['nodeHistory'];

/** The actor of a change of a node. */
export interface Actor {
  /** Name of the conductor; null when it was not one. */
  readonly conductor: string | null;
  /** The user for whom it happened; null when a part worked for itself. */
  readonly user: string | null;
}

/** The store of the history that records a change, and the actor. */
export interface HistoryTarget extends Actor {
  readonly nodeHistory: EntryStore;
}

export interface HistoryDependencies {
  readonly stores: Pick<Stores, 'nodes' | 'nodeHistory'>;
  readonly now: () => Date;
}

/**
 * Enters the newest event, which the node carries, into the history, unless that was done before. The event is written
 * with the node, so a crash before this cannot lose it: the next read or write of the history enters it first.
 */
export async function keepLatestEvent(nodeHistory: EntryStore, node: NodeRecord): Promise<void> {
  const latest = node.latest_event;
  if (latest === undefined) return;
  const { number, ...entry } = latest;
  // A read nearly always finds the entry, and then needs no write.
  if ((await nodeHistory.findBy('uuid', entry.uuid)) !== undefined) return;
  try {
    await nodeHistory.insert((epoch) => ({ ...entry, node_uuid: node.uuid, revision: epoch }));
  } catch (error) {
    if (error instanceof DuplicateValueError) return;
    throw error;
  }
  if (number % TRIM_EVERY === 0) await trim(nodeHistory, node);
}

/**
 * The next version of a node, carrying the history event of the change.
 * @returns `after` itself when the change is no event
 */
export async function versionWithEvent(
  { nodeHistory, conductor, user }: HistoryTarget,
  before: NodeRecord,
  after: NodeRecord,
  now: Date,
): Promise<NodeRecord> {
  const event = eventOf(before, after);
  if (event === undefined) return after;
  await keepLatestEvent(nodeHistory, before);
  const latest_event = {
    uuid: randomUUID(),
    created_at: timestampOf(now),
    ...event,
    conductor,
    user,
    number: (before.latest_event?.number ?? 0) + 1,
  };
  return { ...after, latest_event };
}

/** The newest entries of a node, oldest first. */
export async function historyOf(
  { nodeHistory }: Pick<Stores, 'nodeHistory'>,
  node: NodeRecord,
): Promise<readonly HistoryEntry[]> {
  await keepLatestEvent(nodeHistory, node);
  return (await allOf(nodeHistory, node.uuid)).slice(-MAX_ENTRIES);
}

/**
 * Records an event that changed nothing of the node itself.
 * @throws NotFoundError when there is no such node
 */
export async function recordEvent(
  { stores, now }: HistoryDependencies,
  nodeUuid: string,
  event: NodeEvent & Actor,
): Promise<void> {
  const { nodes, nodeHistory } = stores;
  const node = await findNode(stores, nodeUuid);
  await keepLatestEvent(nodeHistory, node);
  const { uuid, revision } = await nodeHistory.insert((epoch): HistoryEntry => ({
    uuid: randomUUID(),
    node_uuid: node.uuid,
    created_at: timestampOf(now()),
    ...event,
    revision: epoch,
  }));
  // Deleted meanwhile, perhaps after its history: nothing must fall to a node that is made with the same uuid.
  if ((await nodes.findBy('uuid', node.uuid)) === undefined)
    await nodeHistory.remove(uuid, revision, 0);
  else await trim(nodeHistory, node);
}

async function trim(nodeHistory: EntryStore, node: NodeRecord): Promise<void> {
  const entries = await allOf(nodeHistory, node.uuid);
  const excess = entries.slice(0, Math.max(0, entries.length - MAX_ENTRIES));
  for (const { uuid, revision } of excess)
    // An event that the node still carries would be entered again as new. No minimum epoch: no entry is created again
    // with the same uuid.
    if (uuid !== node.latest_event?.uuid) await nodeHistory.remove(uuid, revision, 0);
}

const allOf = (nodeHistory: EntryStore, nodeUuid: string): Promise<readonly HistoryEntry[]> =>
  nodeHistory.list(allWhere({ field: 'node_uuid', op: 'eq', value: nodeUuid }));
