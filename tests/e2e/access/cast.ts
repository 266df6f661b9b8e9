import { inProject, inProjectCalled, newProject, type Persona } from '../../support/personas.js';

export const OWNER = newProject('owner');
export const LESSEE = newProject('lessee');
export const OTHER = newProject('other');

const ROLES = ['admin', 'manager', 'member', 'reader', 'service'] as const;

const system = (role: string): Persona => ({
  user: `system-${role}`,
  scope: { system: 'all' },
  roles: [role],
});

const everyRole = (place: string, persona: (role: string) => Persona) =>
  ROLES.map((role): readonly [string, Persona] => [`${place} ${role}`, persona(role)]);

/** The callers, in the order of the letters of a row; all but the last ask a Tenure with default switches. */
export const COLUMNS: readonly (readonly [string, Persona])[] = [
  ...everyRole('system', system),
  ...everyRole('owner', (role) => inProject(OWNER, role)),
  ...everyRole('lessee', (role) => inProject(LESSEE, role)),
  ['admin of another project', inProject(OTHER, 'admin')],
  ['service account', inProject('service', 'service')],
  ['someone without a role', inProject(OWNER)],
  ['domain admin', { user: 'domain-admin', scope: { domain: 'default' }, roles: ['admin'] }],
  ['unscoped admin', { user: 'nobody', scope: 'none', roles: ['admin'] }],
  ['elevated service account', inProjectCalled('service', 'service')],
];
