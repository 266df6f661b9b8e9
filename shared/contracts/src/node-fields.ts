import { Type } from '@sinclair/typebox';
import { type NodeCustody } from './handover-record.js';
import { type LatestEvent } from './node-event.js';
import {
  catalogueOf,
  field,
  fieldsFrom,
  INDEXED,
  REQUIRED_SORTABLE,
  SORTABLE,
  UNIQUE,
  WRITABLE,
  WRITABLE_SORTABLE,
  type RecordWith,
  type ResourceField,
} from './resource-fields/catalogue.js';
import {
  MAX_TRAITS,
  nullableText,
  NullableTenancyId,
  textOf,
  Trait,
} from './resource-fields/field-schemas.js';

export type NodeField = ResourceField;

/**
 * Every field of a node, in the order of its view.
 * The policy decides who may see or write a field (policies-rego/tenure/fields), not this table.
 */
const NODE = {
  uuid: field.givenUuid(1, SORTABLE),
  created_at: field.givenMoment(1, { ...SORTABLE, ...INDEXED }),
  updated_at: field.moment(1, SORTABLE),
  automated_clean: field.optionalFlag(47, WRITABLE_SORTABLE),
  bios_interface: field.text(40, WRITABLE_SORTABLE),
  boot_interface: field.text(31, WRITABLE_SORTABLE),
  boot_mode: field.text(75, SORTABLE),
  clean_step: field.members(7),
  conductor_group: field.textFrom(
    46,
    '',
    { ...WRITABLE_SORTABLE, ...INDEXED, filter: { about: 'Nodes of this conductor group.' } },
    Type.String({ maxLength: 255, pattern: '^[A-Za-z0-9_.-]*$' }),
  ),
  console_enabled: field.flag(1, SORTABLE),
  console_interface: field.text(31, WRITABLE_SORTABLE),
  disable_power_off: field.flag(95, WRITABLE_SORTABLE),
  deploy_interface: field.text(31, WRITABLE_SORTABLE),
  deploy_step: field.members(44),
  description: field.text(51, WRITABLE, nullableText(4096)),
  driver: field.givenText(
    1,
    { ...REQUIRED_SORTABLE, ...INDEXED, filter: { since: 16, about: 'Nodes with this driver.' } },
    textOf(255),
  ),
  driver_info: field.members(1, WRITABLE),
  driver_internal_info: field.members(3),
  extra: field.members(1, WRITABLE),
  fault: field.text(42, { ...SORTABLE, filter: { about: 'Nodes with this fault.' } }),
  firmware_interface: field.text(86, WRITABLE_SORTABLE),
  health: field.text(109, SORTABLE),
  inspection_finished_at: field.moment(6, SORTABLE),
  inspection_started_at: field.moment(6, SORTABLE),
  inspect_interface: field.text(31, WRITABLE_SORTABLE),
  instance_info: field.members(1, WRITABLE),
  instance_name: field.text(104, {
    ...WRITABLE_SORTABLE,
    filter: { about: 'Nodes with an instance of this name.' },
  }),
  instance_uuid: field.uuid(1, {
    ...WRITABLE_SORTABLE,
    ...UNIQUE,
    filter: { about: 'The node with this instance.' },
  }),
  last_error: field.text(1, {}, nullableText(65_536)),
  lessee: field.text(
    65,
    { ...WRITABLE_SORTABLE, ...INDEXED, filter: { about: 'Nodes that are lent to this project.' } },
    NullableTenancyId,
  ),
  maintenance: field.flag(1, {
    ...WRITABLE_SORTABLE,
    ...INDEXED,
    filter: { about: 'Nodes in maintenance, or not.' },
  }),
  maintenance_reason: field.text(1, SORTABLE, nullableText(4096)),
  management_interface: field.text(31, WRITABLE_SORTABLE),
  name: field.text(5, { ...WRITABLE_SORTABLE, ...UNIQUE }),
  network_data: field.members(66, WRITABLE),
  network_interface: field.text(20, WRITABLE_SORTABLE),
  owner: field.text(
    50,
    { ...WRITABLE_SORTABLE, ...INDEXED, filter: { about: 'Nodes of this project.' } },
    NullableTenancyId,
  ),
  parent_node: field.text(83, {
    ...WRITABLE_SORTABLE,
    ...INDEXED,
    filter: { test: 'lookup', about: 'Nodes that are parts of this one.', names: true },
  }),
  power_interface: field.text(31, WRITABLE_SORTABLE),
  power_state: field.text(1, SORTABLE),
  properties: field.members(1, WRITABLE),
  protected: field.flag(48, WRITABLE_SORTABLE),
  protected_reason: field.text(48, WRITABLE_SORTABLE, nullableText(4096)),
  provision_state: field.textFrom(
    1,
    'enroll',
    { ...SORTABLE, ...INDEXED, filter: { since: 9, about: 'Nodes in this state.' } },
    textOf(15),
  ),
  provision_updated_at: field.moment(1, SORTABLE),
  raid_config: field.members(12),
  raid_interface: field.text(31, WRITABLE_SORTABLE),
  rescue_interface: field.text(38, WRITABLE_SORTABLE),
  reservation: field.text(1, { ...SORTABLE, ...INDEXED }),
  resource_class: field.text(
    21,
    { ...WRITABLE_SORTABLE, ...INDEXED, filter: { about: 'Nodes of this resource class.' } },
    nullableText(80, 1),
  ),
  retired: field.flag(61, {
    ...WRITABLE_SORTABLE,
    filter: { about: 'Nodes that are retired, or not.' },
  }),
  retired_reason: field.text(61, WRITABLE_SORTABLE, nullableText(4096)),
  secure_boot: field.optionalFlag(75, SORTABLE),
  service_step: field.members(87),
  shard: field.text(82, {
    ...WRITABLE_SORTABLE,
    ...INDEXED,
    filter: { test: 'one_of', about: 'Nodes of these shards.' },
  }),
  storage_interface: field.text(33, WRITABLE_SORTABLE),
  target_power_state: field.text(1, SORTABLE),
  target_provision_state: field.text(1, SORTABLE),
  target_raid_config: field.members(12),
  traits: field.texts(37, {}, Type.Array(Trait, { maxItems: MAX_TRAITS, uniqueItems: true })),
  vendor_interface: field.text(31, WRITABLE_SORTABLE),
  conductor: field.text(49, {
    filter: { test: 'lookup', about: 'Nodes that this conductor serves.' },
  }),
  allocation_uuid: field.uuid(52, UNIQUE),
  chassis_uuid: field.uuid(1, {
    ...WRITABLE_SORTABLE,
    ...INDEXED,
    filter: { about: 'Nodes in this chassis.' },
  }),
};

