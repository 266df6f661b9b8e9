import { memberOf, type PolicyTables } from '@tenure/policy';

type ActionTable = PolicyTables['actions'];

/** Rows that can answer for an action: its own, the one that lifts its row filter, its fallback. */
const ANSWERING = ['all', 'fallback'] as const;

/**
 * Finds the replacement of a deprecated grant: the grants of the row that lists it as deprecated, the action's own row first.
 * @returns undefined when the table does not have the action
 */
export function replacementsOf(
  actions: ActionTable,
  action: string,
  deprecated: string,
): readonly string[] | undefined {
  if (!Object.hasOwn(actions, action)) return undefined;
  const own = actions[action];
  const others = ANSWERING.map((name) => actions[String(memberOf(own, name))]);
  const row = [own, ...others].find((each) => holds(memberOf(each, 'legacy'), deprecated));
  return (row ?? own)?.grants;
}

const holds = (names: unknown, grant: string): boolean =>
  Array.isArray(names) && names.includes(grant);
