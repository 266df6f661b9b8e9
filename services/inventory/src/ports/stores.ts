import {
  type AllocationRecord,
  CHASSIS_CATALOGUE,
  DEPLOY_TEMPLATE_CATALOGUE,
  type HandoverRecord,
  type KeypairRecord,
  type LeaseRecord,
  NODE_FIELDS,
  type NodeRecord,
  PORT_CATALOGUE,
  PORTGROUP_CATALOGUE,
  type ResourceCatalogue,
  type ServerRecord,
  VOLUME_CONNECTOR_CATALOGUE,
  VOLUME_TARGET_CATALOGUE,
} from '@tenure/contracts';
import { type Conductor } from '../domain/conductors.js';
import { type ResourceSection } from '../domain/kinds/resource-kind.js';
import { type ClaimKind } from '../domain/outside-things.js';
import { QUOTA_SHAPE, type QuotaRecord, USAGE_SHAPE, type UsageRecord } from './budget-records.js';
import { type RecordShape, type RecordStore, type StoredRecord } from './record-store.js';
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
  /** @param before the node that is written over, where the caller has it: for what goes with a change of hands */
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

/** What is kept of a node beside it, one of each kind; `node_uuid` says whose. */
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
 * For which project a thing of another service is used, by uuid `<kind>:<id>`. It counts only while something on a node
 * names the thing.
 */
export interface ClaimRecord extends StoredRecord {
  readonly kind: ClaimKind;
  readonly id: string;
  /** Null: the project that has the node. */
  readonly project_id: string | null;
  /** Of a VIF: the last place that it was attached to; the place itself tells whether it still is. */
  readonly place: VifPlace | null;
}

/** A node that is being deleted, by its uuid: what hangs on it goes even when a crash comes in between. */
export interface DepartureRecord extends StoredRecord {
  /** The allocation that held it. */
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
  readonly departures: RecordStore<DepartureRecord>;
  readonly quotas: RecordStore<QuotaRecord>;
  readonly usage: RecordStore<UsageRecord>;
  /**
   * The store's own clock, one for all replicas. What a conductor's heartbeat is compared with.
   * @throws when the store cannot answer now
   */
  readonly clock: () => Promise<Date>;
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
  'created_at',
  'shard',
  'parent_node',
  'lease_end',
  'handover_uuid',
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
    'lessee_until',
    'lease_uuid',
  ],
};

export const ALLOCATION_SHAPE: RecordShape = {
  name: 'allocations',
  indexed: ['name', 'owner', 'node_uuid', 'state', 'resource_class'],
  compound: [],
  unique: ['name'],
  queried: ['created_at', 'updated_at', 'last_error'],
};

export const LEASE_SHAPE: RecordShape = {
  name: 'leases',
  indexed: ['owner', 'lessee', 'node_uuid', 'status', 'start_time'],
  compound: [['status', 'start_time']],
  unique: [],
  queried: ['created_at', 'updated_at', 'end_time', 'started_at', 'ended_at'],
};

export const HANDOVER_SHAPE: RecordShape = {
  name: 'handovers',
  indexed: ['node_uuid', 'status', 'lease_uuid', 'owner', 'from_project', 'to_project'],
  grouped: ['number'],
  compound: [],
  unique: [],
  // Two that are completed at once are numbered one after the other.
  uniqueTogether: [['node_uuid', 'number']],
  queried: ['opened_at', 'completed_at'],
};

export const SERVER_SHAPE: RecordShape = {
  name: 'servers',
  indexed: ['project_id', 'user_id', 'name', 'status', 'vm_state', 'task_state', 'node_uuid'],
  compound: [
    ['project_id', 'status'],
    ['project_id', 'created_at'],
  ],
  grouped: ['created_at'],
  unique: [],
  queried: [
    'availability_zone',
    'description',
    'flavor_id',
    'hostname',
    'image_ref',
    'key_name',
    'launched_at',
    'locked_by',
    'power_state',
    'tags',
    'updated_at',
  ],
};

