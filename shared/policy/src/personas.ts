import { isId, type JsonObject } from './json-object.js';
import { type SwitchValues } from './policy-data.js';

/** A caller of the matrix, with the owner and lessee of the resource in its questions. */
export interface Persona {
  readonly code: string;
  readonly name: string;
  readonly subject: JsonObject | null;
  readonly tenancy: JsonObject;
  /** Switches that this caller needs on top of the others. */
  readonly switches: SwitchValues;
}

const TENANCY = { owner: 'p-owner', lessee: 'p-lessee' };
const UNOWNED = { owner: null, lessee: null };
const ELEVATED = { rbac_service_role_elevated_access: true };

const system = (role: string): JsonObject => ({ system_scope: 'all', roles: [role] });

const project = (id: string, role: string): JsonObject => ({ project_id: id, roles: [role] });

/** The project that the switches of the bundle elevate, with the claims of a token of Keystone. */
const SERVICES: JsonObject = {
  ...project('p-service', 'service'),
  project_name: 'service',
  project_domain_id: 'default',
};

const PLAIN: readonly (Pick<Persona, 'code' | 'name' | 'subject'> & Partial<Persona>)[] = [
  { code: 'sA', name: 'sys_admin', subject: system('admin') },
  { code: 'sM', name: 'sys_manager', subject: system('manager') },
  { code: 'sm', name: 'sys_member', subject: system('member') },
  { code: 'sr', name: 'sys_reader', subject: system('reader') },
  { code: 'ss', name: 'sys_service', subject: system('service') },
  { code: 'es', name: 'svc_elev', subject: SERVICES, switches: ELEVATED },
  { code: 'ps', name: 'svc_plain', subject: SERVICES },
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
    name: 'unowned_admin: a project admin and a resource without owner or lessee',
    subject: project('p-third', 'admin'),
    tenancy: UNOWNED,
  },
  { code: 'nr', name: 'own_norole', subject: { project_id: 'p-owner', roles: [] } },
  { code: 'dA', name: 'domain_admin', subject: { domain_id: 'default', roles: ['admin'] } },
  {
    code: 'xA',
    name: 'unscoped_admin, and a resource without owner or lessee',
    subject: { roles: ['admin'] },
    tenancy: UNOWNED,
  },
  {
    code: '--',
    name: 'no token, and a resource without owner or lessee',
    subject: null,
    tenancy: {},
  },
];

/** The callers of the golden table, in its order. */
export const PERSONAS: readonly Persona[] = PLAIN.map((persona) => ({
  tenancy: TENANCY,
  switches: {},
  ...persona,
}));

/** The short name: `both_member: owner and lessee at once` becomes `both_member`. */
export const personaName = ({ name }: Persona): string => name.split(/[:,]/u)[0] ?? name;

/** @throws Error naming those that there are */
export function personaCalled(text: string): Persona {
  const found = PERSONAS.find((each) => each.code === text || personaName(each) === text);
  if (found !== undefined) return found;
  const names = PERSONAS.map((each) => `${personaName(each)} (${each.code})`).join(', ');
  throw new Error(`no persona ${text}; there are ${names}`);
}

/**
 * The subject with the project that fits a resource: a persona of the owner's project gets the project that owns this resource.
 * @param tenancy owner and lessee of the resource
 */
export function subjectTowards(
  {
    persona,
    subject,
  }: { readonly persona: Persona | undefined; readonly subject: JsonObject | null },
  tenancy: JsonObject,
): JsonObject | null {
  if (persona === undefined || subject === null) return subject;
  const place = (['owner', 'lessee'] as const).find(
    (each) => isId(persona.tenancy[each]) && persona.tenancy[each] === subject['project_id'],
  );
  const project = place === undefined ? undefined : tenancy[place];
  return isId(project) ? { ...subject, project_id: project } : subject;
}
