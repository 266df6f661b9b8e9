import { canonicalJson, isJsonObject, memberOf } from '@tenure/policy';

/** How an answer of the shadow differs from the one that was given. */
export type Difference =
  | 'newly_allowed'
  | 'newly_denied'
  | 'newly_visible'
  | 'newly_hidden'
  | 'otherwise';

/** One decision, or one action of a batch, that the shadow answers differently. */
export interface Differing {
  readonly action: string;
  readonly difference: Difference;
}

/** Compares two answers to a question, or to a batch of them. */
export function differencesOf(
  entrypoint: 'decision' | 'batch',
  input: unknown,
  [live, shadow]: readonly [live: unknown, shadow: unknown],
): readonly Differing[] {
  if (entrypoint === 'decision') return differing(String(memberOf(input, 'action')), live, shadow);
  const actions = new Set([live, shadow].filter(isJsonObject).flatMap(Object.keys));
  return [...actions].flatMap((action) =>
    differing(action, memberOf(live, action), memberOf(shadow, action)),
  );
}

function differing(action: string, live: unknown, shadow: unknown): readonly Differing[] {
  const difference = kindOf(live, shadow);
  return difference === undefined ? [] : [{ action, difference }];
}

function kindOf(live: unknown, shadow: unknown): Difference | undefined {
  const changed = (name: string): boolean => memberOf(live, name) !== memberOf(shadow, name);
  if (changed('allow'))
    return memberOf(shadow, 'allow') === true ? 'newly_allowed' : 'newly_denied';
  if (changed('visible'))
    return memberOf(shadow, 'visible') === true ? 'newly_visible' : 'newly_hidden';
  return canonicalJson(live) === canonicalJson(shadow) ? undefined : 'otherwise';
}
