import {
  ALLOCATION_CATALOGUE,
  CHASSIS_CATALOGUE,
  DEPLOY_TEMPLATE_CATALOGUE,
  HANDOVER_CATALOGUE,
  LEASE_CATALOGUE,
  NODE_CATALOGUE,
  PORT_CATALOGUE,
  PORTGROUP_CATALOGUE,
  type ResourceCatalogue,
  type ResourceField,
  VOLUME_CONNECTOR_CATALOGUE,
  VOLUME_TARGET_CATALOGUE,
} from '@tenure/contracts';
import { type ResourceSection } from '../domain/kinds/resource-kind.js';
import { type RecordShape } from './record-store.js';

/** The indexes of a kind of record, beside those of its catalogue. */
type Lookups = Partial<
  Pick<RecordShape, 'indexed' | 'compound' | 'unique' | 'uniqueTogether' | 'queried' | 'parent'>
>;

/** A kind of record without a catalogue. */
export const shapeOf = (name: string, lookups: Lookups = {}): RecordShape => ({
  name,
  indexed: [],
  compound: [],
  unique: [],
  uniqueTogether: [],
  queried: [],
  ...lookups,
});

const namesOf = (
  { fields }: ResourceCatalogue,
  has: (field: ResourceField) => boolean,
): readonly string[] => fields.filter(has).map(({ name }) => name);

export const NODE_SHAPE = shapeFrom('nodes', NODE_CATALOGUE, {
  indexed: ['lease_end', 'handover_uuid'],
  compound: [['resource_class', 'provision_state', 'instance_uuid']],
  queried: ['traits', 'lessee_until', 'lease_uuid'],
});

export const ALLOCATION_SHAPE = shapeFrom('allocations', ALLOCATION_CATALOGUE);

export const LEASE_SHAPE = shapeFrom('leases', LEASE_CATALOGUE, {
  compound: [['status', 'start_time']],
});

export const HANDOVER_SHAPE = shapeFrom('handovers', HANDOVER_CATALOGUE, {
  // Two that are completed at once are numbered one after the other.
  uniqueTogether: [['node_uuid', 'number']],
  queried: ['opened_at', 'completed_at'],
});

export const SERVER_SHAPE = shapeOf('servers', {
  indexed: ['project_id', 'user_id', 'name', 'status', 'vm_state', 'task_state', 'node_uuid'],
  compound: [
    ['project_id', 'status'],
    ['project_id', 'created_at'],
  ],
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
});

export const KEYPAIR_SHAPE = shapeOf('keypairs', {
  compound: [['user_id', 'name']],
  uniqueTogether: [['user_id', 'name']],
});

export const CONDUCTOR_SHAPE = shapeOf('conductors', {
  indexed: ['hostname'],
  unique: ['hostname'],
  queried: ['conductor_group'],
});

export const NODE_DOCUMENT_SHAPE = shapeOf('node_documents', { indexed: ['node_uuid'] });
export const NODE_HISTORY_SHAPE = shapeOf('node_history', { indexed: ['node_uuid'] });

export const CLAIM_SHAPE = shapeOf('claims', { queried: ['kind', 'project_id'] });

export const PENDING_DELETION_SHAPE = shapeOf('departures');

const ON_NODE = { parent: { field: 'node_uuid', shape: NODE_SHAPE } } as const;

const RESOURCE_SHAPES: Readonly<Record<ResourceSection, RecordShape>> = {
  ports: shapeFrom('ports', PORT_CATALOGUE, ON_NODE),
  portgroups: shapeFrom('portgroups', PORTGROUP_CATALOGUE, ON_NODE),
  chassis: shapeFrom('chassis', CHASSIS_CATALOGUE),
  volume_connectors: shapeFrom('volume_connectors', VOLUME_CONNECTOR_CATALOGUE, {
    ...ON_NODE,
    uniqueTogether: [['type', 'connector_id']],
  }),
  volume_targets: shapeFrom('volume_targets', VOLUME_TARGET_CATALOGUE, {
    ...ON_NODE,
    uniqueTogether: [['node_uuid', 'boot_index']],
  }),
  deploy_templates: shapeFrom('deploy_templates', DEPLOY_TEMPLATE_CATALOGUE),
};

export const QUOTA_SHAPE = shapeOf('quotas');
export const USAGE_SHAPE = shapeOf('project_usage');

/** Every kind of record that is stored. */
export const ALL_SHAPES: readonly RecordShape[] = [
  NODE_SHAPE,
  ALLOCATION_SHAPE,
  LEASE_SHAPE,
  HANDOVER_SHAPE,
  CONDUCTOR_SHAPE,
  SERVER_SHAPE,
  KEYPAIR_SHAPE,
  ...Object.values(RESOURCE_SHAPES),
  NODE_DOCUMENT_SHAPE,
  NODE_HISTORY_SHAPE,
  CLAIM_SHAPE,
  PENDING_DELETION_SHAPE,
  QUOTA_SHAPE,
  USAGE_SHAPE,
];

export const resourceShape = (section: ResourceSection): RecordShape => RESOURCE_SHAPES[section];

/** The catalogue defines sorting and filters; its indexed fields have indexes. */
function shapeFrom(
  name: string,
  catalogue: ResourceCatalogue,
  { indexed = [], queried = [], ...lookups }: Lookups = {},
): RecordShape {
  const withIndex = [...namesOf(catalogue, (field) => field.indexed), ...indexed];
  const compared = new Set([
    ...namesOf(catalogue, ({ sortable }) => sortable),
    ...Object.values(catalogue.filters).flatMap(({ field, test }) =>
      field === null || test === 'lookup' ? [] : [field],
    ),
    ...queried,
  ]);
  return shapeOf(name, {
    unique: namesOf(catalogue, (field) => field.unique),
    ...lookups,
    indexed: withIndex,
    queried: [...compared].filter((field) => field !== 'uuid' && !withIndex.includes(field)),
  });
}
