import { randomBytes } from 'node:crypto';

/** A caller: a user with roles in one scope. */
export interface Persona {
  readonly user: string;
  readonly scope:
    | {
        readonly project: string;
        readonly projectName?: string;
        readonly projectDomain?: string;
      }
    | { readonly system: 'all' }
    | { readonly domain: string }
    | 'none';
  readonly roles: readonly string[];
}

/** Someone with roles in the whole system. */
export const inSystem = (...roles: string[]): Persona => ({
  user: 'system-user',
  scope: { system: 'all' },
  roles,
});

export const systemAdmin = inSystem('admin');
export const systemReader = inSystem('reader');

/** A project id that no other suite uses. */
export const newProject = (label: string): string => `${label}-${randomBytes(6).toString('hex')}`;

/** Someone with roles in a project. */
export const inProject = (project: string, ...roles: string[]): Persona => ({
  user: `user-of-${project}`,
  scope: { project },
  roles,
});

/** Someone with roles in a project of this name, within a domain. */
export function inProjectOfDomain(
  projectDomain: string,
  projectName: string,
  ...roles: string[]
): Persona {
  const project = newProject('id-of');
  return { user: `user-of-${project}`, scope: { project, projectName, projectDomain }, roles };
}

/** Someone with roles in a project of this name, within the default domain. */
export const inProjectCalled = (projectName: string, ...roles: string[]): Persona =>
  inProjectOfDomain('default', projectName, ...roles);

/** The claims of a persona's token, besides those of every token. */
export function claimsOfToken({ user, scope, roles }: Persona): Readonly<Record<string, unknown>> {
  const scopeClaims = (): Readonly<Record<string, unknown>> => {
    if (scope === 'none') return {};
    if ('project' in scope)
      return {
        project_id: scope.project,
        ...(scope.projectName !== undefined && { project_name: scope.projectName }),
        ...(scope.projectDomain !== undefined && { project_domain_id: scope.projectDomain }),
      };
    if ('system' in scope) return { system_scope: scope.system };
    return { domain_id: scope.domain };
  };
  return { sub: user, roles, ...scopeClaims() };
}
