import { Type } from '@sinclair/typebox';
import { type ContextClaims, minorOf, type NodeRecord, parse } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { Router } from 'express';
import { conductorsAt } from '../../application/conductors.js';
import {
  createNode,
  createValues,
  deleteNode,
  updateNode,
  type WriteDependencies,
} from '../../application/write-nodes.js';
import { conductorFor } from '../../domain/conductors.js';
import { NODE } from '../../domain/kinds/node.js';
import { parsedPatch } from '../../domain/resource-values.js';
import { byReader } from '../by-reader.js';
import { pathPart } from '../internal-query.js';
import { textParameters } from '../list-query.js';
import { findNamed, namedUuid } from '../named-node.js';
import { answerNodeList } from '../node-lists.js';
import { membersOf } from '../query-members.js';
import { nodeView, statesView, type ViewOptions } from '../views/node-view.js';

const CreateBody = Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), {
  maxProperties: 200,
});

/** Ironic's node routes; every answer goes through the views, which mask. */
export const nodeRouters = (deps: WriteDependencies): readonly Router[] => [
  readRouter(deps),
  writeRouter(deps),
];

function readRouter(deps: WriteDependencies): Router {
  const router = Router({ caseSensitive: true });
  for (const path of ['/v1/nodes', '/v1/nodes/detail'])
    router.get(path, byReader, (request, response) =>
      answerNodeList(deps, request, response, { path, whole: path.endsWith('/detail') }),
    );
  router.get('/v1/nodes/:ident', async (request, response) => {
    const context = contextOf(request);
    const minor = minorOf(context);
    const { sinceOf, viewSince } = NODE.catalogue;
    const { fields } = textParameters(request.query, { fields: viewSince.fields }, minor);
    const wanted = membersOf(fields, minor, sinceOf);
    const node = await findNamed(deps.stores, request);
    response.json(nodeView(node, await viewOptions(deps, node, context), wanted));
  });
  router.get('/v1/nodes/:ident/states', async (request, response) => {
    const context = contextOf(request);
    textParameters(request.query, {}, minorOf(context));
    const node = await findNamed(deps.stores, request);
    response.json(statesView(node, await viewOptions(deps, node, context)));
  });
  return router;
}

function writeRouter(deps: WriteDependencies): Router {
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
      user: context.subject?.user_id ?? null,
      ident: pathPart(request, 'ident'),
      operations: parsedPatch(NODE, request.body, minorOf(context)),
      resetInterfaces: reset !== undefined && NODE.checkedValue('maintenance', reset) === true,
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
}

const viewOptions = async (
  deps: WriteDependencies,
  node: NodeRecord,
  context: ContextClaims,
): Promise<ViewOptions> => ({
  base: context.public_base,
  minor: minorOf(context),
  masked: new Set(context.obligations.fields.masked),
  conductor: conductorFor(
    await conductorsAt(deps.stores, deps.now()),
    node.driver,
    node.conductor_group,
  ),
});
