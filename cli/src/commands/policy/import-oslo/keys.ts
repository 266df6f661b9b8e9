/** Attributes of the caller in a question. */
export type CallerAttribute =
  | 'user_id'
  | 'project_id'
  | 'project_name'
  | 'project_domain_id'
  | 'system_scope'
  | 'domain_id'
  | 'is_admin_project'
  | 'is_public_api';

/**
 * Left sides of a check: names of the caller's credentials in oslo.policy, each with the attribute of a question. Older names,
 * and paths into a whole token, mean the same as the current names.
 */
export const CALLER_KEYS: ReadonlyMap<string, CallerAttribute> = new Map([
  ['user_id', 'user_id'],
  ['user', 'user_id'],
  ['project_id', 'project_id'],
  ['project', 'project_id'],
  ['tenant', 'project_id'],
  ['tenant_id', 'project_id'],
  ['project_name', 'project_name'],
  ['project_domain_id', 'project_domain_id'],
  ['system_scope', 'system_scope'],
  ['system', 'system_scope'],
  ['domain_id', 'domain_id'],
  ['is_admin_project', 'is_admin_project'],
  ['is_public_api', 'is_public_api'],
  ['token.user.id', 'user_id'],
  ['token.project.id', 'project_id'],
  ['token.project.name', 'project_name'],
  ['token.project.domain.id', 'project_domain_id'],
  ['token.domain.id', 'domain_id'],
  ['token.is_admin_project', 'is_admin_project'],
]);

/** Credentials that are absent when they have no value: they never read "None". */
export const ABSENT_WHEN_NULL: ReadonlySet<string> = new Set([
  'system',
  'token.project.id',
  'token.project.name',
  'token.project.domain.id',
  'token.domain.id',
]);

/** A former credential that callers no longer carry, in Ironic or here: no value of it ever matches. */
export const NEVER_CARRIED: ReadonlySet<string> = new Set(['is_admin']);

/** Keys of a target that a question carries. */
export const TARGET_KEYS: ReadonlySet<string> = new Set([
  'node.owner',
  'node.lessee',
  'allocation.owner',
  'runbook.owner',
  'config.service_project_name',
]);

/** Ironic's target holds the caller's credentials too, so that these compare the caller with itself. */
export const CALLER_AS_TARGET: ReadonlySet<string> = new Set([
  'user_id',
  'project_id',
  'system_scope',
  'domain_id',
]);
