import { type JsonObject, memberOf } from './json-object.js';
import { type PolicyTables } from './policy-data.js';

/** The action table, and what actions are about. */
export interface TypedTables {
  readonly actions: PolicyTables['actions'];
  /** `data.tenure.resources`. */
  readonly resources: JsonObject;
}

/** Actions on flavors: they need a role and have no resource. */
const OF_FLAVORS = /^os_compute_api:(?:flavors$|os-flavor-)/u;

/**
 * The types of resources that an action applies to, the plain one first; `none` for lists and for the creation of a resource
 * that belongs to no other one.
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

/** The type of resource of Nova's actions, whose names do not contain it. */
function serverType(action: string): string | undefined {
  if (action.startsWith('os_compute_api:os-keypairs:')) return 'keypair';
  return action.startsWith('os_compute_api:') && !OF_FLAVORS.test(action) ? 'server' : undefined;
}

const nounOf = (action: string): string => action.split(':')[1] ?? '';

/**
 * Whether a resource belongs to no other one when it is created. A resource with a lessee belongs to a node, which exists
 * before it; a node itself belongs to nothing.
 */
const isCreatedAnew = (noun: string, resources: JsonObject): boolean =>
  noun === 'node' ||
  memberOf(memberOf(memberOf(resources, noun), 'relations'), 'lessee') === undefined;
