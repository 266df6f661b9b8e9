import { type TSchema, Type } from '@sinclair/typebox';
import {
  HANDOVER_CAUSES,
  HANDOVER_PHASES,
  HANDOVER_STATUSES,
  LEASE_PHASES,
  LEASE_STATUSES,
  OutsideId,
  TenancyId,
  UUID_PATTERN,
} from '@tenure/contracts';
import { BUDGET_NAMES, DEFAULT_ACCOUNT, projectAccount, userAccount } from './budgets.js';
import { CLAIM_KINDS } from './external-resources.js';

export const Name = Type.Union([Type.String({ minLength: 1, maxLength: 255 }), Type.Null()]);
const Project = Type.Union([TenancyId, Type.Null()]);
const Text = Type.Union([Type.String({ maxLength: 65536 }), Type.Null()]);
const Id = Type.String({ minLength: 1, maxLength: 255 });
const Uuid = Type.String({ pattern: UUID_PATTERN });
const Members = Type.Object({}, { additionalProperties: true });
const RequiredMoment = Type.String({ format: 'date-time', maxLength: 40 });
const Moment = Type.Union([RequiredMoment, Type.Null()]);
const oneOf = (values: readonly string[]): TSchema =>
  Type.Union(values.map((word) => Type.Literal(word)));
const Texts = Type.Array(Id, { maxItems: 1000 });
/** The stored limit of a budget; null: no limit. */
const StoredLimit = Type.Union([
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  Type.Null(),
]);
const nullable = (schema: TSchema): TSchema => Type.Union([schema, Type.Null()]);
// Links are made for a view; a document that was read through the API may contain them.
export const Links = Type.Unknown();

const MOMENTS = { created_at: Moment, updated_at: Moment };

/** Sections whose rows no catalogue describes. */
export type PlainSection =
  | 'allocations'
  | 'leases'
  | 'handovers'
  | 'claims'
  | 'node_documents'
  | 'node_history'
  | 'quotas';

interface PlainRows {
  readonly schemas: Readonly<Record<string, TSchema>>;
  /** Fields that a row has to have. */
  readonly required: readonly string[];
}