export const KEYPAIR_SHAPE: RecordShape = {
  name: 'keypairs',
  indexed: [],
  grouped: ['user_id', 'name'],
  compound: [['user_id', 'name']],
  unique: [],
  uniqueTogether: [['user_id', 'name']],
  queried: [],
};

export const CONDUCTOR_SHAPE: RecordShape = {
  name: 'conductors',
  indexed: ['hostname'],
  compound: [],
  unique: ['hostname'],
  queried: ['conductor_group'],
};

const ofNode = (name: string): RecordShape => ({
  name,
  indexed: ['node_uuid'],
  compound: [],
  unique: [],
  queried: [],
});
export const NODE_DOCUMENT_SHAPE = ofNode('node_documents');
export const NODE_HISTORY_SHAPE = ofNode('node_history');

export const CLAIM_SHAPE: RecordShape = {
  name: 'claims',
  indexed: [],
  compound: [],
  unique: [],
  queried: ['kind', 'project_id'],
};

export const DEPARTURE_SHAPE: RecordShape = {
  name: 'departures',
  indexed: [],
  compound: [],
  unique: [],
  queried: [],
};

interface Lookups {
  readonly catalogue: ResourceCatalogue;
  readonly indexed: readonly string[];
  readonly grouped?: readonly string[];
  readonly unique: readonly string[];
  readonly uniqueTogether?: readonly (readonly string[])[];
}

const LOOKUPS: Readonly<Record<ResourceSection, Lookups>> = {
  ports: {
    catalogue: PORT_CATALOGUE,
    indexed: ['node_uuid', 'portgroup_uuid', 'address', 'name'],
    unique: ['address', 'name'],
  },
  portgroups: {
    catalogue: PORTGROUP_CATALOGUE,
    indexed: ['node_uuid', 'address', 'name'],
    unique: ['address', 'name'],
  },
  chassis: { catalogue: CHASSIS_CATALOGUE, indexed: [], unique: [] },
  volume_connectors: {
    catalogue: VOLUME_CONNECTOR_CATALOGUE,
    indexed: ['node_uuid', 'connector_id'],
    grouped: ['type'],
    unique: [],
    uniqueTogether: [['type', 'connector_id']],
  },
  volume_targets: {
    catalogue: VOLUME_TARGET_CATALOGUE,
    indexed: ['node_uuid', 'volume_id'],
    grouped: ['boot_index'],
    unique: [],
    uniqueTogether: [['node_uuid', 'boot_index']],
  },
  deploy_templates: {
    catalogue: DEPLOY_TEMPLATE_CATALOGUE,
    indexed: ['name'],
    unique: ['name'],
  },
};

const RESOURCE_SECTIONS = Object.keys(LOOKUPS) as readonly ResourceSection[]; // its own keys

export const resourceShape = (section: ResourceSection): RecordShape => {
  const { catalogue, ...lookups } = LOOKUPS[section];
  const looked = [...lookups.indexed, ...(lookups.grouped ?? [])];
  const queried = catalogue.fields
    .filter(({ name, sortable }) => sortable && name !== 'uuid' && !looked.includes(name))
    .map(({ name }) => name);
  return {
    name: section,
    compound: [],
    queried:
      catalogue.field('description') === undefined
        ? queried
        : [...new Set([...queried, 'description'])],
    ...lookups,
    ...(lookups.indexed.includes('node_uuid') && {
      parent: { field: 'node_uuid', shape: NODE_SHAPE },
    }),
  };
};

/** Every kind of record that is stored. */
export const ALL_SHAPES: readonly RecordShape[] = [
  NODE_SHAPE,
  ALLOCATION_SHAPE,
  LEASE_SHAPE,
  HANDOVER_SHAPE,
  CONDUCTOR_SHAPE,
  SERVER_SHAPE,
  KEYPAIR_SHAPE,
  ...RESOURCE_SECTIONS.map(resourceShape),
  NODE_DOCUMENT_SHAPE,
  NODE_HISTORY_SHAPE,
  CLAIM_SHAPE,
  DEPARTURE_SHAPE,
  QUOTA_SHAPE,
  USAGE_SHAPE,
];
