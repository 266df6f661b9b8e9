import { randomUUID } from 'node:crypto';
import { type NodeRecord, timestampOf } from '@tenure/contracts';
import { eventTypeOf } from '../domain/node-events.js';
import { type HistoryEntry, type Stores } from '../ports/stores.js';
import { allWhere } from './all-where.js';

/** Entries that are kept of a node: the newest. */
export const MAX_ENTRIES = 300;

export interface HistoryDependencies {
  readonly stores: Pick<Stores, 'nodeHistory'>;
  readonly now: () => Date;
}

/** A failure, as a conductor tells it. */
export interface Failure {
  /** One sentence. */
  readonly event: string;
  readonly conductor: string;
  /** On whose behalf it acted; null when on nobody's. */
  readonly user: string | null;
}

type EntryStore = Stores['nodeHistory'];

/** The entries of a node, oldest first. */
export const historyOf = (
  nodeHistory: EntryStore,
  nodeUuid: string,
): Promise<readonly HistoryEntry[]> =>
  nodeHistory.list(allWhere({ field: 'node_uuid', op: 'eq', value: nodeUuid }));

/** What an entry says, beside when it was made and of which node it is. */
export type Entry = Pick<HistoryEntry, 'severity' | 'event' | 'event_type' | 'conductor' | 'user'>;

/** Adds an entry to the history of a node, and lets go of the oldest. */
export const recordEntry = async (
  { stores: { nodeHistory }, now }: HistoryDependencies,
  node: Pick<NodeRecord, 'uuid'>,
  { severity, event, event_type, conductor, user }: Entry,
): Promise<void> => {
  await nodeHistory.insert((epoch): HistoryEntry => ({
    uuid: randomUUID(),
    node_uuid: node.uuid,
    created_at: timestampOf(now()),
    severity,
    event,
    event_type,
    conductor,
    user,
    revision: epoch,
  }));
  const entries = await historyOf(nodeHistory, node.uuid);
  // No floor: nobody makes an entry again with the same uuid.
  for (const old of entries.slice(0, Math.max(0, entries.length - MAX_ENTRIES)))
    await nodeHistory.remove(old.uuid, old.revision, 0);
};

/**
 * Adds a failure to the history of a node.
 * @param node as it was when it failed
 */
export const recordFailure = (
  deps: HistoryDependencies,
  node: NodeRecord,
  failure: Failure,
): Promise<void> =>
  recordEntry(deps, node, { severity: 'ERROR', event_type: eventTypeOf(node), ...failure });
