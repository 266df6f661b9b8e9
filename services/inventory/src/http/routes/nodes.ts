import { Type } from '@sinclair/typebox';
import {
  BadRequestError,
  type ContextClaims,
  type NodeRecord,
  NotFoundError,
  parse,
  UnauthorizedError,
} from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { type Request, Router } from 'express';
import { conductorFor, driversShownFor } from '../../domain/conductors.js';
import { parsePatch } from '../../domain/node-patch.js';
import { checkedValue, isUuid } from '../../domain/node-values.js';
import {
  assertComparable,
  filterHeaderOf,
  isVisible,
  maskedInRow,
  NODE_FILTER_FIELDS,
  restrictionOf,
} from '../../domain/visibility.js';
import { assertCurrent } from '../../operations/change-node.js';
import {
  conductorsNow,
  createNode,
  createValues,
  deleteNode,
  updateNode,
  type WriteDependencies,
} from '../../operations/write-nodes.js';
import { type Condition, type RecordQuery, type Scalar } from '../../ports/record-store.js';
import { pathPart } from '../internal-query.js';
import { fieldsOf, type NodeListRequest, nodeListRequest, textParameters } from '../node-query.js';
import { nodeView, statesView, type ViewOptions } from '../views/node-view.js';

/** Minor of the negotiated microversion, which the gateway has checked. */
export const minorOf = ({ api_version: version }: ContextClaims): number =>
  Number(version.split('.')[1]);

/** The one node that a context speaks of; never the ident in the path. */
const namedUuid = ({ resources }: ContextClaims): string => {
  const [resource] = resources;
  if (resource?.type !== 'node') throw new UnauthorizedError('The signed context names no node.');
  return resource.uuid;
};

const findNamed = async ({ stores }: WriteDependencies, request: Request): Promise<NodeRecord> => {
  const context = contextOf(request);
  const node = await stores.nodes.findBy('uuid', namedUuid(context));
  if (node === undefined) throw NotFoundError.of('Node', pathPart(request, 'ident'));
  assertCurrent(node, context);
  return node;
};

const viewOptions = async (
  deps: WriteDependencies,
  node: NodeRecord,
  context: ContextClaims,
): Promise<ViewOptions> => ({
  base: context.public_base,
  minor: minorOf(context),
  masked: new Set(context.obligations.fields.masked),
  conductor: conductorFor(await conductorsNow(deps), node.driver, node['conductor_group']),
});

const conductorConditions = async (
  deps: WriteDependencies,
  hostname: string | undefined,
): Promise<readonly Condition[]> => {
  if (hostname === undefined) return [];
  const { group, drivers } = driversShownFor(await conductorsNow(deps), hostname);
  return [
    { field: 'conductor_group', op: 'eq', value: group },
    { field: 'driver', op: 'in', values: drivers },
  ];
};

/** The marker's position; one that the caller may not see is as missing as one that does not exist. */
const positionOf = async (
  { stores }: WriteDependencies,
  { marker, order }: NodeListRequest,
  context: ContextClaims,
): Promise<RecordQuery['after']> => {
  if (marker === undefined) return null;
  if (!isUuid(marker))
    throw new BadRequestError(`Expected a UUID but received ${marker.slice(0, 64)}.`);
  const node = await stores.nodes.findBy('uuid', marker.toLowerCase());
  if (node === undefined || !isVisible(node, context.obligations.filter, NODE_FILTER_FIELDS))
    throw NotFoundError.of('Node', marker);
  return {
    uuid: node.uuid,
    value: order.field === null ? null : (node[order.field] as Scalar | null),
  }; // sortable fields are scalars
};

const findPage = async (
  deps: WriteDependencies,
  wanted: NodeListRequest,
  context: ContextClaims,
): Promise<readonly NodeRecord[]> =>
  deps.stores.nodes.list({
    anyOf: restrictionOf(context.obligations.filter, NODE_FILTER_FIELDS),
    where: [...wanted.where, ...(await conductorConditions(deps, wanted.conductor))],
    order: wanted.order,
    after: await positionOf(deps, wanted, context),
    limit: wanted.limit + 1,
  });

