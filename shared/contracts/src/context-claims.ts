import { type Static, Type } from '@sinclair/typebox';
import { Conditions, FieldAccess, ForcedValues, PolicyFilter } from './decision.js';
import { PartName, Subject } from './parts.js';

/** Name of the header that carries the signed context between parts. */
export const CONTEXT_HEADER = 'x-tenure-context';

/** Maximum lifetime of a context in seconds; claims with a longer one are refused. */
export const MAX_CONTEXT_AGE_SECONDS = 30;

export const ContextResource = Type.Object(
  {
    type: Type.String({ maxLength: 64 }),
    uuid: Type.String({ maxLength: 64 }),
    tenancy_revision: Type.Integer({ minimum: 0 }),
  },
  { additionalProperties: false },
);
export type ContextResource = Static<typeof ContextResource>;

export const Obligations = Type.Object(
  {
    filter: PolicyFilter,
    fields: FieldAccess,
    set: ForcedValues,
    conditions: Type.Optional(Conditions),
  },
  { additionalProperties: false },
);
export type Obligations = Static<typeof Obligations>;

/** Credentials of the agent on a machine, from the header of a request: its node, and the token of its boot. */
export const AgentCredentials = Type.Object(
  {
    node_uuid: Type.String({ minLength: 36, maxLength: 36 }),
    token: Type.String({ minLength: 1, maxLength: 255 }),
  },
  { additionalProperties: false },
);
export type AgentCredentials = Static<typeof AgentCredentials>;

/** In which request a part calls another, for which caller, and what was decided of it. Each call on the way passes it on. */
export const CallContext = Type.Object(
  {
    request_id: Type.String({ minLength: 1, maxLength: 128 }),
    /** Null when a part works for itself. */
    subject: Type.Union([Subject, Type.Null()]),
    action: Type.String({ minLength: 1, maxLength: 255 }),
    /** Null when no decision was needed. */
    decision_id: Type.Union([Type.String({ maxLength: 64 }), Type.Null()]),
    api_version: Type.String({ pattern: '^[0-9]+\\.[0-9]+$', maxLength: 16 }),
    public_base: Type.String({ maxLength: 512 }),
    /** The resources that the decision was made on. A part refuses the request when their revisions are stale. */
    resources: Type.Array(ContextResource, { maxItems: 16 }),
    /** Demands of the policy on the answer: field masks, forced values, and the filter for its rows. */
    obligations: Obligations,
  },
  { additionalProperties: false },
);
export type CallContext = Readonly<Static<typeof CallContext>>;

/** Claims that one part signs for another: see the claims table in docs/contracts/signed-context.md. */
export const ContextClaims = Type.Object(
  {
    ...CallContext.properties,
    iss: PartName,
    aud: PartName,
    iat: Type.Integer(),
    exp: Type.Integer(),
    /** Id of this one context: it authorizes a single change. */
    jti: Type.String({ pattern: '^[A-Za-z0-9_-]{16,64}$' }),
    method: Type.String({ minLength: 1, maxLength: 16 }),
    target: Type.String({ minLength: 1, maxLength: 16384 }),
    body_sha256: Type.String({ minLength: 43, maxLength: 43 }),
    /** Where an agent's request comes from; only with the agents' routes. */
    client_address: Type.Optional(Type.String({ maxLength: 64 })),
    /** Not verified yet: the conductor compares them with the node. */
    agent_credentials: Type.Optional(AgentCredentials),
  },
  { additionalProperties: false },
);
export type ContextClaims = Static<typeof ContextClaims>;
