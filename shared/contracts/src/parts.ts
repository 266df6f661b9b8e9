import { type Static, Type } from '@sinclair/typebox';
import { TenancyId } from './ids.js';

/** The parts that call one another. `cli` is the operator's own tool, on the operator's machine. */
export const PARTS = [
  'gateway',
  'pdp',
  'inventory',
  'conductor',
  'allocation',
  'compute',
  'cli',
] as const;

export const PartName = Type.Union(PARTS.map((name) => Type.Literal(name)));
export type PartName = (typeof PARTS)[number];

/** Loopback ports of the parts; the admin listener is each port + 1000. */
export const DEFAULT_PORTS = {
  gateway: 6385,
  pdp: 8181,
  inventory: 8182,
  conductor: 8183,
  allocation: 8184,
  compute: 8185,
} as const;

export const ADMIN_PORT_OFFSET = 1000;

const Nullable = <T extends ReturnType<typeof Type.String>>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const Name = Type.String({ minLength: 1, maxLength: 255 });

/** The caller, from the token. Roles are as in the token; the policy expands implied ones. */
export const Subject = Type.Object(
  {
    user_id: TenancyId,
    project_id: Nullable(TenancyId),
    system_scope: Type.Union([Type.Literal('all'), Type.Null()]),
    domain_id: Nullable(TenancyId),
    roles: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 64 }),
    project_name: Type.Optional(Name),
    project_domain_id: Type.Optional(TenancyId),
    is_admin_project: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type Subject = Static<typeof Subject>;
