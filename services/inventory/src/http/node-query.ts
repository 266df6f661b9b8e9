import { NODE_CATALOGUE } from '@tenure/contracts';
import { type Condition } from '../ports/record-store.js';
import {
  filtersIn,
  type ListMode,
  listParameters,
  type ListRequest,
  listRequest,
  type ListRules,
  type Query,
} from './list-query.js';
import { NODE_FILTERS } from './node-filters.js';
import { flag } from './query-flag.js';
import { membersOf } from './query-members.js';

/** A node list as it was asked for. */
export interface NodeListRequest extends ListRequest {
  readonly where: readonly Condition[];
  /** Hostname of a conductor to filter by. */
  readonly conductor: string | undefined;
  /** Uuid or name of the node whose children are asked for. */
  readonly parent: string | undefined;
  /** Fields whose values the answer depends on. */
  readonly compared: readonly string[];
}

const RULES: ListRules = {
  catalogue: NODE_CATALOGUE,
  filters: Object.fromEntries(
    Object.entries(NODE_FILTERS).map(([name, { since }]) => [name, since]),
  ),
  since: { fields: 8, detail: 43 },
  fieldsText: 'instance_uuid,maintenance,power_state,provision_state,uuid,name',
};

/**
 * `fields=` of nodes.
 * @throws BadRequestError, NotAcceptableError
 */
export const fieldsOf = (text: string | undefined, minor: number): readonly string[] | undefined =>
  membersOf(text, minor, NODE_CATALOGUE.sinceOf);

/** Fields named by sorting and filtering: known before anything is looked up, so that masked ones can be refused. */
const comparedFields = (query: Query, filters: readonly string[]): readonly string[] => [
  ...filters.flatMap((name) => NODE_FILTERS[name]?.field ?? []),
  ...(query['sort_key'] === undefined ? [] : [query['sort_key']]),
];

/** Children are listed only for who asks for them. */
const childless = ({
  parent_node: parent,
  include_children: include,
}: Query): readonly Condition[] =>
  parent === undefined && (include === undefined || !flag('include_children', include))
    ? [{ field: 'parent_node', op: 'null' }]
    : [];

export interface NodeListOptions extends ListMode {
  /** Refuses sorting and filtering by fields whose values the caller may not see. */
  readonly assertComparable: (fields: readonly string[]) => void;
}

/**
 * The query of a node list.
 * @throws BadRequestError, NotAcceptableError, and what `assertComparable` throws
 */
export const nodeListRequest = (
  query: unknown,
  { assertComparable, ...mode }: NodeListOptions,
): NodeListRequest => {
  const given = listParameters(query, RULES, mode);
  const filters = filtersIn(given, RULES);
  const compared = comparedFields(given, filters);
  assertComparable(compared);
  return {
    ...listRequest(given, RULES, mode),
    where: [
      ...filters.flatMap((name) => NODE_FILTERS[name]?.condition(given[name] ?? '') ?? []),
      ...childless(given),
    ],
    conductor: given['conductor'],
    parent: given['parent_node'],
    compared,
  };
};
