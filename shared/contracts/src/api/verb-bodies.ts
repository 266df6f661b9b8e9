import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { enumOf, exactly, orNull, Uuid } from './values.js';

// The bodies of the verbs on nodes. The gateway checks them before it queries the policy, the service that carries the verb
// out checks them again, and the API's description shows them: all three by these schemas.

const Word = Type.String({ minLength: 1, maxLength: 255 });
/** A word, with some that are accepted. Which ones are is the hardware's or the driver's answer. */
const WordLike = (...examples: readonly string[]) =>
  Type.String({ minLength: 1, maxLength: 255, examples });
const OrNull = <S extends TSchema>(schema: S) => Type.Optional(orNull(schema));
/** A flag, or a word for one (`booleanIn`). */
const Flag = Type.Union([Type.Boolean(), Type.String({ minLength: 1, maxLength: 8 })]);
const Names = Type.Record(Word, Type.Unknown(), { maxProperties: 255 });

const INTERFACES: readonly string[] = [
  'bios',
  'deploy',
  'firmware',
  'management',
  'network',
  'power',
  'raid',
  'vendor',
];
/** Any text for the compiler: the steps that an agent or a driver offers name interfaces of their own. */
const Interface = enumOf(...INTERFACES);

/** As in a deploy template. */
const MAX_PRIORITY = 2_147_483_647;
const MAX_STEPS = 255;
/** Characters. */
const MAX_CONFIG_DRIVE = 512 * 1024;

/** One step of a cleaning, a deployment or a service. */
export const ProvisionStep = exactly({
  interface: Type.Optional(Interface),
  step: Word,
  args: Type.Optional(Names),
  priority: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_PRIORITY })),
});
export type ProvisionStep = Readonly<Static<typeof ProvisionStep>>;

const Steps = OrNull(Type.Array(ProvisionStep, { maxItems: MAX_STEPS }));

const ConfigDrive = Type.Union([
  Type.String({ maxLength: MAX_CONFIG_DRIVE }),
  exactly({
    meta_data: Type.Optional(Names),
    network_data: Type.Optional(Names),
    user_data: OrNull(Type.Union([Names, Type.String({ maxLength: MAX_CONFIG_DRIVE })])),
    vendor_data: Type.Optional(Names),
  }),
]);

const LogicalDisk = Type.Object(
  {
    raid_level: enumOf('JBOD', '0', '1', '2', '5', '6', '1+0', '5+0', '6+0'),
    size_gb: Type.Union([
      Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
      Type.Literal('MAX'),
    ]),
    volume_name: Type.Optional(Word),
    is_root_volume: Type.Optional(Type.Boolean()),
    share_physical_disks: Type.Optional(Type.Boolean()),
    disk_type: Type.Optional(enumOf('hdd', 'ssd')),
    interface_type: Type.Optional(enumOf('sata', 'scsi', 'sas')),
    number_of_physical_disks: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    controller: Type.Optional(Word),
    // Software RAID describes a disk by its properties instead of its name.
    physical_disks: Type.Optional(
      Type.Array(Type.Union([Word, Type.Record(Word, Type.Unknown())]), {
        minItems: 1,
        maxItems: 1000,
      }),
    ),
  },
  { additionalProperties: false, dependentRequired: { physical_disks: ['controller'] } },
);
export type LogicalDisk = Readonly<Static<typeof LogicalDisk>>;

/** The id of a VIF, which is a port of the network service. It is also part of paths. */
export const VifId = Type.String({ pattern: '^[A-Za-z0-9._~-]{1,255}$' });

export const MEDIA_DEVICES = ['cdrom', 'disk', 'floppy'] as const;

/** The body of each verb, by its name. */
export const VERB = {
  power: exactly({
    target: WordLike('power on', 'power off', 'rebooting', 'soft power off', 'soft rebooting'),
    /** Seconds. */
    timeout: OrNull(Type.Integer({ minimum: 1, maximum: 86_400 })),
  }),
  provision: exactly({
    target: WordLike('manage', 'provide', 'active', 'deleted', 'clean', 'inspect', 'abort'),
    configdrive: OrNull(ConfigDrive),
    clean_steps: Steps,
    deploy_steps: Steps,
    service_steps: Steps,
    rescue_password: OrNull(Type.String({ maxLength: 255 })),
    disable_ramdisk: OrNull(Type.Boolean()),
    runbook: OrNull(Type.String({ maxLength: 255 })),
  }),
  raid: Type.Union([
    exactly({}),
    exactly({ logical_disks: Type.Array(LogicalDisk, { minItems: 1, maxItems: 255 }) }),
  ]),
  console: exactly({ enabled: Flag }),
  bootMode: exactly({
    target: Type.String({ minLength: 1, maxLength: 64, examples: ['uefi', 'bios'] }),
  }),
  secureBoot: exactly({ target: Flag }),
  maintenance: exactly({ reason: OrNull(Type.String({ maxLength: 4096 })) }),
  bootDevice: exactly({
    boot_device: WordLike('pxe', 'disk', 'cdrom', 'bios'),
    persistent: Type.Optional(Type.Boolean()),
  }),
  indicator: exactly({
    state: Type.String({ minLength: 1, maxLength: 16, examples: ['on', 'off', 'blinking'] }),
  }),
  /** Clients send nothing, `null` or `{}` where there is nothing to say. */
  nothing: Type.Union([Type.Null(), exactly({})]),
  /** openstacksdk repeats the node of the path. */
  introspection: Type.Union([Type.Null(), exactly({ uuid: Type.Optional(Word) })]),
  traits: exactly({
    traits: Type.Array(WordLike('CUSTOM_GPU', 'HW_CPU_X86_VMX'), { maxItems: 1000 }),
  }),
  /** As Ironic: what a network service may want to know besides is taken, and not used. */
  vif: Type.Object(
    { id: VifId, port_uuid: OrNull(Uuid), portgroup_uuid: OrNull(Uuid) },
    { additionalProperties: true, maxProperties: 64 },
  ),
  virtualMedia: exactly({
    device_type: enumOf(...MEDIA_DEVICES),
    image_url: Type.String({ minLength: 1, maxLength: 4096 }),
    /** How the image reaches the BMC: it is always fetched by the BMC itself. */
    image_download_source: Type.Optional(enumOf('http', 'local', 'swift')),
  }),
  /** openstacksdk names the drives to empty in the body of a DELETE, others in the query. */
  virtualDrives: exactly({
    device_types: Type.Optional(
      Type.Union([
        Type.String({ maxLength: 255 }),
        Type.Array(Type.String({ maxLength: 255 }), { maxItems: 16 }),
      ]),
    ),
  }),
  /** The arguments of a vendor's own method. */
  vendor: Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), { maxProperties: 1000 }),
} as const;
