import { type NodeRecord } from '@tenure/contracts';
import { type ResourceSection } from '../domain/kinds/resource-kind.js';
import { type QuotaRecord, type UsageRecord } from '../ports/budget-records.js';
import { type RecordShape, type RecordStore, type StoredRecord } from '../ports/record-store.js';
import { type ResourceRecord } from '../ports/resource-records.js';
import {
  ALLOCATION_SHAPE,
  CLAIM_SHAPE,
  CONDUCTOR_SHAPE,
  PENDING_DELETION_SHAPE,
  HANDOVER_SHAPE,
  KEYPAIR_SHAPE,
  LEASE_SHAPE,
  NODE_DOCUMENT_SHAPE,
  NODE_HISTORY_SHAPE,
  NODE_SHAPE,
  QUOTA_SHAPE,
  SERVER_SHAPE,
  USAGE_SHAPE,
  resourceShape,
} from '../ports/shapes.js';
import {
  type ClaimRecord,
  type ConductorRecord,
  type PendingDeletion,
  type HistoryEntry,
  type NodeDocument,
  type StoredAllocation,
  type StoredHandover,
  type StoredKeypair,
  type StoredLease,
  type StoredServer,
  type Stores,
} from '../ports/stores.js';

/** Makes the store of the records of one shape. */
type CreateStore = <R extends StoredRecord>(shape: RecordShape) => RecordStore<R>;

/** Every store of the inventory, whatever they are kept in. */
export function storesOf(create: CreateStore): Omit<Stores, 'clock' | 'ping' | 'close'> {
  const resource = (section: ResourceSection) => create<ResourceRecord>(resourceShape(section));
  return {
    nodes: create<NodeRecord>(NODE_SHAPE),
    allocations: create<StoredAllocation>(ALLOCATION_SHAPE),
    leases: create<StoredLease>(LEASE_SHAPE),
    handovers: create<StoredHandover>(HANDOVER_SHAPE),
    conductors: create<ConductorRecord>(CONDUCTOR_SHAPE),
    servers: create<StoredServer>(SERVER_SHAPE),
    keypairs: create<StoredKeypair>(KEYPAIR_SHAPE),
    resources: {
      ports: resource('ports'),
      portgroups: resource('portgroups'),
      chassis: resource('chassis'),
      volume_connectors: resource('volume_connectors'),
      volume_targets: resource('volume_targets'),
      deploy_templates: resource('deploy_templates'),
    },
    nodeDocuments: create<NodeDocument>(NODE_DOCUMENT_SHAPE),
    nodeHistory: create<HistoryEntry>(NODE_HISTORY_SHAPE),
    claims: create<ClaimRecord>(CLAIM_SHAPE),
    pendingDeletions: create<PendingDeletion>(PENDING_DELETION_SHAPE),
    quotas: create<QuotaRecord>(QUOTA_SHAPE),
    usage: create<UsageRecord>(USAGE_SHAPE),
  };
}
