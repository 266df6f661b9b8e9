import { type Static, Type } from '@sinclair/typebox';
import { isTenancyId } from './ids.js';
import { type Subject } from './parts.js';

const Id = Type.String({ minLength: 1, maxLength: 255 });
const Named = Type.Object({ id: Id, name: Type.Optional(Id) });
const Nullable = <T extends ReturnType<typeof Type.String>>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const Rule = Type.Object({
  method: Type.String({ maxLength: 16 }),
  path: Type.String({ maxLength: 1024 }),
  service: Type.String({ maxLength: 255 }),
});

/** The members that Tenure reads of a token in Keystone's answers; there are more. */
export const KeystoneTokenBody = Type.Object({
  token: Type.Object({
    user: Type.Object({ id: Id, domain: Type.Optional(Type.Object({ id: Nullable(Id) })) }),
    audit_ids: Type.Array(Id, { minItems: 1, maxItems: 16 }),
    issued_at: Type.String({ maxLength: 64 }),
    expires_at: Type.String({ maxLength: 64 }),
    roles: Type.Optional(Type.Array(Type.Object({ id: Id, name: Id }), { maxItems: 1000 })),
    project: Type.Optional(
      Type.Object({
        id: Id,
        name: Id,
        domain: Type.Optional(Type.Object({ id: Nullable(Id) })),
      }),
    ),
    domain: Type.Optional(Named),
    system: Type.Optional(Type.Object({ all: Type.Boolean() })),
    is_admin_project: Type.Optional(Type.Boolean()),
    'OS-TRUST:trust': Type.Optional(
      Type.Object({
        id: Id,
        trustor_user: Type.Object({ id: Id }),
        trustee_user: Type.Object({ id: Id }),
      }),
    ),
    'OS-OAUTH1': Type.Optional(Type.Object({ consumer_id: Id, access_token_id: Id })),
    application_credential: Type.Optional(
      Type.Object({
        id: Id,
        access_rules: Type.Optional(
          Type.Union([Type.Array(Rule, { maxItems: 1000 }), Type.Null()]),
        ),
      }),
    ),
  }),
});
export type KeystoneToken = Static<typeof KeystoneTokenBody>['token'];

const MAX_ROLES = 64;

/** Whether the ids of user, project and domains are ones that Tenure takes; a token with others is no token here. */
export const hasGoodIds = ({ user, project, domain }: KeystoneToken): boolean =>
  [user.id, project?.id, project?.domain?.id, domain?.id].every(
    (id) => id === undefined || id === null || isTenancyId(id),
  );

/**
 * The subject of a Keystone token.
 * @throws Error when the token contradicts itself; the message quotes nothing of the token
 */
export function subjectOfKeystoneToken(token: KeystoneToken): Subject {
  const roles = [...new Set((token.roles ?? []).map(({ name }) => name))];
  if (roles.length > MAX_ROLES) throw new Error(`the token has more than ${MAX_ROLES} roles`);
  const domain = token.project?.domain?.id;
  return {
    user_id: token.user.id,
    ...scopeOf(token),
    roles,
    ...(token.project !== undefined && { project_name: token.project.name }),
    ...(domain !== undefined && domain !== null && { project_domain_id: domain }),
    ...(token.is_admin_project !== undefined && { is_admin_project: token.is_admin_project }),
  };
}

function scopeOf({
  project,
  domain,
  system,
}: KeystoneToken): Pick<Subject, 'project_id' | 'system_scope' | 'domain_id'> {
  const isSystem = system?.all === true;
  if ([project !== undefined, domain !== undefined, isSystem].filter(Boolean).length > 1)
    throw new Error('the answer of Keystone has two scopes');
  return {
    project_id: project?.id ?? null,
    domain_id: domain?.id ?? null,
    system_scope: isSystem ? 'all' : null,
  };
}
