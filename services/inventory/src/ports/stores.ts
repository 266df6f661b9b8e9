import { type AllocationRecord, NODE_FIELDS, type NodeRecord } from '@tenure/contracts';
import { type Conductor } from '../domain/conductors.js';
import { type RecordShape, type RecordStore, type StoredRecord } from './record-store.js';

/** An allocation as stored: `tenancy_revision` binds a decision to this very allocation. */
export interface StoredAllocation extends AllocationRecord {
  readonly tenancy_revision: number;
  readonly [field: string]: unknown;
}

export type ConductorRecord = StoredRecord & Conductor;

export type NodeStore = RecordStore<NodeRecord>;
export type AllocationStore = RecordStore<StoredAllocation>;
type ConductorStore = RecordStore<ConductorRecord>;
type DocumentStore = RecordStore<StoredRecord>;

/** Kinds of records that are only kept, until their API comes. */
export const DOCUMENT_SECTIONS = [
  'ports',
  'portgroups',
  'chassis',
  'volume_connectors',
  'volume_targets',
  'deploy_templates',
] as const;
export type DocumentSection = (typeof DOCUMENT_SECTIONS)[number];

/** All stores of the service, and whether what is below them answers. */
export interface Stores {
  readonly nodes: NodeStore;
  readonly allocations: AllocationStore;
  readonly conductors: ConductorStore;
  readonly documents: Readonly<Record<DocumentSection, DocumentStore>>;
  /** @throws when the store cannot answer now */
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const INDEXED_NODE_FIELDS = [
  'owner',
  'lessee',
  'provision_state',
  'resource_class',
  'conductor_group',
  'driver',
  'reservation',
  'name',
  'instance_uuid',
  'allocation_uuid',
  'chassis_uuid',
  'maintenance',
  'power_state',
  'created_at',
] as const;

const isScalarKind = (kind: string): boolean => kind !== 'object' && kind !== 'string_list';

export const NODE_SHAPE: RecordShape = {
  name: 'nodes',
  indexed: INDEXED_NODE_FIELDS,
  compound: [['resource_class', 'provision_state', 'instance_uuid']],
  unique: ['name', 'instance_uuid', 'allocation_uuid'],
  queried: [
    ...NODE_FIELDS.filter(
      ({ name, kind }) =>
        isScalarKind(kind) &&
        name !== 'uuid' &&
        !(INDEXED_NODE_FIELDS as readonly string[]).includes(name),
    ).map(({ name }) => name),
    'traits',
  ],
};

export const ALLOCATION_SHAPE: RecordShape = {
  name: 'allocations',
  indexed: ['name', 'owner', 'node_uuid', 'state', 'resource_class'],
  compound: [],
  unique: ['name'],
  queried: ['created_at', 'updated_at', 'last_error'],
};

export const CONDUCTOR_SHAPE: RecordShape = {
  name: 'conductors',
  indexed: ['hostname'],
  compound: [],
  unique: ['hostname'],
  queried: ['conductor_group'],
};

export const documentShape = (section: DocumentSection): RecordShape => ({
  name: section,
  indexed: ['node_uuid', 'name', 'address'],
  compound: [],
  unique: [],
  queried: [],
});
