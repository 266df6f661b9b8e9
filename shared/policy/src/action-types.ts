import { type JsonObject, memberOf } from './json-object.js';
import { type PolicyTables } from './policy-data.js';

/** The action table, and what actions are about. */
export interface TypedTables {
  readonly actions: PolicyTables['actions'];
  /** `data.tenure.resources`. */
  readonly resources: JsonObject;
}

/** What is for whoever has a role, and about no thing. */
const OF_FLAVORS = /^os_compute_api:(?:flavors$|os-flavor-)/u;

/**
 * The types of things that an action is asked about, the plain one first; `none` for lists and for what does not stand on
 * anything yet.
 */
export function typesOf(
  action: string,
  { actions, resources }: TypedTables,
): readonly [string, ...(readonly string[])] {
  const kind = memberOf(actions[action], 'kind');
  const noun = serverType(action) ?? nounOf(action);
  if (kind === 'list' || (kind === 'create' && isCreatedAnew(noun, resources))) return ['none'];
  const [first, ...others] = Object.keys(resources)
    .filter((type) => type === noun || type.startsWith(`${noun}_`))
    .sort();
  return first === undefined ? ['none'] : [first, ...others];
}

/** Nova's actions, which are not named after the type of thing. */
function serverType(action: string): string | undefined {
  if (action.startsWith('os_compute_api:os-keypairs:')) return 'keypair';
  return action.startsWith('os_compute_api:') && !OF_FLAVORS.test(action) ? 'server' : undefined;
}

const nounOf = (action: string): string => action.split(':')[1] ?? '';

/** What carries the lessee of a node hangs on that node, which is there before it is created; a node itself is not. */
const isCreatedAnew = (noun: string, resources: JsonObject): boolean =>
  noun === 'node' ||
  memberOf(memberOf(memberOf(resources, noun), 'places'), 'lessee') === undefined;
