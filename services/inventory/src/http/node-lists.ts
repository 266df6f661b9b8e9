import { type ContextClaims, minorOf, NODE_CATALOGUE, type NodeRecord } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { type Request, type Response } from 'express';
import { conductorsAt } from '../application/conductors.js';
import { markerPosition } from '../application/marker-position.js';
import { type WriteDependencies } from '../application/write-nodes.js';
import { conductorFor, visibleDriversFor } from '../domain/conductors.js';
import { NODE } from '../domain/kinds/node.js';
import {
  assertComparable,
  filterHeaderOf,
  maskedInRow,
  NODE_FILTER_FIELDS,
  restrictionOf,
} from '../domain/visibility.js';
import { type Condition, type RecordPage } from '../ports/record-store.js';
import { conditionsIn, type Lookups } from './list-filters.js';
import {
  comparedFields,
  type ListMode,
  listParameters,
  type ListRequest,
  listRequest,
  nextLink,
  type Query,
} from './list-query.js';
import { nodeLookup } from './node-lookup.js';
import { flag } from './query-flag.js';
import { nodeRecordFields, nodeView } from './views/node-view.js';

/** One way to a list of nodes. */
export interface NodeList {
  /** For the link to the next page: `/v1/nodes/detail`. */
  readonly path: string;
  /** Whether the path ends in `/detail`. */
  readonly whole: boolean;
  /** Conditions of the list's parent resource, by fields that the caller may see. */
  readonly below?: readonly Condition[];
}

/** Responds with the nodes that the caller may see, masked, and with the policy's filter as a header. */
export async function answerNodeList(
  deps: WriteDependencies,
  request: Request,
  response: Response,
  list: NodeList,
): Promise<void> {
  const body = await listNodes(deps, request, list);
  response
    .set('X-Tenure-Policy-Filter', filterHeaderOf(contextOf(request).obligations.filter))
    .json(body);
}

async function listNodes(
  deps: WriteDependencies,
  request: Request,
  { path, whole, below = [] }: NodeList,
): Promise<unknown> {
  const context = contextOf(request);
  const minor = minorOf(context);
  const mode: ListMode = { minor, whole };
  const given = listParameters(request.query, NODE_CATALOGUE, mode);
  const compared = [...comparedFields(given, NODE_CATALOGUE), ...below.map(({ field }) => field)];
  assertComparable(compared, context.obligations);
  const wanted = listRequest(given, NODE_CATALOGUE, mode);
  const { where } = await conditionsIn(NODE, given, lookupsOf(deps, context));
  const conditions = [...below, ...where, ...withoutChildren(given)];
  const found = await findPage(deps, wanted, conditions, context);
  const live = await conductorsAt(deps.stores, deps.now());
  const last = found.rows.at(-1);
  const nodes = found.rows.map((node) =>
    nodeView(
      node,
      {
        base: context.public_base,
        minor,
        masked: maskedInRow(node, context.obligations),
        conductor: conductorFor(live, node.driver, node.conductor_group),
      },
      wanted.fields,
    ),
  );
  if (!found.more || last === undefined) return { nodes };
  return {
    nodes,
    next: nextLink(path, wanted, last.uuid, context.public_base),
  };
}

const lookupsOf = (deps: WriteDependencies, { obligations }: ContextClaims): Lookups => ({
  conductor: async (hostname) => {
    const live = await conductorsAt(deps.stores, deps.now());
    const { group, drivers } = visibleDriversFor(live, hostname);
    return {
      where: [
        { field: 'conductor_group', op: 'eq', value: group },
        { field: 'driver', op: 'in', values: drivers },
      ],
    };
  },
  parent_node: nodeLookup(deps.stores.nodes, obligations.filter, 'parent_node'),
  // It narrows nothing: see `withoutChildren`.
  include_children: () => Promise.resolve({}),
});

/** Children are listed only on request. */
const withoutChildren = ({
  parent_node: parent,
  include_children: include,
}: Query): readonly Condition[] =>
  parent === undefined && (include === undefined || !flag('include_children', include))
    ? [{ field: 'parent_node', op: 'null' }]
    : [];

async function findPage(
  { stores }: WriteDependencies,
  wanted: ListRequest,
  where: readonly Condition[],
  { obligations: { filter } }: ContextClaims,
): Promise<RecordPage<NodeRecord>> {
  const fields = nodeRecordFields(wanted.fields);
  return stores.nodes.page({
    anyOf: restrictionOf(filter, NODE_FILTER_FIELDS),
    where,
    order: wanted.order,
    after: await markerPosition(stores.nodes, 'Node', wanted, filter),
    limit: wanted.limit,
    ...(fields !== undefined && { fields }),
  });
}
