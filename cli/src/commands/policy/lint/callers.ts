import {
  askerFor,
  isJsonObject,
  type JsonObject,
  memberOf,
  questionAbout,
  type SwitchValues,
  tablesOf,
  typesOf,
} from '@tenure/policy';
import { type LoadedPolicy } from '../policy-options.js';

/** What the policy answers to every kind of caller about one action. */
export interface Reach {
  readonly allow: boolean;
  readonly grants: readonly string[];
  /** Which caller, about what, under which switches: the same in every policy. */
  readonly key: string;
  /** The caller in words. */
  readonly who: string;
}

const ROLES = [
  ...['reader', 'member', 'manager', 'admin', 'service'],
  ...['baremetal_observer', 'baremetal_admin'],
];
const OWN = 'own';

interface Standing {
  readonly who: string;
  readonly claims: JsonObject;
  readonly thing: JsonObject;
}

const OF_OTHERS = { owner: 'other-owner', lessee: 'other-lessee', creator: 'other-user' };

const STANDINGS: readonly Standing[] = [
  { who: 'on the system', claims: { system_scope: 'all' }, thing: OF_OTHERS },
  { who: 'of the owner', claims: { project_id: OWN }, thing: { ...OF_OTHERS, owner: OWN } },
  { who: 'of the lessee', claims: { project_id: OWN }, thing: { ...OF_OTHERS, lessee: OWN } },
  { who: 'of a third project', claims: { project_id: OWN }, thing: OF_OTHERS },
  {
    who: 'who made it, in its project',
    claims: { project_id: OWN },
    thing: { ...OF_OTHERS, owner: OWN, creator: 'user' },
  },
  {
    who: 'who made it, in another project',
    claims: { project_id: OWN },
    thing: { ...OF_OTHERS, creator: 'user' },
  },
  {
    who: 'of a third project, of what is public',
    claims: { project_id: OWN },
    thing: { ...OF_OTHERS, public: true },
  },
  { who: 'of the service project', claims: { project_id: 'service' }, thing: OF_OTHERS },
  { who: 'of the project baremetal', claims: { project_id: 'baremetal' }, thing: OF_OTHERS },
  {
    who: 'of the admin project',
    claims: { project_id: 'baremetal', is_admin_project: true },
    thing: OF_OTHERS,
  },
];

/** The switches as they are, each set otherwise, and all of them. */
const settingsOf = (policy: LoadedPolicy): readonly SwitchValues[] => {
  const { switches } = tablesOf(policy.data);
  const others = Object.entries(switches).flatMap(([name, value]) =>
    typeof value === 'boolean' ? [[name, !value] as const] : [],
  );
  const named = Object.hasOwn(switches, 'rbac_service_project')
    ? { rbac_service_project: 'service' }
    : {};
  return [[], ...others.map((each) => [each]), others].map((each) => ({
    ...named,
    ...Object.fromEntries(each),
  }));
};

/**
 * Asks about every action, as every kind of caller, under several settings of the switches.
 * @returns by action, what was allowed and what was not
 * @throws PolicyFailure when the policy cannot be asked
 */
export const reachOf = async (
  policy: LoadedPolicy,
): Promise<ReadonlyMap<string, readonly Reach[]>> => {
  const { actions } = tablesOf(policy.data);
  const resources = memberOf(memberOf(policy.data, 'tenure'), 'resources');
  const tables = { actions, resources: isJsonObject(resources) ? resources : {} };
  const found = new Map(Object.keys(actions).map((action): [string, Reach[]] => [action, []]));
  for (const setting of settingsOf(policy)) {
    const ask = askerFor(await policy.under(setting));
    for (const [action, reaches] of found)
      for (const { who, claims, thing } of STANDINGS)
        for (const role of ROLES) {
          const subject = { user_id: 'user', ...claims, roles: [role] };
          const about = { type: typesOf(action, tables)[0], ...thing };
          const { allow, grants } = ask(questionAbout(action, subject, about));
          const key = JSON.stringify([who, role, setting]);
          reaches.push({ allow, grants, key, who: `${role} ${who}` });
        }
  }
  return found;
};