export const PLAIN: Readonly<Record<PlainSection, PlainRows>> = {
  allocations: {
    required: ['uuid'],
    schemas: {
      ...MOMENTS,
      uuid: Uuid,
      links: Links,
      name: Name,
      owner: Project,
      resource_class: Name,
      traits: Texts,
      candidate_nodes: Texts,
      extra: nullable(Members),
      state: Type.Union([
        Type.Literal('allocating'),
        Type.Literal('active'),
        Type.Literal('error'),
      ]),
      node_uuid: nullable(Uuid),
      last_error: Text,
      candidate_filter: Type.Object({
        mode: Type.Union([Type.Literal('all'), Type.Literal('any_of'), Type.Literal('none')]),
        predicates: Type.Array(
          Type.Object({ field: Type.String(), op: Type.Literal('eq'), value: Type.String() }),
          { maxItems: 16 },
        ),
      }),
    },
  },
  leases: {
    required: ['uuid', 'node_uuid', 'lessee', 'status', 'start_time', 'end_time'],
    schemas: {
      ...MOMENTS,
      uuid: Uuid,
      links: Links,
      node_uuid: Uuid,
      owner: Project,
      lessee: TenancyId,
      status: oneOf(LEASE_STATUSES),
      reason: Name,
      start_time: RequiredMoment,
      end_time: RequiredMoment,
      started_at: Moment,
      ended_at: Moment,
      on_end: Type.Object(
        { undeploy: Type.Boolean(), clean: Type.Boolean() },
        { additionalProperties: false },
      ),
      purpose: Name,
      phase: nullable(oneOf(LEASE_PHASES)),
      sealed: nullable(Members),
    },
  },
  handovers: {
    required: [
      ...['uuid', 'node_uuid', 'cause', 'owner', 'from_project', 'to_project', 'status', 'phase'],
      ...['plan', 'reason', 'decision_id', 'request_id', 'user_id', 'lease_uuid'],
      ...['allocation_uuid', 'agent', 'steps', 'erased', 'put_back', 'firmware', 'sealed'],
      ...['opened_at', 'completed_at', 'number', 'previous', 'digest', 'signature'],
    ],
    schemas: {
      ...MOMENTS,
      uuid: Uuid,
      node_uuid: Uuid,
      cause: oneOf(HANDOVER_CAUSES),
      status: oneOf(HANDOVER_STATUSES),
      phase: nullable(oneOf(HANDOVER_PHASES)),
      owner: Name,
      from_project: Name,
      to_project: Name,
      plan: Type.Object(
        { undeploy: Type.Boolean(), clean: Type.Boolean() },
        { additionalProperties: false },
      ),
      reason: Name,
      decision_id: Name,
      request_id: Name,
      user_id: Name,
      lease_uuid: nullable(Uuid),
      allocation_uuid: nullable(Uuid),
      agent: Name,
      steps: Type.Array(Members, { maxItems: 1000 }),
      erased: Type.Array(Members, { maxItems: 1000 }),
      put_back: Members,
      firmware: Type.Array(Members, { maxItems: 10_000 }),
      sealed: Members,
      sealed_digest: Name,
      opened_at: RequiredMoment,
      completed_at: Moment,
      number: nullable(Type.Integer({ minimum: 1 })),
      previous: Name,
      digest: Name,
      signature: Text,
    },
  },
  claims: {
    required: ['uuid', 'kind', 'id', 'project_id'],
    schemas: {
      uuid: Type.String({ pattern: '^(?:vif|volume|connector):.', maxLength: 270 }),
      kind: oneOf(CLAIM_KINDS),
      id: OutsideId,
      project_id: Project,
      place: Type.Union([
        Type.Object({
          section: Type.Union([Type.Literal('ports'), Type.Literal('portgroups')]),
          uuid: Id,
        }),
        Type.Null(),
      ]),
    },
  },
  node_documents: {
    required: ['uuid', 'node_uuid', 'document'],
    schemas: {
      ...MOMENTS,
      uuid: Type.String({ pattern: `${UUID_PATTERN.slice(0, -1)}:[a-z]{1,32}$` }),
      node_uuid: Uuid,
      document: Members,
    },
  },
  node_history: {
    required: ['uuid', 'node_uuid', 'created_at', 'severity', 'event'],
    schemas: {
      ...MOMENTS,
      uuid: Uuid,
      node_uuid: Uuid,
      severity: Type.Union([Type.Literal('ERROR'), Type.Literal('INFO')]),
      event: Type.String({ maxLength: 65536 }),
      event_type: Name,
      conductor: Name,
      user: Name,
    },
  },
  quotas: {
    required: ['uuid', 'limits'],
    schemas: {
      uuid: Type.String({
        pattern: `^(?:${DEFAULT_ACCOUNT}|${projectAccount('.+')}|${userAccount('.+')})$`,
        maxLength: 270,
      }),
      limits: Type.Object(
        Object.fromEntries(BUDGET_NAMES.map((name) => [name, Type.Optional(StoredLimit)])),
        { additionalProperties: false },
      ),
    },
  },
};

/** Members of an exported node beside its fields. */
export const CUSTODY: Readonly<Record<string, TSchema>> = {
  handover_uuid: nullable(Uuid),
  custody: Type.Object(
    {
      before: Type.Optional(Members),
      touched: Type.Optional(Type.Boolean()),
      opening: Type.Optional(
        nullable(
          Type.Object(
            { uuid: Uuid, cause: oneOf(HANDOVER_CAUSES) },
            { additionalProperties: true },
          ),
        ),
      ),
      head: Type.Optional(
        Type.Object(
          { count: Type.Integer({ minimum: 0 }), digest: Name },
          { additionalProperties: false },
        ),
      ),
    },
    { additionalProperties: false },
  ),
};
