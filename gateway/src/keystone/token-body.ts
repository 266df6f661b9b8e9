import { type Static, Type } from '@sinclair/typebox';
import { matches, type Subject } from '@tenure/contracts';
import { type AccessRule, type Identity, type KeystoneFacts } from '../tokens/identity.js';

const Id = Type.String({ minLength: 1, maxLength: 255 });
const Named = Type.Object({ id: Id, name: Type.Optional(Id) });
const Nullable = <T extends ReturnType<typeof Type.String>>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const Rule = Type.Object({
  method: Type.String({ maxLength: 16 }),
  path: Type.String({ maxLength: 1024 }),
  service: Type.String({ maxLength: 255 }),
});

/** What the gateway reads of `GET /v3/auth/tokens`; there is more in it. */
const TokenBody = Type.Object({
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
type Token = Static<typeof TokenBody>['token'];

const MAX_ROLES = 64;

const secondsOf = (time: string): number => {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) throw new Error('a time in the answer of Keystone is malformed');
  return ms / 1000;
};

const scopeOf = ({
  project,
  domain,
  system,
}: Token): Pick<Subject, 'project_id' | 'system_scope' | 'domain_id'> => {
  const isSystem = system?.all === true;
  if ([project !== undefined, domain !== undefined, isSystem].filter(Boolean).length > 1)
    throw new Error('the answer of Keystone has two scopes');
  return {
    project_id: project?.id ?? null,
    domain_id: domain?.id ?? null,
    system_scope: isSystem ? 'all' : null,
  };
};

const subjectOf = (token: Token): Subject => {
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
};

const orNull = (id: string | null | undefined): string | null => id ?? null;

const usersOf = (token: Token): readonly string[] => {
  const trust = token['OS-TRUST:trust'];
  return trust === undefined
    ? [token.user.id]
    : [token.user.id, trust.trustor_user.id, trust.trustee_user.id];
};

const factsOf = (token: Token): KeystoneFacts => ({
  role_ids: (token.roles ?? []).map(({ id }) => id),
  user_domain_id: orNull(token.user.domain?.id),
  scope_domain_id: token.domain?.id ?? orNull(token.project?.domain?.id),
  trust_id: orNull(token['OS-TRUST:trust']?.id),
  user_ids: usersOf(token),
  consumer_id: orNull(token['OS-OAUTH1']?.consumer_id),
  access_token_id: orNull(token['OS-OAUTH1']?.access_token_id),
});

const rulesOf = ({ application_credential }: Token): readonly AccessRule[] | null =>
  application_credential?.access_rules?.map(({ method, path, service }) => ({
    method,
    path,
    service,
  })) ?? null;

/**
 * The identity that Keystone vouches for.
 * @throws Error when the body is not one of a validated token; its text quotes nothing of it
 */
export const identityOfBody = (body: unknown): Identity => {
  if (!matches(TokenBody, body)) throw new Error('the answer of Keystone is malformed');
  const { token } = body;
  return {
    subject: subjectOf(token),
    issuedAt: secondsOf(token.issued_at),
    expiresAt: secondsOf(token.expires_at),
    auditIds: token.audit_ids,
    accessRules: rulesOf(token),
    keystone: factsOf(token),
  };
};
