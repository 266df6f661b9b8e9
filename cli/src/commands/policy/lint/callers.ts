import {
  isBatchAnswer,
  type JsonObject,
  type PolicyAnswer,
  PolicyFailure,
  QUESTION_TIME,
  serviceProjectOf,
  type SwitchValues,
  tablesOf,
  typesOf,
} from '@tenure/policy';
import { type WasmPolicy } from '@tenure/policy/runtime';
import { type LoadedPolicy } from '../policy-options.js';
import { queryTablesOf, inBatches } from '../verify/probes.js';

/** The answer of the policy to one kind of caller about one action. */
export interface Reach {
  readonly allow: boolean;
  readonly grants: readonly string[];
  /** Identifies caller, target and switches; comparable between policies. */
  readonly key: string;
  /** The caller as a text. */
  readonly who: string;
}

const ROLES = [
  ...['reader', 'member', 'manager', 'admin', 'service'],
  ...['baremetal_observer', 'baremetal_admin'],
];
const OWN = 'own';

interface CallerCase {
  readonly who: string;
  readonly claims: JsonObject;
  readonly target: JsonObject;
}

const OF_OTHERS = { owner: 'other-owner', lessee: 'other-lessee', creator: 'other-user' };

const OF_BAREMETAL = { project_id: 'id-of-baremetal', project_name: 'baremetal' };

const CALLER_CASES: readonly CallerCase[] = [
  { who: 'on the system', claims: { system_scope: 'all' }, target: OF_OTHERS },
  { who: 'of the owner', claims: { project_id: OWN }, target: { ...OF_OTHERS, owner: OWN } },
  { who: 'of the lessee', claims: { project_id: OWN }, target: { ...OF_OTHERS, lessee: OWN } },
  { who: 'of a third project', claims: { project_id: OWN }, target: OF_OTHERS },
  {
    who: 'who made it, in its project',
    claims: { project_id: OWN },
    target: { ...OF_OTHERS, owner: OWN, creator: 'user' },
  },
  {
    who: 'who made it, in another project',
    claims: { project_id: OWN },
    target: { ...OF_OTHERS, creator: 'user' },
  },
  {
    who: 'of a third project, of what is public',
    claims: { project_id: OWN },
    target: { ...OF_OTHERS, public: true },
  },
  { who: 'of the project baremetal', claims: OF_BAREMETAL, target: OF_OTHERS },
  {
    who: 'of the admin project',
    claims: { ...OF_BAREMETAL, is_admin_project: true },
    target: OF_OTHERS,
  },
];

interface Batch {
  readonly type: string;
  readonly actions: readonly string[];
}

/**
 * Evaluates every action for every kind of caller, under several settings of the switches.
 * @returns by action, what was allowed and what was not
 * @throws PolicyFailure when the policy cannot be evaluated
 */
export async function reachOf(
  policy: LoadedPolicy,
): Promise<ReadonlyMap<string, readonly Reach[]>> {
  const found = new Map<string, Reach[]>();
  const batches = batchesOf(policy);
  const callerCases = callerCasesFor(tablesOf(policy.data).switches);
  for (const setting of settingsOf(policy)) {
    const engine = await policy.under(setting);
    for (const { who, claims, target } of callerCases)
      for (const role of ROLES) {
        const subject = { user_id: 'user', ...claims, roles: [role] };
        const key = JSON.stringify([who, role, setting]);
        for (const batch of batches) {
          const answers = Object.entries(askBatch(engine, batch, subject, target));
          for (const [action, { allow, grants }] of answers) {
            const reach = { allow, grants, key, who: `${role} ${who}` };
            const before = found.get(action);
            if (before === undefined) found.set(action, [reach]);
            else before.push(reach);
          }
        }
      }
  }
  return found;
}

function batchesOf(policy: LoadedPolicy): readonly Batch[] {
  const { actions } = tablesOf(policy.data);
  const tables = { actions, resources: queryTablesOf(policy.data).resources };
  const byType = Map.groupBy(Object.keys(actions), (action) => typesOf(action, tables)[0]);
  return [...byType].flatMap(([type, names]) =>
    inBatches(names).map((own) => ({ type, actions: own })),
  );
}

const callerCasesFor = (switches: JsonObject): readonly CallerCase[] => [
  ...CALLER_CASES,
  {
    who: 'of the service project',
    claims: serviceProjectOf(switches).claims,
    target: OF_OTHERS,
  },
];

/** The default switches, each boolean switch inverted, and all of them inverted. */
function settingsOf(policy: LoadedPolicy): readonly SwitchValues[] {
  const { switches } = tablesOf(policy.data);
  const others = Object.entries(switches).flatMap(([name, value]) =>
    typeof value === 'boolean' ? [[name, !value] as const] : [],
  );
  return [[], ...others.map((each) => [each]), others].map((each) => Object.fromEntries(each));
}

function askBatch(
  engine: WasmPolicy,
  { type, actions }: Batch,
  subject: JsonObject,
  target: JsonObject,
): Readonly<Record<string, PolicyAnswer>> {
  const resource = { ...target, type, tenancy_revision: 1 };
  const answers = engine.evaluate('batch', { subject, resource, actions, now: QUESTION_TIME });
  if (!isBatchAnswer(answers))
    throw new PolicyFailure("the policy's answer to a batch is no decision");
  return answers;
}
