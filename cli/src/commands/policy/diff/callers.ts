import { type Scope } from '../verify/vocabulary.js';

/*
 * The callers, as data: every role that the rules name by itself, and the combinations of roles that callers have.
 * Roles are named here because the enumeration is over them; every answer comes from the policy.
 */

/** The simplest first. */
export const ROLE_SETS: readonly (readonly string[])[] = [
  [],
  ['reader'],
  ['member'],
  ['manager'],
  ['admin'],
  ['service'],
  ['observer'],
  ['baremetal_observer'],
  ['baremetal_admin'],
  ['administrator'],
  ['reader', 'service'],
  ['member', 'service'],
  ['manager', 'service'],
  ['admin', 'service'],
  ['reader', 'baremetal_observer'],
  ['member', 'baremetal_admin'],
];

const COVERED_BY: Readonly<Record<string, readonly string[]>> = {
  reader: ['reader', 'member', 'manager', 'admin'],
  member: ['member', 'manager', 'admin'],
  manager: ['manager', 'admin'],
};

/**
 * Sets of roles as a text: only the weakest sets, where all stronger ones are among them too.
 * @param sets some of ROLE_SETS
 */
export function rolesText(sets: readonly (readonly string[])[]): string {
  if (sets.length === ROLE_SETS.length) return 'any';
  const least = sets.filter(
    (set) => !sets.some((other) => other !== set && hasAtLeast(set, other)),
  );
  const meant = ROLE_SETS.filter((set) => least.some((each) => hasAtLeast(set, each)));
  return meant.length === sets.length
    ? `${least.map(roleSetText).join(' or ')}${meant.length > least.length ? ' and up' : ''}`
    : sets.map(roleSetText).join(', ');
}

/** The project of a token, also of a token whose project the policy ignores. */
export function projectOf({ claims }: Scope): string | undefined {
  const { project_id: project } = claims;
  return typeof project === 'string' && project !== '' ? project : undefined;
}

const hasAtLeast = (roles: readonly string[], least: readonly string[]): boolean =>
  least.every((role) => (COVERED_BY[role] ?? [role]).some((stronger) => roles.includes(stronger)));

const roleSetText = (roles: readonly string[]): string =>
  roles.length === 0 ? 'no role' : roles.join(' and ');
