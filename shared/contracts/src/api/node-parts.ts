import { type TSchema, Type } from '@sinclair/typebox';
import { pageOf, recordSchemas } from './record-schemas.js';
import { NODE_SCHEMAS } from './resources.js';
import { enumOf, exactly, Link, Links, Members, Moment, orNull, Text, Uuid } from './values.js';

/** The visible members of a node's states, and whether every microversion has them. */
const STATES = {
  console_enabled: true,
  last_error: true,
  power_state: true,
  provision_state: true,
  target_power_state: true,
  target_provision_state: true,
  provision_updated_at: true,
  raid_config: false,
  target_raid_config: false,
  boot_mode: false,
  secure_boot: false,
} as const;

export const NodeStates = exactly(
  Object.fromEntries(
    Object.entries(STATES).map(([name, always]): [string, TSchema] => {
      const schema = NODE_SCHEMAS.members[name] ?? Type.Never();
      return [name, always ? schema : Type.Optional(schema)];
    }),
  ),
  'NodeStates',
);

export const NodeValidation = Type.Record(
  Text,
  exactly({ result: orNull(Type.Boolean()), reason: Type.Optional(Text) }),
  { title: 'NodeValidation' },
);

/** Uuids of the nodes that are parts of one, as far as the caller may see them. */
export const NodeChildren = exactly({ children: Type.Array(Uuid), links: Link }, 'NodeChildren');

export const ConsoleState = exactly(
  { console_enabled: Type.Boolean(), console_info: orNull(Members) },
  'ConsoleState',
);

export const BootDevice = exactly(
  { boot_device: orNull(Text), persistent: orNull(Type.Boolean()) },
  'BootDevice',
);
export const SupportedBootDevices = exactly(
  { supported_boot_devices: Type.Array(Text) },
  'SupportedBootDevices',
);

const LampState = enumOf('off', 'on', 'blinking', 'unknown');
export const Indicators = exactly(
  {
    indicators: Type.Array(
      exactly({
        name: Text,
        component: Text,
        readonly: Type.Boolean(),
        states: Type.Array(LampState),
        links: Links,
      }),
    ),
  },
  'Indicators',
);
/** The state of one lamp (`led@system`), or the lamps of a component (`system`). */
export const IndicatorOrComponent = Type.Union([exactly({ state: LampState }), Indicators]);

export const Traits = exactly({ traits: Type.Array(Text) }, 'Traits');

export const Vifs = exactly({ vifs: Type.Array(exactly({ id: Text })) }, 'Vifs');

export const VirtualMedia = Type.Array(
  exactly({ media_types: Type.Array(Text), inserted: Type.Boolean(), image: orNull(Text) }),
  { title: 'VirtualMedia' },
);

/** The names are those of the hardware, and so are most of the values. */
export const BIOS_SCHEMAS = recordSchemas({
  title: 'BiosSetting',
  collection: 'bios',
  members: {
    created_at: orNull(Moment),
    updated_at: orNull(Moment),
    name: Text,
    value: Type.Unknown(),
    attribute_type: orNull(Text),
    allowable_values: orNull(Type.Array(Type.Unknown())),
    lower_bound: orNull(Type.Number()),
    max_length: orNull(Type.Number()),
    min_length: orNull(Type.Number()),
    read_only: orNull(Type.Boolean()),
    reset_required: orNull(Type.Boolean()),
    unique: orNull(Type.Boolean()),
    upper_bound: orNull(Type.Number()),
    links: Links,
  },
  always: ['created_at', 'updated_at', 'name', 'value', 'links'],
  sortKeys: [],
});
/** One setting, under its name. */
export const BiosSettingByName = Type.Record(Text, BIOS_SCHEMAS.whole);

export const Firmware = exactly(
  {
    firmware: Type.Array(
      exactly({
        created_at: orNull(Moment),
        updated_at: orNull(Moment),
        component: Text,
        initial_version: orNull(Text),
        current_version: orNull(Text),
        last_version_flashed: orNull(Text),
        vendor: Type.Optional(orNull(Text)),
        model: Type.Optional(orNull(Text)),
        serial: Type.Optional(orNull(Text)),
      }),
    ),
  },
  'Firmware',
);

const HISTORY_MEMBERS = {
  uuid: Uuid,
  created_at: orNull(Moment),
  severity: orNull(Text),
  event: orNull(Text),
  event_type: orNull(Text),
  conductor: orNull(Text),
  user: orNull(Text),
  links: Links,
};
export const HISTORY_SCHEMAS = recordSchemas({
  title: 'HistoryEntry',
  collection: 'history',
  members: HISTORY_MEMBERS,
  always: Object.keys(HISTORY_MEMBERS),
  sortKeys: [],
});

export const NodeInventory = exactly({ inventory: Members, plugin_data: Members }, 'NodeInventory');

export const VendorMethods = Type.Record(
  Text,
  exactly({
    http_methods: Type.Array(Text),
    async: Type.Boolean(),
    description: Text,
    attach: Type.Boolean(),
    require_exclusive_lock: Type.Boolean(),
  }),
  { title: 'VendorMethods' },
);

export const VolumeRoot = exactly(
  { links: Links, connectors: Links, targets: Links },
  'VolumeRoot',
);

const Introspection = exactly(
  {
    uuid: Uuid,
    state: enumOf('processing', 'waiting', 'error', 'finished'),
    started_at: orNull(Moment),
    finished_at: orNull(Moment),
    finished: Type.Boolean(),
    error: orNull(Text),
    links: Links,
  },
  'Introspection',
);
const Introspections = pageOf('IntrospectionList', 'introspection', Introspection);
export const INTROSPECTION = { one: Introspection, list: Introspections } as const;
export const IntrospectionData = Type.Object({}, { title: 'IntrospectionData' });
