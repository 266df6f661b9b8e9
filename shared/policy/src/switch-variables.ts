import { Type } from '@sinclair/typebox';
import { type SwitchValues } from './policy-data.js';

const OptionalText = Type.Unsafe<string | undefined>({ type: 'string', minLength: 1 });
/** Tokens carry ids of domains. `Default` is the name of the one whose id is `default`: it would match no token. */
const OptionalDomainId = Type.Unsafe<string | undefined>({
  type: 'string',
  minLength: 1,
  not: { const: 'Default' },
  description: 'the id of a domain; that of the domain Default is default',
});
const OptionalBoolean = Type.Unsafe<boolean | undefined>({ type: 'boolean' });

const policySwitch = (env: string, about: string) =>
  ({ env, schema: OptionalBoolean, fallback: undefined, about }) as const;

/** The environment variables that set the policy's switches, for every part that evaluates the policy. */
export const SWITCH_VARIABLES = {
  enforceScope: policySwitch(
    'TENURE_ENFORCE_SCOPE',
    'switch: system actions want a system-scoped token (unset: as in the bundle)',
  ),
  enforceNewDefaults: policySwitch(
    'TENURE_ENFORCE_NEW_DEFAULTS',
    'switch: off, the deprecated roles and rules also count',
  ),
  projectAdminCanManageOwnNodes: policySwitch(
    'TENURE_PROJECT_ADMIN_CAN_MANAGE_OWN_NODES',
    'switch: project admins create and delete nodes of their own',
  ),
  serviceRoleElevatedAccess: policySwitch(
    'TENURE_RBAC_SERVICE_ROLE_ELEVATED_ACCESS',
    'switch: the service role in the service project acts everywhere',
  ),
  serviceProject: {
    env: 'TENURE_RBAC_SERVICE_PROJECT',
    schema: OptionalText,
    fallback: undefined,
    about: 'name of the service project, within its domain',
  },
  serviceProjectDomain: {
    env: 'TENURE_RBAC_SERVICE_PROJECT_DOMAIN',
    schema: OptionalDomainId,
    fallback: undefined,
    about: "id of that domain; the id of Keystone's domain Default is default",
  },
  serviceProjectId: {
    env: 'TENURE_RBAC_SERVICE_PROJECT_ID',
    schema: OptionalText,
    fallback: undefined,
    about: 'id of the service project; its name and domain are then ignored',
  },
} as const;

/** The environment's switches under the names that the policy's data has. */
export const switchesOf = (config: {
  readonly enforceScope: boolean | undefined;
  readonly enforceNewDefaults: boolean | undefined;
  readonly projectAdminCanManageOwnNodes: boolean | undefined;
  readonly serviceRoleElevatedAccess: boolean | undefined;
  readonly serviceProject: string | undefined;
  readonly serviceProjectDomain: string | undefined;
  readonly serviceProjectId: string | undefined;
}): SwitchValues => ({
  enforce_scope: config.enforceScope,
  enforce_new_defaults: config.enforceNewDefaults,
  project_admin_can_manage_own_nodes: config.projectAdminCanManageOwnNodes,
  rbac_service_role_elevated_access: config.serviceRoleElevatedAccess,
  rbac_service_project: config.serviceProject,
  rbac_service_project_domain: config.serviceProjectDomain,
  rbac_service_project_id: config.serviceProjectId,
});
