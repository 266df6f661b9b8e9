import { type ContextClaims, minorOf, type NodeRecord, NotFoundError } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { type Request, type Response } from 'express';
import { conductorsAt } from '../application/conductors.js';
import { markerPosition } from '../application/marker-position.js';
import { findLinkable } from '../application/parent-node.js';
import { type WriteDependencies } from '../application/write-nodes.js';
import { conductorFor, driversShownFor } from '../domain/conductors.js';
import {
  assertComparable,
  filterHeaderOf,
  maskedInRow,
  NODE_FILTER_FIELDS,
  restrictionOf,
} from '../domain/visibility.js';
import { type Condition, type RecordPage } from '../ports/record-store.js';
import { nextLink } from './list-query.js';
import { type NodeListRequest, nodeListRequest } from './node-query.js';
import { nodeRecordFields, nodeView } from './views/node-view.js';

const conductorConditions = async (
  deps: WriteDependencies,
  hostname: string | undefined,
): Promise<readonly Condition[]> => {
  if (hostname === undefined) return [];
  const { group, drivers } = driversShownFor(await conductorsAt(deps.stores, deps.now()), hostname);
  return [
    { field: 'conductor_group', op: 'eq', value: group },
    { field: 'driver', op: 'in', values: drivers },
  ];
};

/** @throws NotFoundError for a parent that is missing or that the caller may not see */
const parentConditions = async (
  { stores }: WriteDependencies,
  ident: string | undefined,
  { obligations }: ContextClaims,
): Promise<readonly Condition[]> => {
  if (ident === undefined) return [];
  const parent = await findLinkable(stores.nodes, ident, obligations.filter);
  if (parent === undefined) throw NotFoundError.of('Node', ident);
  return [{ field: 'parent_node', op: 'eq', value: parent.uuid }];
};

const findPage = async (
  deps: WriteDependencies,
  wanted: NodeListRequest,
  below: readonly Condition[],
  context: ContextClaims,
): Promise<RecordPage<NodeRecord>> => {
  const fields = nodeRecordFields(wanted.fields);
  return deps.stores.nodes.page({
    anyOf: restrictionOf(context.obligations.filter, NODE_FILTER_FIELDS),
    where: [
      ...below,
      ...wanted.where,
      ...(await conductorConditions(deps, wanted.conductor)),
      ...(await parentConditions(deps, wanted.parent, context)),
    ],
    order: wanted.order,
    after: await markerPosition(deps.stores.nodes, 'Node', wanted, context.obligations.filter),
    limit: wanted.limit,
    ...(fields !== undefined && { fields }),
  });
};

/** One way to a list of nodes. */
export interface NodeList {
  /** For the link to the next page: `/v1/nodes/detail`. */
  readonly path: string;
  /** Whether the path ends in `/detail`. */
  readonly whole: boolean;
  /** What the thing above the list narrows it to, by fields that the caller may see. */
  readonly below?: readonly Condition[];
}

const listNodes = async (
  deps: WriteDependencies,
  request: Request,
  { path, whole, below = [] }: NodeList,
): Promise<unknown> => {
  const context = contextOf(request);
  const minor = minorOf(context);
  const wanted = nodeListRequest(request.query, {
    minor,
    whole,
    assertComparable: (fields) => {
      assertComparable([...fields, ...below.map(({ field }) => field)], context.obligations);
    },
  });
  const found = await findPage(deps, wanted, below, context);
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
};

/** Answers with the nodes that the caller may see, masked, and says which rows the policy let through. */
export const answerNodeList = async (
  deps: WriteDependencies,
  request: Request,
  response: Response,
  list: NodeList,
): Promise<void> => {
  const body = await listNodes(deps, request, list);
  response
    .set('X-Tenure-Policy-Filter', filterHeaderOf(contextOf(request).obligations.filter))
    .json(body);
};
