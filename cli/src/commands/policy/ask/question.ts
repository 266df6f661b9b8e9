import {
  isJsonObject,
  isPolicyAnswer,
  type JsonObject,
  memberOf,
  type PolicyAnswer,
  PolicyFailure,
  PolicyRefused,
  SWITCH_VARIABLES,
  type SwitchValues,
  switchesOf,
  tablesOf,
  typesOf,
} from '@tenure/policy';
import { type WasmPolicy } from '@tenure/policy/runtime';
import { type Environment, loadConfig } from '@tenure/process';
import { type LoadedPolicy } from '../policy-options.js';

const NOW = '2026-11-21T06:00:00Z';

/** The switches of the environment, as the decision point has them, and on top of them those of the command line. */
export const switchesFrom = (env: Environment, given: SwitchValues): SwitchValues => {
  const own = switchesOf(loadConfig(SWITCH_VARIABLES, env));
  const set = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(set), ...given };
};

const tablesIn = ({ data }: LoadedPolicy) => {
  const resources = memberOf(memberOf(data, 'tenure'), 'resources');
  return { actions: tablesOf(data).actions, resources: isJsonObject(resources) ? resources : {} };
};

/** @throws PolicyRefused for an action that the policy does not have */
export const typeFor = (policy: LoadedPolicy, action: string): string => {
  const tables = tablesIn(policy);
  if (!Object.hasOwn(tables.actions, action))
    throw new PolicyRefused(`the policy has no action ${action}`);
  return typesOf(action, tables)[0];
};

/** A question as the decision point is asked it. */
export const questionAbout = (
  action: string,
  subject: JsonObject | null,
  thing: JsonObject,
): JsonObject => ({
  action,
  subject,
  resource: { owner: null, lessee: null, tenancy_revision: 1, ...thing },
  now: NOW,
});

/** Asks a policy for decisions. @throws PolicyFailure when it cannot be asked, or answers with what is no decision */
export const askerFor =
  (engine: WasmPolicy): ((question: JsonObject) => PolicyAnswer) =>
  (question) => {
    const answer = engine.evaluate('decision', question);
    if (!isPolicyAnswer(answer))
      throw new PolicyFailure(`the policy's answer is not a decision: ${JSON.stringify(question)}`);
    return answer;
  };
