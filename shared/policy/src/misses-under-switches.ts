import { type AskablePolicy, askerFor } from './asking.js';
import { type JsonObject } from './json-object.js';
import {
  grantsOfRows,
  type NearestMiss,
  nearestMisses,
  type OtherSwitch,
} from './nearest-misses.js';
import { type PolicyAnswer } from './policy-answer.js';
import { type SwitchValues, tablesOf } from './policy-data.js';
import { serviceProjectOf } from './service-project.js';

/**
 * Finds the facts that a denied question lacked, switches included.
 * @throws PolicyFailure when the policy cannot be evaluated
 */
export async function missesOf(
  policy: AskablePolicy,
  switches: SwitchValues,
  question: JsonObject,
  answer: PolicyAnswer,
): Promise<readonly NearestMiss[]> {
  if (answer.allow) return [];
  const ask = askerFor(await policy.under(switches));
  const action = question['action'];
  const rows = typeof action === 'string' ? [action, ...answer.denied] : answer.denied;
  const set = Object.entries(switches).filter(([, value]) => value !== undefined);
  const services = serviceProjectOf({
    ...tablesOf(policy.data).switches,
    ...Object.fromEntries(set),
  });
  return nearestMisses(ask, question, grantsOfRows(policy.data, [...new Set(rows)]), {
    projects: [services],
    switches: await otherSwitches(policy, switches),
  });
}

function otherSwitches(
  policy: AskablePolicy,
  switches: SwitchValues,
): Promise<readonly OtherSwitch[]> {
  const set = { ...tablesOf(policy.data).switches, ...switches };
  const boolean = Object.entries(set).filter(([, value]) => typeof value === 'boolean');
  return Promise.all(
    boolean.map(async ([name, has]) => {
      const needs = has !== true;
      const ask = askerFor(await policy.under({ ...switches, [name]: needs }));
      return { name, has, needs, ask };
    }),
  );
}
