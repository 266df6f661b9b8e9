import { type Static, Type } from '@sinclair/typebox';
import { isTenancyId, type JsonObject, segmentsOf, type Subject } from '@tenure/contracts';
import { checkTimes, isId, MAX_ROLES } from './claims.js';
import { type Identity } from './identity.js';
import { unauthorized } from './unauthorized.js';

const Pointer = Type.String({ pattern: '^(?:/(?:[^~/]|~[01])*)+$', maxLength: 512 });
const Text = Type.String({ minLength: 1, maxLength: 255 });

/** JSON pointers into the claims of an issuer's tokens, for the members of an identity. */
export const ClaimMapping = Type.Object(
  {
    user_id: Type.Optional(Pointer),
    /** A string, or a list of strings. */
    roles: Pointer,
    /** Maps the issuer's role names to Tenure's; a name that is missing here is no role. Without the mapping the names are the roles. */
    role_names: Type.Optional(Type.Record(Text, Type.Array(Text, { minItems: 1, maxItems: 16 }))),
    project_id: Type.Optional(Pointer),
    project_name: Type.Optional(Pointer),
    /** Id of the domain of the project. Without it projects of the issuer cannot be matched by name. */
    project_domain_id: Type.Optional(Pointer),
    /** A token has system scope when the claim is, or contains, this value. System scope takes precedence over a project. */
    system_scope: Type.Optional(
      Type.Object({ claim: Pointer, value: Text }, { additionalProperties: false }),
    ),
  },
  { additionalProperties: false },
);
export type ClaimMapping = Static<typeof ClaimMapping>;

/** Reads the claims of an issuer whose tokens are not in Tenure's form. */
export const mappedIdentity =
  (mapping: ClaimMapping) =>
  (claims: JsonObject, now: number): Identity => {
    const times = checkTimes(claims, now);
    const userId = tenancyIdAt(claims, mapping.user_id ?? '/sub');
    if (userId === undefined) throw unauthorized('the token names no user');
    const jti = idAt(claims, '/jti');
    const subject: Subject = {
      user_id: userId,
      project_id: null,
      domain_id: null,
      system_scope: null,
      roles: rolesOf(claims, mapping),
      ...(isSystemWide(claims, mapping)
        ? { system_scope: 'all' as const }
        : projectOf(claims, mapping)),
    };
    return {
      subject,
      ...times,
      auditIds: jti === undefined ? [] : [jti],
      accessRules: null,
      keystone: null,
    };
  };

function tenancyIdAt(claims: JsonObject, pointer: string): string | undefined {
  const value = at(claims, pointer);
  if (value === undefined) return undefined;
  if (!isTenancyId(value)) throw unauthorized(`${pointer} is not an id`);
  return value;
}

function idAt(claims: JsonObject, pointer: string): string | undefined {
  const value = at(claims, pointer);
  if (value === undefined) return undefined;
  if (!isId(value)) throw unauthorized(`${pointer} is not a non-empty string`);
  return value;
}

function rolesOf(claims: JsonObject, mapping: ClaimMapping): string[] {
  const names = new Map(Object.entries(mapping.role_names ?? {}));
  const values = valuesAt(claims, mapping.roles);
  const roles = new Set(
    mapping.role_names === undefined ? values : values.flatMap((word) => names.get(word) ?? []),
  );
  if (roles.size > MAX_ROLES) throw unauthorized('the token has too many roles');
  return [...roles];
}

const isSystemWide = (claims: JsonObject, { system_scope }: ClaimMapping): boolean =>
  system_scope !== undefined && valuesAt(claims, system_scope.claim).includes(system_scope.value);

function projectOf(claims: JsonObject, mapping: ClaimMapping): Partial<Subject> {
  const id = mapping.project_id === undefined ? undefined : tenancyIdAt(claims, mapping.project_id);
  const name = mapping.project_name === undefined ? undefined : idAt(claims, mapping.project_name);
  const { project_domain_id: pointer } = mapping;
  const domain = pointer === undefined ? undefined : idAt(claims, pointer);
  if (id === undefined) return {};
  return {
    project_id: id,
    ...(name !== undefined && { project_name: name }),
    ...(domain !== undefined && { project_domain_id: domain }),
  };
}

const at = (claims: JsonObject, pointer: string): unknown =>
  (segmentsOf(pointer) ?? []).reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Readonly<Record<string, unknown>>)[name] // checked by hasOwn
        : undefined,
    claims,
  );

/** A string counts as a list with one element. */
function valuesAt(claims: JsonObject, pointer: string): readonly string[] {
  const value = at(claims, pointer) ?? [];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!values.every(isId)) throw unauthorized(`${pointer} is not a list of strings`);
  return values;
}
