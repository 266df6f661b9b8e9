import { type NodeCustody } from './handover-record.js';
import {
  catalogueOf,
  fieldsFrom,
  type FieldShape,
  type ResourceField,
} from './resource-fields/catalogue.js';

export type NodeField = ResourceField;

/**
 * Every field of a node, in the order in which it is shown.
 * Who may see or write a field is the policy's business (policies-rego/tenure/fields), not this table's.
 */
const SHAPES: readonly FieldShape[] = [
  ['uuid', 'uuid', 1, 's'],
  ['created_at', 'timestamp', 1, 's'],
  ['updated_at', 'timestamp', 1, 's'],
  ['automated_clean', 'boolean', 47, 'ws', null],
  ['bios_interface', 'string', 40, 'ws'],
  ['boot_interface', 'string', 31, 'ws'],
  ['boot_mode', 'string', 75, 's'],
  ['clean_step', 'object', 7],
  ['conductor_group', 'string', 46, 'ws', ''],
  ['console_enabled', 'boolean', 1, 's'],
  ['console_interface', 'string', 31, 'ws'],
  ['disable_power_off', 'boolean', 95, 'ws'],
  ['deploy_interface', 'string', 31, 'ws'],
  ['deploy_step', 'object', 44],
  ['description', 'string', 51, 'w'],
  ['driver', 'string', 1, 'ws'],
  ['driver_info', 'object', 1, 'w'],
  ['driver_internal_info', 'object', 3],
  ['extra', 'object', 1, 'w'],
  ['fault', 'string', 42, 's'],
  ['firmware_interface', 'string', 86, 'ws'],
  ['health', 'string', 109, 's'],
  ['inspection_finished_at', 'timestamp', 6, 's'],
  ['inspection_started_at', 'timestamp', 6, 's'],
  ['inspect_interface', 'string', 31, 'ws'],
  ['instance_info', 'object', 1, 'w'],
  ['instance_name', 'string', 104, 'ws'],
  ['instance_uuid', 'uuid', 1, 'ws'],
  ['last_error', 'string', 1],
  ['lessee', 'string', 65, 'ws'],
  ['maintenance', 'boolean', 1, 'ws'],
  ['maintenance_reason', 'string', 1, 's'],
  ['management_interface', 'string', 31, 'ws'],
  ['name', 'string', 5, 'ws'],
  ['network_data', 'object', 66, 'w'],
  ['network_interface', 'string', 20, 'ws'],
  ['owner', 'string', 50, 'ws'],
  ['parent_node', 'string', 83, 'ws'],
  ['power_interface', 'string', 31, 'ws'],
  ['power_state', 'string', 1, 's'],
  ['properties', 'object', 1, 'w'],
  ['protected', 'boolean', 48, 'ws'],
  ['protected_reason', 'string', 48, 'ws'],
  ['provision_state', 'string', 1, 's'],
  ['provision_updated_at', 'timestamp', 1, 's'],
  ['raid_config', 'object', 12],
  ['raid_interface', 'string', 31, 'ws'],
  ['rescue_interface', 'string', 38, 'ws'],
  ['reservation', 'string', 1, 's'],
  ['resource_class', 'string', 21, 'ws'],
  ['retired', 'boolean', 61, 'ws'],
  ['retired_reason', 'string', 61, 'ws'],
  ['secure_boot', 'boolean', 75, 's', null],
  ['service_step', 'object', 87],
  ['shard', 'string', 82, 'ws'],
  ['storage_interface', 'string', 33, 'ws'],
  ['target_power_state', 'string', 1, 's'],
  ['target_provision_state', 'string', 1, 's'],
  ['target_raid_config', 'object', 12],
  ['traits', 'string_list', 37],
  ['vendor_interface', 'string', 31, 'ws'],
  ['conductor', 'string', 49],
  ['allocation_uuid', 'uuid', 52],
  ['chassis_uuid', 'uuid', 1, 'ws'],
];

/** The catalogue. Link members (`links`, `ports`, `portgroups`, `states`, `volume`) are made, not stored. */
export const NODE_FIELDS: readonly NodeField[] = fieldsFrom(SHAPES);

/** Link members of a shown node, and the microversion that brought each. */
export const NODE_LINK_MEMBERS: Readonly<Record<string, number>> = {
  links: 1,
  ports: 1,
  states: 14,
  portgroups: 24,
  volume: 32,
};

/** Members of a node in a list without `detail` or `fields`. */
export const NODE_LIST_FIELDS = [
  'uuid',
  'instance_uuid',
  'maintenance',
  'power_state',
  'provision_state',
  'name',
] as const;

/** Nodes as a kind of record among others. */
export const NODE_CATALOGUE = catalogueOf({
  fields: NODE_FIELDS,
  linkMembers: NODE_LINK_MEMBERS,
  listFields: NODE_LIST_FIELDS,
  tail: [
    'links',
    'conductor',
    'allocation_uuid',
    'chassis_uuid',
    'ports',
    'states',
    'portgroups',
    'volume',
  ],
});

export const nodeField = (name: string): NodeField | undefined => NODE_CATALOGUE.field(name);

/** A node as stored: the catalogue's fields, and what the store needs. */
export interface NodeRecord {
  readonly uuid: string;
  readonly name: string | null;
  readonly owner: string | null;
  readonly lessee: string | null;
  readonly driver: string;
  readonly driver_info: Readonly<Record<string, unknown>>;
  readonly driver_internal_info: Readonly<Record<string, unknown>>;
  readonly instance_uuid: string | null;
  readonly allocation_uuid: string | null;
  readonly maintenance: boolean;
  readonly power_state: string | null;
  readonly target_power_state: string | null;
  readonly provision_state: string;
  readonly last_error: string | null;
  readonly reservation: string | null;
  readonly resource_class: string | null;
  readonly traits: readonly string[];
  readonly created_at: string;
  readonly updated_at: string | null;
  /** Grows with every write. */
  readonly revision: number;
  /** Grows when owner or lessee changes. */
  readonly tenancy_revision: number;
  /** Grows with every lock taken. */
  readonly fence: number;
  /** The lease that holds the node, from when it is made until everything is cleared away after it. */
  readonly lease_uuid?: string | null;
  /** When the lease that has begun ends, or ended; null when none has begun. As `timestampOf` writes it. */
  readonly lease_end?: string | null;
  /** Until when `lessee` counts; null for one without a lease. As `timestampOf` writes it. */
  readonly lessee_until?: string | null;
  /** The handover that is not complete yet: until then nobody but its owner uses the machine. Not shown. */
  readonly handover_uuid?: string | null;
  /** Not shown. */
  readonly custody?: NodeCustody;
  /** The project that created the node for itself, and pays for it. Internal: no view contains it. */
  readonly charged_to?: string | null;
  readonly [field: string]: unknown;
}
