import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { PolicyFilter } from './decision.js';
import { OutsideId, TenancyId } from './ids.js';

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Id = Type.String({ minLength: 1, maxLength: 255 });
const Moment = Type.String({ minLength: 20, maxLength: 40 });
const ServerUuid = Type.String({
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
});
const Text = Type.String({ maxLength: 255 });

/** Nova's names for what a server is, apart from what is being done with it. */
const VM_STATES = ['building', 'active', 'stopped', 'rescued', 'error'] as const;
export type VmState = (typeof VM_STATES)[number];

/** The pending task of a server. It is carried out to its end, even when processes die meanwhile. */
const TASK_KINDS = [
  'build',
  'delete',
  'rebuild',
  'rescue',
  'unrescue',
  'start',
  'stop',
  'reboot',
] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

export const ServerFault = Type.Object(
  {
    code: Type.Integer({ minimum: 400, maximum: 599 }),
    message: Type.String({ maxLength: 1024 }),
    created: Moment,
  },
  { additionalProperties: false },
);
export type ServerFault = Static<typeof ServerFault>;

export const ServerTask = Type.Object(
  {
    kind: Type.Union(TASK_KINDS.map((kind) => Type.Literal(kind))),
    /** When it was requested. */
    since: Moment,
    /** Seconds of work on it before `held_until` was set. A task that exceeds its limit fails. */
    worked_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 1e9 })),
    /** Its progress: the name of a step of the task. */
    step: Type.String({ maxLength: 64 }),
    /** `provision_updated_at` of the node when the step began: after a crash it reveals whether the step was ordered. */
    seen: Nullable(Text),
    /** The replica that has the task locked; `held_until` is the end of the lock. */
    holder: Nullable(Text),
    held_until: Nullable(Moment),
    /** Why it ends in error once everything is cleared away; null while it does not. */
    failure: Nullable(Type.String({ maxLength: 1024 })),
    request_id: Id,
    user_id: Nullable(Id),
    arguments: Type.Object(
      {
        /** Soft, for a reboot that asks the operating system first. */
        soft: Type.Optional(Type.Boolean()),
        admin_pass: Type.Optional(Text),
        /** Of a rebuild: whether the machine was switched off before. */
        stop_after: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);
export type ServerTask = Static<typeof ServerTask>;

const SERVER_FIELDS = {
  name: Type.String({ minLength: 1, maxLength: 255 }),
  description: Nullable(Text),
  project_id: Id,
  /** The user who created it; null only where the user is not recorded. */
  user_id: Nullable(Id),
  /** Resource class and traits, as the flavor is named: `class` or `class:TRAIT:TRAIT`. */
  flavor_id: Type.String({ minLength: 1, maxLength: 255 }),
  resource_class: Type.String({ minLength: 1, maxLength: 80 }),
  traits: Type.Array(Id, { maxItems: 50 }),
  flavor: Type.Object(
    { vcpus: Type.Integer(), ram: Type.Integer(), disk: Type.Integer() },
    { additionalProperties: false },
  ),
  /** Address of what is deployed. */
  image_ref: Type.String({ minLength: 1, maxLength: 2048 }),
  key_name: Nullable(Text),
  public_key: Nullable(Type.String({ maxLength: 16_384 })),
  metadata: Type.Record(Type.String({ minLength: 1, maxLength: 255 }), Text, {
    maxProperties: 128,
  }),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 60 }), { maxItems: 50 }),
  hostname: Type.String({ minLength: 1, maxLength: 255 }),
  availability_zone: Text,
  /** VIFs to attach, in this order. */
  vifs: Type.Array(Id, { maxItems: 64 }),
  config_drive: Type.Boolean(),
  /** Base64, as it came. */
  user_data: Nullable(Type.String({ maxLength: 65_535 })),
  vm_state: Type.Union(VM_STATES.map((state) => Type.Literal(state))),
  task_state: Nullable(Id),
  /** Nova's word for both together, kept beside them so that lists can be narrowed by it. */
  status: Id,
  /** Nova's number: 0 unknown, 1 running, 4 shut down. */
  power_state: Type.Integer({ minimum: 0, maximum: 7 }),
  node_uuid: Nullable(ServerUuid),
  locked_by: Nullable(Type.Union([Type.Literal('owner'), Type.Literal('admin')])),
  locked_reason: Nullable(Text),
  fault: Nullable(ServerFault),
  task: Nullable(ServerTask),
  /** Which nodes it may take, as the policy decided when it was created. */
  candidate_filter: PolicyFilter,
  launched_at: Nullable(Moment),
  created_at: Moment,
  updated_at: Moment,
};

/** A server as the compute service hands it to the inventory; the inventory adds its own numbers. */
export const NewServer = Type.Object(
  {
    uuid: ServerUuid,
    ...SERVER_FIELDS,
    project_id: TenancyId,
    user_id: Nullable(TenancyId),
    vifs: Type.Array(OutsideId, { maxItems: 64 }),
  },
  { additionalProperties: false },
);
export type NewServer = Static<typeof NewServer>;

/** The members of a server that may change: all but its project and user. */
export const ServerChange = Type.Partial(
  Type.Omit(Type.Object(SERVER_FIELDS), ['project_id', 'user_id', 'created_at']),
  { additionalProperties: false },
);
export type ServerChange = Static<typeof ServerChange>;

/** A server as stored. `tenancy_revision` binds a decision to this very server. */
export const ServerRecord = Type.Object({
  uuid: ServerUuid,
  ...SERVER_FIELDS,
  revision: Type.Integer({ minimum: 0 }),
  tenancy_revision: Type.Integer({ minimum: 0 }),
});
export type ServerRecord = Static<typeof ServerRecord>;

/** A key pair as stored; the private half is kept nowhere. */
export const NewKeypair = Type.Object(
  {
    uuid: ServerUuid,
    user_id: TenancyId,
    name: Type.String({ minLength: 1, maxLength: 255 }),
    type: Type.Union([Type.Literal('ssh'), Type.Literal('x509')]),
    public_key: Type.String({ minLength: 1, maxLength: 16_384 }),
    fingerprint: Text,
    created_at: Moment,
  },
  { additionalProperties: false },
);
export type NewKeypair = Static<typeof NewKeypair>;

export const KeypairRecord = Type.Object({
  ...NewKeypair.properties,
  user_id: Id,
  revision: Type.Integer({ minimum: 0 }),
});
export type KeypairRecord = Static<typeof KeypairRecord>;

/** The placement of a server: its allocation and its node. */
export const ServerPlacement = Type.Object({
  allocation: Nullable(
    Type.Object({
      state: Type.Union([
        Type.Literal('allocating'),
        Type.Literal('active'),
        Type.Literal('error'),
      ]),
      tenancy_revision: Type.Integer({ minimum: 0 }),
    }),
  ),
  node: Nullable(
    Type.Object({
      uuid: Type.String(),
      tenancy_revision: Type.Integer({ minimum: 0 }),
      provision_state: Type.String(),
      provision_updated_at: Nullable(Type.String()),
      power_state: Nullable(Type.String()),
      target_power_state: Nullable(Type.String()),
      maintenance: Type.Boolean(),
      reserved: Type.Boolean(),
      deploy_interface: Nullable(Type.String()),
      last_error: Nullable(Type.String()),
      vifs: Type.Array(Type.Object({ id: Type.String(), address: Nullable(Type.String()) })),
    }),
  ),
});
export type ServerPlacement = Static<typeof ServerPlacement>;
