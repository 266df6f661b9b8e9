import { isJsonObject, type JsonObject, memberOf, type PolicyAnswer } from '@tenure/policy';
import { type QueryTables } from './probes.js';
import { type Query } from './query.js';
import { isOnNode, isOwned } from './targets.js';
import { OLD_ROLES } from './vocabulary.js';

/*
 * The predicates that the invariants are written in. Public actions and reads are listed here, apart from the action table,
 * so that a table which makes another action public is detected.
 */

/** Actions of the deploy agent, which has no token. */
const PUBLIC_ACTIONS: readonly string[] = [
  'baremetal:node:ipa_heartbeat',
  'baremetal:driver:ipa_lookup',
  'baremetal:driver:ipa_continue_inspection',
];

/** A part of an action's name, after the resource, that makes it a read; the kind `list` is a read too. */
const READ_WORD = /^(?:get|list|list_all|get_.+|view_.+)$/u;

/** Reads with other names. */
const MORE_READS: readonly string[] = [
  'introspection:status',
  'introspection:data',
  'tenure:audit:read',
  'os_compute_api:servers:show',
  'os_compute_api:flavors',
  'os_compute_api:os-flavor-extra-specs:index',
  'os_compute_api:os-keypairs:index',
  'os_compute_api:os-keypairs:show',
];

/** Enrolling and removing nodes, also those of the caller's project. */
const NODE_LIFE = /^baremetal:node:(?:create|delete)(?::|$)/u;

/** Creating and removing parts of the fleet; not volume connectors and targets, which Nova creates. */
const FLEET_LIFE =
  /^baremetal:(?:node|port|portgroup|chassis|deploy_template):(?:create|delete)(?::|$)/u;

export const isPublicAction = (action: string): boolean => PUBLIC_ACTIONS.includes(action);

export const createsOrDeletesNodes = (action: string): boolean => NODE_LIFE.test(action);

export const createsOrDeletesFleet = (action: string): boolean => FLEET_LIFE.test(action);

export const kindOf = (action: string, tables: QueryTables): unknown =>
  memberOf(rowOf(action, tables), 'kind');

export const isRead = (action: string, tables: QueryTables): boolean =>
  kindOf(action, tables) === 'list' ||
  MORE_READS.includes(action) ||
  action
    .split(':')
    .slice(2)
    .some((word) => READ_WORD.test(word));

/** A token of one project, and no other scope beside it. */
export const isOfProject = ({ scope }: Query): boolean => scope.project !== undefined;

/**
 * A project token without further privileges: not of the elevated service, and not privileged by the old rules, under which
 * an admin of any project is an administrator of everything.
 */
export const isPlainProject = (query: Query): boolean =>
  isOfProject(query) &&
  !isElevated(query) &&
  (query.setting.enforce_new_defaults || !query.roles.some((role) => OLD_ROLES.includes(role)));

/** A token without a relation to any resource: unscoped, of a domain, of a blank project, of two scopes, or without a role. */
export const hasNoScopeOrRole = ({ scope, roles }: Query): boolean =>
  roles.length === 0 || (scope.project === undefined && scope.name !== 'system');

/** A scoped token that only has roles of the old rules. */
export const hasOnlyOldRoles = (query: Query): boolean =>
  !hasNoScopeOrRole(query) &&
  query.roles.every((role) => role !== 'admin' && OLD_ROLES.includes(role));

export const isAboutNode = ({ target }: Query, { resources }: QueryTables): boolean =>
  isOnNode(target.type, resources);

export const isAboutOwned = ({ target }: Query, { resources }: QueryTables): boolean =>
  isOwned(target.type, resources);

/** The caller's project neither owns nor leases it. */
export const isThirdParty = ({ target }: Query): boolean =>
  target.relation === 'neither' || target.relation === 'unowned' || target.relation === 'blank';

/** Whether this answer lets the caller act on the target or see it; a create hides nothing. */
export const reaches = (query: Query, answer: PolicyAnswer, tables: QueryTables): boolean =>
  answer.allow || (answer.visible && kindOf(query.action, tables) === 'item');

/** The fields whose writers the action's field table names, or undefined when it has no such table. */
export function writersFor(action: string, tables: QueryTables): JsonObject | undefined {
  const name = memberOf(rowOf(action, tables), 'table');
  const table = typeof name === 'string' ? memberOf(tables.fieldTables, name) : undefined;
  const write = memberOf(table, 'write');
  return isJsonObject(write) ? write : undefined;
}

const rowOf = (action: string, { actions }: QueryTables): unknown => actions[action];

/** The service account that the operator has elevated above projects. */
const isElevated = ({ scope, roles, setting }: Query): boolean =>
  setting.rbac_service_role_elevated_access &&
  scope.name === 'service project' &&
  roles.includes('service');
