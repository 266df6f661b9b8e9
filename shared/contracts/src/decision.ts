import { type Static, Type } from '@sinclair/typebox';
import { Subject } from './parts.js';

const NullableString = Type.Union([Type.String({ maxLength: 255 }), Type.Null()]);
const Names = Type.Array(Type.String({ maxLength: 255 }), { maxItems: 512 });

/** The resource of the decision. Owner and lessee come from the inventory, never from the client. */
export const QuestionResource = Type.Object(
  {
    type: Type.String({ minLength: 1, maxLength: 64 }),
    /** Which one, for the record and for the filter of its rows. Null when there is none, or none was found. */
    id: Type.Optional(NullableString),
    owner: NullableString,
    lessee: NullableString,
    tenancy_revision: Type.Integer({ minimum: 0 }),
    /** Of a server or key pair: id of the user who made it. */
    creator: Type.Optional(NullableString),
    /** Of a runbook: whether it is for everyone. */
    public: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type QuestionResource = Static<typeof QuestionResource>;

/** Values of the request body that the policy must judge. Untrusted, hence the name. */
export const Requested = Type.Object(
  {
    owner: Type.Optional(NullableString),
    automated_clean: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  },
  { additionalProperties: false },
);
export type Requested = Static<typeof Requested>;

/** One question to the policy decision point. `now` is RFC 3339, UTC. */
export const Question = Type.Object(
  {
    action: Type.String({ minLength: 1, maxLength: 255 }),
    subject: Subject,
    resource: QuestionResource,
    fields: Type.Optional(Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 1000 })),
    requested: Type.Optional(Requested),
    now: Type.String({ maxLength: 64 }),
  },
  { additionalProperties: false },
);
export type Question = Static<typeof Question>;

export const FilterPredicate = Type.Object({
  field: Type.String({ maxLength: 64 }),
  op: Type.Literal('eq'),
  value: Type.String({ minLength: 1, maxLength: 255 }),
  masked: Type.Optional(Names),
});
export type FilterPredicate = Static<typeof FilterPredicate>;

/** Which rows a caller may see (lists) or use (allocation). `any_of` with no predicate matches nothing. */
export const PolicyFilter = Type.Object({
  mode: Type.Union([Type.Literal('all'), Type.Literal('any_of'), Type.Literal('none')]),
  predicates: Type.Array(FilterPredicate, { maxItems: 16 }),
});
export type PolicyFilter = Static<typeof PolicyFilter>;

export const FieldAccess = Type.Object({ masked: Names, read_only: Names });
export type FieldAccess = Static<typeof FieldAccess>;

/** Values that the executing service must write in place of those in the body. */
export const ForcedValues = Type.Object({
  owner: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
});
export type ForcedValues = Static<typeof ForcedValues>;

/**
 * A condition on the resource when the service executes the request; otherwise it answers 409. The policy does not know the
 * resource's state, which may change after the decision. A caller with the right to `action` bypasses the condition.
 */
export const Condition = Type.Union([
  Type.Object({
    field: Type.String({ minLength: 1, maxLength: 64 }),
    op: Type.Literal('ne'),
    value: Type.String({ minLength: 1, maxLength: 255 }),
    action: Type.String({ minLength: 1, maxLength: 255 }),
  }),
  /** The field has no value. */
  Type.Object({
    field: Type.String({ minLength: 1, maxLength: 64 }),
    op: Type.Literal('null'),
    action: Type.String({ minLength: 1, maxLength: 255 }),
  }),
]);
export type Condition = Static<typeof Condition>;
export const Conditions = Type.Array(Condition, { maxItems: 16 });

/** The rich answer: visibility and permission together, with what the executing service must do about it. */
export const Decision = Type.Object({
  allow: Type.Boolean(),
  visible: Type.Boolean(),
  reason: Type.String({ maxLength: 64 }),
  grants: Names,
  denied: Names,
  filter: PolicyFilter,
  fields: FieldAccess,
  set: ForcedValues,
  conditions: Type.Optional(Conditions),
  /** The deprecated grants without which the answer would have been a refusal. */
  deprecated: Type.Optional(Names),
  revision: Type.String({ minLength: 1, maxLength: 128 }),
});
export type Decision = Static<typeof Decision>;

export const DecisionAnswer = Type.Object({
  decision_id: Type.String({ minLength: 1, maxLength: 64 }),
  result: Decision,
});
export type DecisionAnswer = Static<typeof DecisionAnswer>;

/** The obligations in the context of a request that needed no decision. */
export const NO_OBLIGATIONS = {
  filter: { mode: 'none', predicates: [] },
  fields: { masked: [], read_only: [] },
  set: {},
} as const satisfies Pick<Decision, 'filter' | 'fields' | 'set'>;
