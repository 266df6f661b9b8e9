import {
  grantsOfRows,
  type JsonObject,
  type MissingFact,
  type NearestMiss,
  nearestMisses,
  type OtherSwitch,
  type PolicyAnswer,
  type SwitchValues,
  tablesOf,
} from '@tenure/policy';
import { type LoadedPolicy } from '../policy-options.js';
import { askerFor } from './question.js';

const otherSwitches = (
  policy: LoadedPolicy,
  switches: SwitchValues,
): Promise<readonly OtherSwitch[]> => {
  const set = { ...tablesOf(policy.data).switches, ...switches };
  const boolean = Object.entries(set).filter(([, value]) => typeof value === 'boolean');
  return Promise.all(
    boolean.map(async ([name, has]) => {
      const needs = has !== true;
      const ask = askerFor(await policy.under({ ...switches, [name]: needs }));
      return { name, has, needs, ask };
    }),
  );
};

/**
 * What a denied question lacked, switches included.
 * @throws PolicyFailure when the policy cannot be asked
 */
export const missesOf = async (
  policy: LoadedPolicy,
  switches: SwitchValues,
  question: JsonObject,
  answer: PolicyAnswer,
): Promise<readonly NearestMiss[]> => {
  if (answer.allow) return [];
  const ask = askerFor(await policy.under(switches));
  const action = question['action'];
  const rows = typeof action === 'string' ? [action, ...answer.denied] : answer.denied;
  const project = { ...tablesOf(policy.data).switches, ...switches }['rbac_service_project'];
  return nearestMisses(ask, question, grantsOfRows(policy.data, [...new Set(rows)]), {
    projects: typeof project === 'string' ? [project] : [],
    switches: await otherSwitches(policy, switches),
  });
};

const told = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value ?? 'none');
};

const factWords = ({ fact, has, needs, of }: MissingFact): string =>
  `${fact}: has ${told(has)}, needs ${told(needs)}${of === undefined ? '' : ` (its ${of})`}`;

/** For people, the nearest first. */
export const missLines = (misses: readonly NearestMiss[]): readonly string[] =>
  misses.flatMap(({ grant, about, missing }) => [
    `  ${grant}${about === '' ? '' : `: ${about}`}`,
    ...missing.map((each) => `      ${factWords(each)}`),
  ]);
