type Json = Readonly<Record<string, unknown>>;

/** A caller and a resource, as a question has them and as oslo.policy gets them. */
export interface Case {
  readonly question: { readonly subject: Json; readonly resource: Json };
  readonly switches: Json;
  readonly creds: Json;
  readonly target: Json;
}

interface Caller {
  readonly user_id: string;
  readonly roles: readonly string[];
  readonly project_id?: string;
  readonly system_scope?: 'all';
  readonly project_name?: string;
  readonly project_domain_id?: string;
  readonly is_admin_project?: boolean;
}

const CALLERS: readonly Caller[] = [
  { user_id: 'u1', system_scope: 'all', roles: ['admin', 'manager', 'member', 'reader'] },
  { user_id: 'u2', system_scope: 'all', roles: ['Reader'] },
  { user_id: 'u3', project_id: 'p1', roles: ['MEMBER', 'reader'], is_admin_project: false },
  { user_id: 'u1', project_id: 'p2', roles: ['admin'], is_admin_project: true },
  {
    user_id: 'p1',
    project_id: 'p3',
    roles: ['service', 'p1'],
    project_name: 'service',
    project_domain_id: 'default',
  },
  { user_id: 'u4', project_id: 'p1', roles: [], project_name: 'demo' },
  { user_id: 'u5', project_id: 'demo', roles: ['observer'], project_domain_id: 'p1' },
];

/** The keys under which a type's owner and lessee stand in a target of Ironic. */
const PLACES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  node: { owner: 'node.owner', lessee: 'node.lessee' },
  port: { owner: 'node.owner', lessee: 'node.lessee' },
  allocation: { owner: 'allocation.owner' },
  runbook: { owner: 'runbook.owner' },
  none: {},
};

const TARGETS = [
  { type: 'node', owner: 'p1', lessee: 'p2' },
  { type: 'node', owner: null, lessee: null },
  { type: 'port', owner: 'p2', lessee: null },
  { type: 'node', owner: null, lessee: 'p1' },
  { type: 'allocation', owner: 'p1', lessee: null },
  { type: 'allocation', owner: null, lessee: null },
  { type: 'runbook', owner: 'p2', lessee: null },
  { type: 'none', owner: null, lessee: null },
];

const tokenOf = (caller: Caller): Json => ({
  user: { id: caller.user_id },
  ...(caller.project_id !== undefined && {
    project: {
      id: caller.project_id,
      ...(caller.project_name !== undefined && { name: caller.project_name }),
      ...(caller.project_domain_id !== undefined && { domain: { id: caller.project_domain_id } }),
    },
  }),
  ...(caller.system_scope !== undefined && { system: { all: true } }),
  is_admin_project: caller.is_admin_project ?? false,
});

type Target = (typeof TARGETS)[number];

const targetOf = (creds: Json, resource: Target, serviceProject: string | undefined): Json => ({
  ...creds,
  ...Object.fromEntries(
    Object.entries(PLACES[resource.type] ?? {}).map(([column, key]) => [
      key,
      column === 'owner' ? resource.owner : resource.lessee,
    ]),
  ),
  ...(serviceProject !== undefined && { 'config.service_project_name': serviceProject }),
});

/** Ironic compares names alone; here the service project is in a target for callers of its domain only. */
const isInServiceDomain = ({ project_id, project_domain_id }: Caller): boolean =>
  project_id !== undefined && project_domain_id === 'default';

/** Every caller with every resource, the service project counting for more in every other case. */
export const CASES: readonly Case[] = CALLERS.flatMap((caller, row) =>
  TARGETS.map((resource, column) => caseOf(caller, resource, (row + column) % 2 === 0)),
);

function caseOf(caller: Caller, resource: Target, elevated: boolean): Case {
  const creds = credsOf(caller);
  const { project_id = null, system_scope = null, ...others } = caller;
  return {
    question: {
      subject: { ...others, project_id, system_scope, domain_id: null },
      resource: { ...resource, tenancy_revision: 1 },
    },
    switches: {
      rbac_service_role_elevated_access: elevated,
      rbac_service_project: 'service',
    },
    creds,
    target: targetOf(
      creds,
      resource,
      elevated && isInServiceDomain(caller) ? 'service' : undefined,
    ),
  };
}

/** The caller as Ironic's context would pass it, with the older names, and the token as Keystone would. */
function credsOf(caller: Caller): Json {
  const project = caller.project_id ?? null;
  return {
    user_id: caller.user_id,
    user: caller.user_id,
    project_id: project,
    project,
    tenant: project,
    tenant_id: project,
    project_name: caller.project_name ?? null,
    project_domain_id: caller.project_domain_id ?? null,
    system_scope: caller.system_scope ?? null,
    domain_id: null,
    roles: caller.roles,
    is_admin_project: caller.is_admin_project ?? false,
    is_public_api: false,
    token: tokenOf(caller),
  };
}
