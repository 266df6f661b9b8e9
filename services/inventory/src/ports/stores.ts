import {
  type AllocationRecord,
  type HandoverRecord,
  type KeypairRecord,
  type LeaseRecord,
  type NodeRecord,
  type ServerRecord,
} from '@tenure/contracts';
import { type Conductor } from '../domain/conductors.js';
import { type ClaimKind } from '../domain/external-resources.js';
import { type ResourceSection } from '../domain/kinds/resource-kind.js';
import { type QuotaRecord, type UsageRecord } from './budget-records.js';
import { type RecordStore, type StoredRecord } from './record-store.js';
import { type ResourceRecord } from './resource-records.js';

/** An allocation as stored: `tenancy_revision` binds a decision to this very allocation. */
export interface StoredAllocation extends AllocationRecord {
  readonly tenancy_revision: number;
}

/** A lease as stored: `tenancy_revision` binds a decision to this very lease, whose owner and lessee never change. */
export interface StoredLease extends LeaseRecord {
  readonly tenancy_revision: number;
}

/** How a node passed from one tenancy to the next. */
export type StoredHandover = StoredRecord & HandoverRecord;
export type StoredServer = StoredRecord & ServerRecord;
export type StoredKeypair = StoredRecord & KeypairRecord;

export type ConductorRecord = StoredRecord & Conductor;

export interface NodeStore extends RecordStore<NodeRecord> {
  /** @param before the node that is replaced, if the caller has it: needed when the tenancy changes */
  readonly swap: (
    record: NodeRecord,
    expectedRevision: number,
    before?: NodeRecord,
  ) => Promise<boolean>;
}
export type AllocationStore = RecordStore<StoredAllocation>;
type LeaseStore = RecordStore<StoredLease>;
type HandoverStore = RecordStore<StoredHandover>;
type ConductorStore = RecordStore<ConductorRecord>;

type ResourceStore = RecordStore<ResourceRecord>;

/** A document that belongs to a node (`node_uuid`), one of each kind. */
export interface NodeDocument extends StoredRecord {
  readonly node_uuid: string;
  readonly document: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly updated_at: string | null;
}

/** Something that happened to a node. */
export interface HistoryEntry extends StoredRecord {
  readonly node_uuid: string;
  readonly created_at: string;
  readonly severity: 'ERROR' | 'INFO';
  readonly event: string;
  readonly event_type: string | null;
  readonly conductor: string | null;
  /** Id of the user for whom it happened. */
  readonly user: string | null;
}

/** Where a VIF is attached. */
export interface VifPlace {
  readonly section: 'ports' | 'portgroups';
  readonly uuid: string;
}

/**
 * The project for which a resource of another service is used, by uuid `<kind>:<id>`. It counts only while a record on
 * a node names the resource.
 */
export interface ClaimRecord extends StoredRecord {
  readonly kind: ClaimKind;
  readonly id: string;
  /** Null: the project that has the node. */
  readonly project_id: string | null;
  /** Of a VIF: the last place that it was attached to. The port or portgroup there records whether it still is. */
  readonly place: VifPlace | null;
}

/** A node that is being deleted, by its uuid: its dependent records are removed even after a crash in between. */
export interface PendingDeletion extends StoredRecord {
  /** The allocation of the node. */
  readonly allocation_uuid: string | null;
  readonly created_at: string;
}

/** All stores of the service, and whether what is below them answers. */
export interface Stores {
  readonly nodes: NodeStore;
  readonly allocations: AllocationStore;
  readonly leases: LeaseStore;
  readonly handovers: HandoverStore;
  readonly conductors: ConductorStore;
  readonly servers: RecordStore<StoredServer>;
  readonly keypairs: RecordStore<StoredKeypair>;
  readonly resources: Readonly<Record<ResourceSection, ResourceStore>>;
  /** By uuid `<node>:<kind>`. */
  readonly nodeDocuments: RecordStore<NodeDocument>;
  readonly nodeHistory: RecordStore<HistoryEntry>;
  readonly claims: RecordStore<ClaimRecord>;
  readonly pendingDeletions: RecordStore<PendingDeletion>;
  readonly quotas: RecordStore<QuotaRecord>;
  readonly usage: RecordStore<UsageRecord>;
  /**
   * The store's own clock, one for all replicas, with which heartbeats of conductors are compared.
   * @throws when the store cannot answer now
   */
  readonly clock: () => Promise<Date>;
  /** @throws when the store cannot answer now */
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
}