const nextLink = (
  path: string,
  { kept, limit }: NodeListRequest,
  marker: string,
  base: string,
): string => {
  const query = [...kept, ['limit', String(limit)] as const, ['marker', marker] as const];
  const text = query
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`)
    .join('&');
  return `${base}${path}?${text}`;
};

const listNodes = async (
  deps: WriteDependencies,
  request: Request,
  whole: boolean,
): Promise<unknown> => {
  const context = contextOf(request);
  const minor = minorOf(context);
  const wanted = nodeListRequest(request.query, {
    minor,
    whole,
    assertComparable: (fields) => {
      assertComparable(fields, context.obligations);
    },
  });
  const found = await findPage(deps, wanted, context);
  const live = await conductorsNow(deps);
  const page = found.slice(0, wanted.limit);
  const last = page.at(-1);
  const nodes = page.map((node) =>
    nodeView(
      node,
      {
        base: context.public_base,
        minor,
        masked: maskedInRow(node, context.obligations),
        conductor: conductorFor(live, node.driver, node['conductor_group']),
      },
      wanted.fields,
    ),
  );
  if (found.length <= wanted.limit || last === undefined) return { nodes };
  return {
    nodes,
    next: nextLink(
      whole ? '/v1/nodes/detail' : '/v1/nodes',
      wanted,
      last.uuid,
      context.public_base,
    ),
  };
};

const readRouter = (deps: WriteDependencies): Router => {
  const router = Router({ caseSensitive: true });
  for (const path of ['/v1/nodes', '/v1/nodes/detail'])
    router.get(path, async (request, response) => {
      const body = await listNodes(deps, request, path.endsWith('/detail'));
      response
        .set('X-Tenure-Policy-Filter', filterHeaderOf(contextOf(request).obligations.filter))
        .json(body);
    });
  router.get('/v1/nodes/:ident', async (request, response) => {
    const context = contextOf(request);
    const { fields } = textParameters(request.query, { fields: 8 }, minorOf(context));
    const wanted = fieldsOf(fields, minorOf(context));
    const node = await findNamed(deps, request);
    response.json(nodeView(node, await viewOptions(deps, node, context), wanted));
  });
  router.get('/v1/nodes/:ident/states', async (request, response) => {
    const context = contextOf(request);
    textParameters(request.query, {}, minorOf(context));
    const node = await findNamed(deps, request);
    response.json(statesView(node, await viewOptions(deps, node, context)));
  });
  return router;
};

const CreateBody = Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), {
  maxProperties: 200,
});

const writeRouter = (deps: WriteDependencies): Router => {
  const router = Router({ caseSensitive: true });
  router.post('/v1/nodes', async (request, response) => {
    const context = contextOf(request);
    textParameters(request.query, {}, minorOf(context));
    const values = createValues(parse(CreateBody, request.body, 'node'), minorOf(context));
    const node = await createNode(deps, values, context);
    response.status(201).location(`${context.public_base}/v1/nodes/${node.uuid}`);
    response.json(nodeView(node, await viewOptions(deps, node, context)));
  });
  router.patch('/v1/nodes/:ident', async (request, response) => {
    const context = contextOf(request);
    const { reset_interfaces: reset } = textParameters(
      request.query,
      { reset_interfaces: 45 },
      minorOf(context),
    );
    const update = {
      uuid: namedUuid(context),
      ident: pathPart(request, 'ident'),
      operations: parsePatch(request.body, minorOf(context)),
      resetInterfaces: reset !== undefined && checkedValue('maintenance', reset) === true,
    };
    const node = await updateNode(deps, update, context);
    response.json(nodeView(node, await viewOptions(deps, node, context)));
  });
  router.delete('/v1/nodes/:ident', async (request, response) => {
    const context = contextOf(request);
    textParameters(request.query, {}, minorOf(context));
    await deleteNode(deps, namedUuid(context), pathPart(request, 'ident'), context);
    response.status(204).end();
  });
  return router;
};

/** Ironic's node routes; every answer goes through the views, which mask. */
export const nodeRouters = (deps: WriteDependencies): readonly Router[] => [
  readRouter(deps),
  writeRouter(deps),
];
