import { type JsonObject, type NamedProject, namesakesOf, serviceProjectOf } from '@tenure/policy';

/*
 * All callers of the model, as data. Roles and scopes are named here because the checks are about them; this folder makes
 * no decisions: every answer comes from the policy.
 */

/** A kind of token. `project` is the id it is scoped to, as the policy should see it. */
export interface Scope {
  readonly name: string;
  readonly project: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The switches that are enumerated in every combination. */
export const SWITCHES = [
  'enforce_scope',
  'enforce_new_defaults',
  'project_admin_can_manage_own_nodes',
  'rbac_service_role_elevated_access',
] as const;

export type SwitchSetting = Readonly<Record<(typeof SWITCHES)[number], boolean>>;

/** Sets of roles, the simplest first. */
export const ROLE_SETS: readonly (readonly string[])[] = [
  [],
  ['reader'],
  ['member'],
  ['manager'],
  ['admin'],
  ['service'],
  ['baremetal_observer'],
  ['baremetal_admin'],
  ['reader', 'service'],
  ['member', 'service'],
  ['admin', 'service'],
  ['reader', 'baremetal_observer'],
  ['member', 'baremetal_admin'],
];

/** Each role and the next stronger one. */
const LADDER: readonly (readonly [weaker: string, stronger: string])[] = [
  ['reader', 'member'],
  ['member', 'manager'],
  ['manager', 'admin'],
];

/** Roles of the old rules: they count while `enforce_new_defaults` is off. */
export const OLD_ROLES: readonly string[] = ['admin', 'baremetal_admin', 'baremetal_observer'];

/** Roles that only read. */
export const READING_ROLES: readonly string[] = ['reader', 'baremetal_observer'];

const OWN = 'own-project';

/** A project that the switches can elevate, or one with a similar name or id. */
export const scopeNamed = (name: string, { id, claims }: NamedProject): Scope => ({
  name,
  project: id,
  claims,
});

/** @param switches those of the policy */
export const scopesOf = (switches: JsonObject): readonly Scope[] => [
  { name: 'project', project: OWN, claims: { project_id: OWN } },
  scopeNamed('service project', serviceProjectOf(switches)),
  ...namesakesOf(switches).map((namesake, at) =>
    scopeNamed(['namesake in another domain', 'namesake by id'][at] ?? 'namesake', namesake),
  ),
  {
    name: 'project of the old rules',
    project: 'id-of-baremetal',
    claims: { project_id: 'id-of-baremetal', project_name: 'baremetal', is_admin_project: true },
  },
  { name: 'system', project: undefined, claims: { system_scope: 'all' } },
  { name: 'domain', project: undefined, claims: { domain_id: 'default' } },
  { name: 'unscoped', project: undefined, claims: {} },
  { name: 'blank project', project: undefined, claims: { project_id: '' } },
  {
    name: 'two scopes at once',
    project: undefined,
    claims: { project_id: OWN, system_scope: 'all' },
  },
];

/** Every combination of boolean switches, the fewest changes from `own` first. */
export const combinationsOf = (
  names: readonly string[],
  own: JsonObject,
): readonly Readonly<Record<string, boolean>>[] =>
  Array.from({ length: 2 ** names.length }, (_, bits) => {
    const flipped = (at: number): boolean => Math.floor(bits / 2 ** at) % 2 === 1;
    const entries = names.map((name, at) => [name, (own[name] === true) !== flipped(at)] as const);
    return {
      flips: bits.toString(2).replaceAll('0', '').length,
      setting: Object.fromEntries(entries),
    };
  })
    .toSorted((one, other) => one.flips - other.flips)
    .map(({ setting }) => setting);

/** Every combination of the switches, the fewest changes from `defaults` first. */
export const settingsOf = (defaults: SwitchSetting): readonly SwitchSetting[] =>
  combinationsOf(SWITCHES, defaults);

/** Names of the switches that differ. */
export const changedIn = (
  setting: SwitchSetting,
  defaults: SwitchSetting,
): readonly (typeof SWITCHES)[number][] =>
  SWITCHES.filter((name) => setting[name] !== defaults[name]);

/** Indexes into ROLE_SETS: each role and the next stronger one. */
export const ladderPairs = (): readonly (readonly [weaker: number, stronger: number])[] =>
  LADDER.map(([weaker, stronger]) => [
    ROLE_SETS.findIndex((roles) => isOne(roles, weaker)),
    ROLE_SETS.findIndex((roles) => isOne(roles, stronger)),
  ]);

/** Indexes into ROLE_SETS: every set and each that has more roles beside its own. */
export const subsetPairs = (): readonly (readonly [fewer: number, more: number])[] =>
  ROLE_SETS.flatMap((fewer, at) =>
    ROLE_SETS.flatMap((more, other) => (isPart(fewer, more) ? [[at, other] as const] : [])),
  );

const isOne = (roles: readonly string[], role: string): boolean =>
  roles.length === 1 && roles[0] === role;

const isPart = (fewer: readonly string[], more: readonly string[]): boolean =>
  fewer.length < more.length && fewer.every((role) => more.includes(role));
