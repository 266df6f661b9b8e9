import {
  canonicalJson,
  type JsonObject,
  memberOf,
  type Overlay,
  parseOverlay,
  tablesOf,
  withGrants,
} from '@tenure/policy';
import { type LoadedPolicy, openPolicy } from '../policy-options.js';
import { queryTablesOf } from '../verify/probes.js';
import { type Reach, reachOf } from './callers.js';
import { type Finding, warning } from './finding.js';

/**
 * Rows without the effect that they state, found by evaluation.
 * @throws PolicyFailure when the policy cannot be evaluated
 */
export async function rowFindings(policy: LoadedPolicy): Promise<readonly Finding[]> {
  const { actions } = tablesOf(policy.data);
  const { resources } = queryTablesOf(policy.data);
  const gets = new Set(Object.values(resources).map((row) => memberOf(row, 'get')));
  const real = await reachOf(policy);
  const visible = await reachOf(await visibleToAll(policy));
  return Object.entries(actions).flatMap(([action, { grants }]) => {
    const reaches = real.get(action) ?? [];
    const unseen = gets.has(action) ? [] : neverVisible(action, reaches, visible.get(action) ?? []);
    const reported = new Set(unseen.map(({ message }) => message.split(' ')[0]));
    const none = nobody(action, reaches);
    // A caller that is exempt from the rule about its project gets more by its grant than by another.
    const exempt = memberOf(actions[action], 'own_project_unless');
    const rest = grants.filter(
      (name) => !reported.has(name) && !(Array.isArray(exempt) && exempt.includes(name)),
    );
    return [...none, ...unseen, ...(none.length > 0 ? [] : redundant(action, rest, reaches))];
  });
}

/**
 * Lines of overlays that are equal to the row of the table.
 * @param data of the bundle, without overlays
 * @throws PolicyRefused for a file that is no overlay
 */
export function linesLikeDefault(data: unknown, overlays: readonly Overlay[]): readonly Finding[] {
  const { actions } = tablesOf(data);
  const setOf = (names: readonly string[]): string => canonicalJson([...new Set(names)].sort());
  const isDefault = (action: string, grants: readonly string[]): boolean => {
    const row: JsonObject | undefined = actions[action];
    const own = actions[action]?.grants;
    return own !== undefined && row?.['legacy'] === undefined && setOf(own) === setOf(grants);
  };
  return overlays.flatMap(({ file, text }) =>
    parseOverlay(file, text)
      .filter(({ action, grants }) =>
        isDefault(
          action,
          grants.map(({ name }) => name),
        ),
      )
      .map(({ action, line }) =>
        warning(
          'same-as-default',
          action,
          `${file}, line ${String(line)} says what the table says without it`,
        ),
      ),
  );
}

async function visibleToAll(policy: LoadedPolicy): Promise<LoadedPolicy> {
  const gets = Object.values(queryTablesOf(policy.data).resources)
    .map((row) => memberOf(row, 'get'))
    .filter((get) => typeof get === 'string');
  const data = withGrants(policy.data, new Map(gets.map((get) => [get, ['public']])));
  return openPolicy({ ...policy.material, data, overlays: [] });
}

/** Grants of a row that would allow callers, if these could see the resource. */
function neverVisible(
  action: string,
  real: readonly Reach[],
  visible: readonly Reach[],
): readonly Finding[] {
  const admitted = new Set(real.filter(({ allow }) => allow).map(({ key }) => key));
  const kept = visible.filter(({ allow, key }) => allow && !admitted.has(key));
  const grants = new Set(kept.flatMap((reach) => reach.grants));
  // A grant that matches for at least one allowed caller is not reported.
  for (const { allow, grants: matched } of real)
    if (allow) for (const name of matched) grants.delete(name);
  return [...grants].map((name) =>
    warning(
      'never-visible',
      action,
      `${name} lets nobody in: ${kept.find((reach) => reach.grants.includes(name))?.who ?? 'who has it'} may not see the resource`,
    ),
  );
}

const nobody = (action: string, reaches: readonly Reach[]): readonly Finding[] =>
  reaches.some(({ allow }) => allow) ? [] : [warning('nobody', action, 'nobody is allowed this')];

/** Grants of the row that matched only together with others, or never. */
function redundant(
  action: string,
  grants: readonly string[],
  reaches: readonly Reach[],
): readonly Finding[] {
  const matched = reaches.filter(({ allow }) => allow).map((reach) => reach.grants);
  return grants
    .filter((name) => !matched.some((each) => each.length === 1 && each[0] === name))
    .map((name) =>
      warning(
        'redundant-grant',
        action,
        matched.some((each) => each.includes(name))
          ? `${name} lets nobody in whom another grant of the row does not let in`
          : `${name} lets nobody in`,
      ),
    );
}
