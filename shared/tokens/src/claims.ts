import { isTenancyId, type JsonObject, type Subject } from '@tenure/contracts';
import { type Identity } from './identity.js';
import { unauthorized } from './unauthorized.js';

const MAX_ID_LENGTH = 255;
export const MAX_ROLES = 64;
/** Maximum seconds that another clock may be ahead. */
const CLOCK_SKEW = 60;

// A lone surrogate has no UTF-8 form, so the id would differ in the policy.
export const isId = (value: unknown): value is string =>
  typeof value === 'string' &&
  value !== '' &&
  value.length <= MAX_ID_LENGTH &&
  value.isWellFormed();

export function checkTimes(
  claims: JsonObject,
  now: number,
): Pick<Identity, 'expiresAt' | 'issuedAt'> {
  const expiresAt = time(claims, 'exp');
  if (!Number.isSafeInteger(expiresAt)) throw unauthorized('exp is not a whole number');
  if (expiresAt <= now) throw unauthorized('the token has expired');
  const issuedAt = time(claims, 'iat');
  if (issuedAt > now + CLOCK_SKEW) throw unauthorized('the token is from the future');
  if (claims['nbf'] !== undefined && time(claims, 'nbf') > now + CLOCK_SKEW)
    throw unauthorized('the token is not valid yet');
  return { expiresAt, issuedAt };
}

/** True when `aud` is the audience, or a list of strings that contains it. */
export const isForAudience = (aud: unknown, audience: string): boolean =>
  aud === audience ||
  (Array.isArray(aud) && aud.every((entry) => typeof entry === 'string') && aud.includes(audience));

/**
 * The identity that verified claims state.
 * @param now seconds since the epoch
 * @throws UnauthorizedError when a claim is missing or malformed, or the token is expired or not valid yet
 */
export function identityOf(claims: JsonObject, now: number): Identity {
  const times = checkTimes(claims, now);
  const auditIds = [requireId(claims, 'jti')];
  const subject: Subject = {
    user_id: requireTenancyId(claims, 'sub'),
    ...scopeOf(claims),
    roles: rolesOf(claims['roles']),
    ...extrasOf(claims),
  };
  return { subject, ...times, auditIds, accessRules: null, keystone: null };
}

function time(claims: JsonObject, name: string): number {
  const value = claims[name];
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw unauthorized(`${name} is not a time`);
  return value;
}

function requireId(claims: JsonObject, name: string): string {
  const value = claims[name];
  if (!isId(value)) throw unauthorized(`${name} is not a non-empty string`);
  return value;
}

function requireTenancyId(claims: JsonObject, name: string): string {
  const value = claims[name];
  if (!isTenancyId(value)) throw unauthorized(`${name} is not an id`);
  return value;
}

function scopeOf(claims: JsonObject): Pick<Subject, 'project_id' | 'system_scope' | 'domain_id'> {
  const project = optionalTenancyId(claims, 'project_id');
  const domain = optionalTenancyId(claims, 'domain_id');
  const system = claims['system_scope'];
  if (system !== undefined && system !== 'all') throw unauthorized('system_scope is not "all"');
  if ([project, domain, system].filter((scope) => scope !== undefined).length > 1)
    throw unauthorized('the token has two scopes');
  return {
    project_id: project ?? null,
    domain_id: domain ?? null,
    system_scope: system === undefined ? null : 'all',
  };
}

function rolesOf(value: unknown): string[] {
  if (!Array.isArray(value) || value.length > MAX_ROLES || !value.every(isId))
    throw unauthorized('roles is not an array of strings');
  return value;
}

function extrasOf(claims: JsonObject): Partial<Subject> {
  const name = claims['project_name'] === undefined ? undefined : requireId(claims, 'project_name');
  const domain = optionalTenancyId(claims, 'project_domain_id');
  const admin = claims['is_admin_project'];
  if (admin !== undefined && typeof admin !== 'boolean')
    throw unauthorized('is_admin_project is not a boolean');
  return {
    ...(name !== undefined && { project_name: name }),
    ...(domain !== undefined && { project_domain_id: domain }),
    ...(admin !== undefined && { is_admin_project: admin }),
  };
}

const optionalTenancyId = (claims: JsonObject, name: string): string | undefined =>
  claims[name] === undefined ? undefined : requireTenancyId(claims, name);