/** The catalogue. Link members (`links`, `ports`, `portgroups`, `states`, `volume`) are made, not stored. */
export const NODE_FIELDS: readonly NodeField[] = fieldsFrom(NODE);

/** Link members in the view of a node, and the microversion that brought each. */
export const NODE_LINK_MEMBERS: Readonly<Record<string, number>> = {
  links: 1,
  ports: 1,
  states: 14,
  portgroups: 24,
  volume: 32,
};

/** Nodes as a kind of record among others. */
export const NODE_CATALOGUE = catalogueOf({
  what: 'node',
  since: 1,
  fields: NODE_FIELDS,
  linkMembers: NODE_LINK_MEMBERS,
  listFields: ['instance_uuid', 'maintenance', 'power_state', 'provision_state', 'uuid', 'name'],
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
  filters: {
    associated: {
      since: 1,
      field: 'instance_uuid',
      test: 'is_set',
      about: 'Nodes with an instance, or without one.',
    },
    description_contains: {
      since: 51,
      field: 'description',
      test: 'contains',
      about: 'Nodes whose description contains this text.',
    },
    sharded: {
      since: 82,
      field: 'shard',
      test: 'is_set',
      about: 'Nodes with a shard, or without one.',
    },
    include_children: {
      since: 83,
      field: null,
      test: 'lookup',
      about: 'Shows nodes that are parts of others as well.',
      schema: Type.Boolean(),
    },
  },
  viewSince: { fields: 8, detail: 43 },
});

/** Members of a stored node beside the catalogue's fields. */
type NodeInternals = Readonly<{
  /** Grows with every write. */
  revision: number;
  /** Grows when owner or lessee changes. */
  tenancy_revision: number;
  /** Grows with every lock taken. */
  fence: number;
  /** The lease that holds the node, from when it is made until everything is cleared away after it. */
  lease_uuid?: string | null;
  /** When the lease that has begun ends, or ended; null when none has begun. As `timestampOf` writes it. */
  lease_end?: string | null;
  /** Until when `lessee` counts; null for one without a lease. As `timestampOf` writes it. */
  lessee_until?: string | null;
  /** The handover that is not complete yet: until then nobody but its owner uses the machine. Not in views. */
  handover_uuid?: string | null;
  /** Not in views. */
  custody?: NodeCustody;
  /** A copy of the newest entry of its history. */
  latest_event?: LatestEvent;
  /** The project that created the node for itself, and pays for it. Internal: no view contains it. */
  charged_to?: string | null;
}>;

/** A node as stored: the catalogue's fields, and what the store needs. */
export type NodeRecord = RecordWith<typeof NODE> & NodeInternals;

/** The value of a field whose name is only available at run time. */
export const fieldOf = (record: object, name: string): unknown => Reflect.get(record, name);

export const nodeField = (name: string): NodeField | undefined => NODE_CATALOGUE.field(name);
