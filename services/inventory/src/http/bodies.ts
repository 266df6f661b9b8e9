import { Type } from '@sinclair/typebox';
import {
  AdvertisedUrl,
  HANDOVER_OUTCOMES,
  HANDOVER_PHASES,
  HANDOVER_STEPS,
  TenancyId,
  UUID_PATTERN,
} from '@tenure/contracts';

const Text = Type.String({ minLength: 1, maxLength: 255 });
const Uuid = Type.String({ pattern: UUID_PATTERN });
const Values = Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.Unknown());
const Traits = Type.Array(Text, { maxItems: 255 });
const nullable = <T extends ReturnType<typeof Type.String>>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const InterfaceChoice = Type.Object(
  {
    default: nullable(Type.String({ minLength: 1, maxLength: 255 })),
    enabled: Type.Array(Text, { maxItems: 64 }),
  },
  { additionalProperties: false },
);

export const HeartbeatBody = Type.Object(
  {
    drivers: Type.Array(Text, { maxItems: 64, uniqueItems: true }),
    conductor_group: Type.Optional(Type.String({ maxLength: 255 })),
    timeout_seconds: Type.Optional(Type.Integer({ minimum: 5, maximum: 600 })),
    advertised_url: Type.Optional(AdvertisedUrl),
    interfaces: Type.Optional(
      Type.Record(Text, Type.Record(Text, InterfaceChoice, { maxProperties: 32 }), {
        maxProperties: 64,
      }),
    ),
  },
  { additionalProperties: false },
);

export const ReservationBody = Type.Object(
  { holder: Text, set: Type.Optional(Values) },
  { additionalProperties: false },
);

export const TakeOverBody = Type.Object(
  { holder: Text, from: Text, fence: Type.Integer({ minimum: 0 }) },
  { additionalProperties: false },
);

export const FencedChangeBody = Type.Object(
  {
    holder: Text,
    fence: Type.Integer({ minimum: 0 }),
    set: Type.Optional(Values),
    release: Type.Optional(Type.Boolean()),
    handover: Type.Optional(Type.Literal('complete')),
  },
  { additionalProperties: false },
);

/** A conductor's change of a port or portgroup. */
export const PortChangeBody = Type.Object(
  {
    holder: Text,
    fence: Type.Integer({ minimum: 0 }),
    vif_project_id: Type.Optional(nullable(TenancyId)),
    set: Type.Object(
      {
        internal_info: Type.Optional(Values),
        extra: Type.Optional(Values),
        pxe_enabled: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);

/** A port that a conductor found. */
export const NewPortBody = Type.Object(
  {
    holder: Text,
    fence: Type.Integer({ minimum: 0 }),
    address: Type.String({ minLength: 17, maxLength: 17 }),
    pxe_enabled: Type.Boolean(),
  },
  { additionalProperties: false },
);

/** A conductor's event on a node. */
export const EventBody = Type.Object(
  {
    conductor: Text,
    severity: Type.Union([Type.Literal('ERROR'), Type.Literal('INFO')]),
    event: Type.String({ minLength: 1, maxLength: 4096 }),
    event_type: nullable(Type.String({ minLength: 1, maxLength: 255 })),
  },
  { additionalProperties: false },
);

export const DocumentBody = Type.Object(
  {
    holder: Type.Optional(Text),
    fence: Type.Optional(Type.Integer({ minimum: 0 })),
    document: Type.Object({}, { additionalProperties: true }),
  },
  { additionalProperties: false },
);

/** A conductor's report on a lease that has ended. */
export const LeaseEndBody = Type.Object(
  { hostname: Text, status: Type.Union([Type.Literal('ending'), Type.Literal('ended')]) },
  { additionalProperties: false },
);

const oneOf = <T extends string>(values: readonly T[]) =>
  Type.Union(values.map((word) => Type.Literal(word)));

const HandoverStepBody = Type.Object(
  {
    step: oneOf(HANDOVER_STEPS),
    outcome: oneOf(HANDOVER_OUTCOMES),
    at: Type.String({ format: 'date-time', maxLength: 40 }),
    detail: nullable(Type.String({ maxLength: 255 })),
  },
  { additionalProperties: false },
);

/** How far a conductor has come with a handover. */
export const HandoverReportBody = Type.Object(
  {
    status: Type.Union([Type.Literal('open'), Type.Literal('failed')]),
    reason: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
    phase: Type.Optional(Type.Union([oneOf(HANDOVER_PHASES), Type.Null()])),
    steps: Type.Optional(Type.Array(HandoverStepBody, { maxItems: 50 })),
    erased: Type.Optional(Type.Array(Values, { maxItems: 200 })),
    put_back: Type.Optional(Values),
    firmware: Type.Optional(Type.Array(Values, { maxItems: 200 })),
    agent: Type.Optional(nullable(Type.String({ pattern: '^[0-9a-f]{64}$' }))),
  },
  { additionalProperties: false },
);

export const NoMembersBody = Type.Object({}, { additionalProperties: false });

export const LeaseStartBody = Type.Object({ hostname: Text }, { additionalProperties: false });

const Filter = Type.Object(
  {
    mode: Type.Union([Type.Literal('all'), Type.Literal('any_of'), Type.Literal('none')]),
    predicates: Type.Array(
      Type.Object({
        field: Text,
        op: Type.Literal('eq'),
        value: Text,
        masked: Type.Optional(Type.Array(Text)),
      }),
      { maxItems: 16 },
    ),
  },
  { additionalProperties: false },
);

const State = Type.Union([
  Type.Literal('allocating'),
  Type.Literal('active'),
  Type.Literal('error'),
]);

const AllocationFields = {
  name: nullable(Type.String({ minLength: 1, maxLength: 255 })),
  owner: nullable(TenancyId),
  resource_class: nullable(Type.String({ minLength: 1, maxLength: 80 })),
  traits: Traits,
  candidate_nodes: Type.Array(Uuid, { maxItems: 1000 }),
  extra: Values,
  state: State,
  last_error: nullable(Type.String({ maxLength: 65536 })),
  candidate_filter: Filter,
};

export const NewAllocationBody = Type.Object(
  {
    ...Type.Partial(Type.Object(AllocationFields)).properties,
    uuid: Type.Optional(Uuid),
    node_uuid: Type.Optional(Type.Null()),
    created_at: Type.Optional(nullable(Text)),
    updated_at: Type.Optional(nullable(Text)),
    revision: Type.Optional(Type.Integer()),
  },
  { additionalProperties: false },
);

/** Owner and filter are as decided when it was created; the node is written by a claim only. */
export const AllocationChangeBody = Type.Object(
  {
    expected_revision: Type.Integer({ minimum: 0 }),
    set: Type.Partial(Type.Omit(Type.Object(AllocationFields), ['owner', 'candidate_filter']), {
      additionalProperties: false,
    }),
  },
  { additionalProperties: false },
);

export const ClaimBody = Type.Object(
  { node_uuid: Uuid, backfill: Type.Optional(Type.Boolean()) },
  { additionalProperties: false },
);

export const CandidatesBody = Type.Object(
  {
    resource_class: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 80 }))),
    traits: Type.Optional(Traits),
    candidate_nodes: Type.Optional(Type.Array(Uuid, { maxItems: 1000 })),
    name: Type.Optional(Text),
    filter: Filter,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  },
  { additionalProperties: false },
);

export const ResolveBody = Type.Object(
  { idents: Type.Array(Text, { maxItems: 1000 }), filter: Filter },
  { additionalProperties: false },
);
