/** Callers of the golden table, each with the tenancy of the thing it meets. Ids are words so that they read well. */
const thing = { owner: 'p-owner', lessee: 'p-lessee' };
const system = (role) => ({ system_scope: 'all', roles: [role] });
const project = (id, role) => ({ project_id: id, roles: [role] });

const ELEVATED = { rbac_service_role_elevated_access: true };

/** `tenancy` is the owner and lessee of the node, allocation or runbook; `switches` those that this caller needs. */
export const PERSONAS = [
  { code: 'sA', name: 'sys_admin', subject: system('admin') },
  { code: 'sM', name: 'sys_manager', subject: system('manager') },
  { code: 'sm', name: 'sys_member', subject: system('member') },
  { code: 'sr', name: 'sys_reader', subject: system('reader') },
  { code: 'ss', name: 'sys_service', subject: system('service') },
  { code: 'es', name: 'svc_elev', subject: project('service', 'service'), switches: ELEVATED },
  { code: 'ps', name: 'svc_plain', subject: project('service', 'service') },
  { code: 'oA', name: 'own_admin', subject: project('p-owner', 'admin') },
  { code: 'oM', name: 'own_manager', subject: project('p-owner', 'manager') },
  { code: 'om', name: 'own_member', subject: project('p-owner', 'member') },
  { code: 'or', name: 'own_reader', subject: project('p-owner', 'reader') },
  { code: 'os', name: 'own_service', subject: project('p-owner', 'service') },
  { code: 'lA', name: 'les_admin', subject: project('p-lessee', 'admin') },
  { code: 'lM', name: 'les_manager', subject: project('p-lessee', 'manager') },
  { code: 'lm', name: 'les_member', subject: project('p-lessee', 'member') },
  { code: 'lr', name: 'les_reader', subject: project('p-lessee', 'reader') },
  { code: 'ls', name: 'les_service', subject: project('p-lessee', 'service') },
  {
    code: 'bm',
    name: 'both_member: owner and lessee at once',
    subject: project('p-both', 'member'),
    tenancy: { owner: 'p-both', lessee: 'p-both' },
  },
  { code: '3A', name: '3rd_admin', subject: project('p-third', 'admin') },
  {
    code: 'uA',
    name: 'unowned_admin: a project admin and a thing without owner or lessee',
    subject: project('p-third', 'admin'),
    tenancy: { owner: null, lessee: null },
  },
  { code: 'nr', name: 'own_norole', subject: { project_id: 'p-owner', roles: [] } },
  { code: 'dA', name: 'domain_admin', subject: { domain_id: 'default', roles: ['admin'] } },
  {
    code: 'xA',
    name: 'unscoped_admin, and a thing without owner or lessee',
    subject: { roles: ['admin'] },
    tenancy: { owner: null, lessee: null },
  },
  { code: '--', name: 'no token, and a thing without owner or lessee', subject: null, tenancy: {} },
].map((persona) => ({ tenancy: thing, switches: {}, ...persona }));

/** The type of resource that a question about this action names. */
export function resourceType(action, row) {
  const [service, noun] = action.split(':');
  if (service !== 'baremetal') return 'none';
  if (noun === 'shards' || noun === 'events' || row.kind === 'list') return 'none';
  // what is created under a node meets that node's owner and lessee
  if (row.kind === 'create' && !['port', 'portgroup', 'volume'].includes(noun)) return 'none';
  return noun;
}

/** The question of a persona about an action. */
export function question(persona, action, row) {
  return {
    action,
    subject: persona.subject,
    resource: { type: resourceType(action, row), ...persona.tenancy, tenancy_revision: 1 },
    now: '2026-11-21T06:00:00Z',
  };
}
