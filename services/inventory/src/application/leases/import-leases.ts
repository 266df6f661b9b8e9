import { type NodeRecord, timestampOf } from '@tenure/contracts';
import { importedRow, type ImportedRow, type Row } from '../../domain/import-rows.js';
import { isOpen } from '../../domain/lease.js';
import { type StoredLease, type Stores } from '../../ports/stores.js';
import { changeNode } from '../change-node.js';
import { mergeInChunks } from '../merge-in-chunks.js';
import { changeLease, type LeaseDependencies } from './find-lease.js';

interface ImportDependencies {
  readonly stores: Stores;
  readonly now: () => Date;
}

const DEFAULTS = {
  owner: null,
  reason: null,
  started_at: null,
  ended_at: null,
  on_end: { undeploy: true, clean: true },
  purpose: null,
  phase: null,
  updated_at: null,
} as const;

// Leases compare moments as texts, so all of them are written alike.
const WRITTEN_ALIKE = ['start_time', 'end_time', 'started_at', 'ended_at'] as const;

const NODE_UNAVAILABLE = 'Its node does not exist, or has another lease.';

/**
 * Imports the leases of an inventory document, and applies them to their nodes.
 * @throws BadRequestError naming row and field
 */
export async function importLeases(deps: ImportDependencies, rows: readonly Row[]): Promise<void> {
  const records = rows.map((row, index) => leaseIn(row, index, deps.now()));
  const target = { store: deps.stores.leases, unique: [], combine: grownLease };
  await mergeInChunks('leases', target, records);
  for (const lease of records.filter(isOpen)) await bindNode(deps, lease);
}

function leaseIn(row: Row, index: number, now: Date): StoredLease {
  const read = importedRow('leases', row, index);
  return {
    created_at: timestampOf(now),
    ...DEFAULTS,
    ...read,
    ...momentsOf(read),
    revision: 0,
    tenancy_revision: 0,
  } as unknown as StoredLease; // every member was checked by importedRow or is a default
}

/** The numbers that bind decisions to a lease never decrease, and grow when it gets another lessee. */
function grownLease(
  existing: StoredLease | undefined,
  incoming: StoredLease,
  epoch: number,
): StoredLease {
  if (existing === undefined) return { ...incoming, revision: epoch, tenancy_revision: epoch };
  const isMoved = existing.owner !== incoming.owner || existing.lessee !== incoming.lessee;
  return {
    ...incoming,
    revision: existing.revision + 1,
    tenancy_revision: existing.tenancy_revision + (isMoved ? 1 : 0),
  };
}

/** Makes both sides of an imported lease agree. One whose node has another lease already is no lease. */
async function bindNode(deps: LeaseDependencies, lease: StoredLease): Promise<void> {
  const { stores, now } = deps;
  const { uuid, node_uuid: nodeUuid } = lease;
  const node =
    (await stores.nodes.findBy('uuid', nodeUuid)) &&
    (await changeNode({
      nodes: stores.nodes,
      now,
      uuid: nodeUuid,
      ident: nodeUuid,
      change: (found) => {
        const holder = found.lease_uuid ?? null;
        return holder === null || holder === uuid ? bound(found, lease) : undefined;
      },
    }));
  if (node?.lease_uuid !== uuid)
    await changeLease(deps, uuid, () => ({ status: 'cancelled', reason: NODE_UNAVAILABLE }));
}

const momentsOf = (row: ImportedRow): Row =>
  Object.fromEntries(
    WRITTEN_ALIKE.flatMap((name) => {
      const value = row[name];
      return typeof value === 'string' ? [[name, timestampOf(new Date(value))]] : [];
    }),
  );

/** The node with its lease applied: lent, waiting for cleaning, or reserved for a pending lease. */
function bound(node: NodeRecord, { uuid, status, lessee, end_time: end }: StoredLease): NodeRecord {
  if (status === 'pending') return { ...node, lease_uuid: uuid };
  if (status === 'active')
    return { ...node, lease_uuid: uuid, lease_end: end, lessee, lessee_until: end };
  const kept = node.lessee === lessee ? null : node.lessee;
  return { ...node, lease_uuid: uuid, lease_end: end, lessee: kept, lessee_until: null };
}
