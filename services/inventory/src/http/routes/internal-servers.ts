import { Type } from '@sinclair/typebox';
import { NewServer, NotFoundError, parse, ServerChange } from '@tenure/contracts';
import { contextOf, onlyFrom } from '@tenure/http';
import { type Request, Router } from 'express';
import { assertCurrent } from '../../application/change-node.js';
import { placementOf, writeInstance } from '../../application/server-placement.js';
import { changeServer, findServer, insertServer, removeServer } from '../../application/servers.js';
import { isVisible } from '../../domain/visibility.js';
import { type StoredServer } from '../../ports/stores.js';
import { byReader } from '../by-reader.js';
import { pathPart, queryOf } from '../internal-query.js';
import { SERVER_FILTER_FIELDS, SERVER_PARAMETERS, serverQueryOf } from '../server-query.js';
import { type InternalDependencies } from './internal-nodes.js';

const Revision = Type.Integer({ minimum: 0 });
const ChangeBody = Type.Object(
  { expected_revision: Revision, set: ServerChange },
  { additionalProperties: false },
);
const RemovalBody = Type.Object({ expected_revision: Revision }, { additionalProperties: false });
const InstanceBody = Type.Object(
  { instance_info: Type.Record(Type.String({ minLength: 1, maxLength: 255 }), Type.Unknown()) },
  { additionalProperties: false },
);

/** Internal routes about servers, for the compute service (docs/contracts/inventory.md). */
export const internalServerRouters = (deps: InternalDependencies): readonly Router[] => [
  listRouter(deps),
  itemRouter(deps),
  placementRouter(deps),
];

function listRouter({ stores }: InternalDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.get('/internal/servers', onlyFrom('compute'), byReader, async (request, response) => {
    const query = queryOf(request, SERVER_PARAMETERS);
    const { filter } = contextOf(request).obligations;
    const { marker: ident } = query;
    const marker = ident === undefined ? undefined : await findServer(stores, ident);
    // A marker that the caller may not see is as missing as one that does not exist.
    if (marker !== undefined && !isVisible(marker, filter, SERVER_FILTER_FIELDS))
      throw NotFoundError.of('Server', ident ?? '');
    const { rows, more } = await stores.servers.page(serverQueryOf(query, filter, marker));
    response.json({ servers: rows, more });
  });
  router.post('/internal/servers', onlyFrom('compute'), async (request, response) => {
    const fields = parse(NewServer, request.body, 'server');
    response.status(201).json(await insertServer(stores, fields));
  });
  return router;
}

function itemRouter(deps: InternalDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.get('/internal/servers/:uuid', onlyFrom('compute'), async (request, response) => {
    response.json(await named(deps, request));
  });
  router.patch('/internal/servers/:uuid', onlyFrom('compute'), async (request, response) => {
    const { expected_revision, set } = parse(ChangeBody, request.body, 'server');
    const before = await named(deps, request);
    response.json(await changeServer(deps.stores, before, expected_revision, set));
  });
  router.post('/internal/servers/:uuid/removal', onlyFrom('compute'), async (request, response) => {
    const { expected_revision } = parse(RemovalBody, request.body, 'removal');
    await removeServer(deps.stores, await named(deps, request), expected_revision);
    response.status(204).end();
  });
  return router;
}

function placementRouter(deps: InternalDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.get(
    '/internal/servers/:uuid/placement',
    onlyFrom('compute'),
    async (request, response) => {
      response.json(await placementOf(deps, await named(deps, request)));
    },
  );
  router.put('/internal/servers/:uuid/instance', onlyFrom('compute'), async (request, response) => {
    const { instance_info } = parse(InstanceBody, request.body, 'instance');
    await writeInstance(deps, await named(deps, request), instance_info);
    response.status(204).end();
  });
  return router;
}

/** The server of the path: as in the context's decision, or else 412. */
async function named({ stores }: InternalDependencies, request: Request): Promise<StoredServer> {
  const server = await findServer(stores, pathPart(request, 'uuid'));
  assertCurrent(server, contextOf(request));
  return server;
}
