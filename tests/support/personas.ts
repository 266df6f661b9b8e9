import { randomBytes } from 'node:crypto';

/** Who asks: a user with roles in one scope. */
export interface Persona {
  readonly user: string;
  readonly scope:
    | { readonly project: string; readonly projectName?: string }
    | { readonly system: 'all' }
    | { readonly domain: string }
    | 'none';
  readonly roles: readonly string[];
}

/** A project id that no other suite uses. */
export const newProject = (label: string): string => `${label}-${randomBytes(6).toString('hex')}`;

/** Someone with roles in a project. */
export const inProject = (project: string, ...roles: string[]): Persona => ({
  user: `user-of-${project}`,
  scope: { project },
  roles,
});

/** Someone with roles in a project of this name. */
export const inProjectCalled = (projectName: string, ...roles: string[]): Persona => {
  const project = newProject('id-of');
  return { user: `user-of-${project}`, scope: { project, projectName }, roles };
};

/** Someone with roles in the whole system. */
export const inSystem = (...roles: string[]): Persona => ({
  user: 'system-user',
  scope: { system: 'all' },
  roles,
});

export const systemAdmin = inSystem('admin');
export const systemReader = inSystem('reader');

/** The arguments of `tenure token` that make this persona's token. */
export function tokenArguments({ user, scope, roles }: Persona): readonly string[] {
  const scopeArguments = (): readonly string[] => {
    if (scope === 'none') return ['--unscoped'];
    if ('project' in scope)
      return [
        '--project',
        scope.project,
        ...(scope.projectName === undefined ? [] : ['--project-name', scope.projectName]),
      ];
    if ('system' in scope) return ['--system', scope.system];
    return ['--domain', scope.domain];
  };
  return ['--user', user, ...scopeArguments(), ...roles.flatMap((role) => ['--role', role])];
}
