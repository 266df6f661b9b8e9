import { type ContextClaims, minorOf } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { type Request, Router } from 'express';
import { readUpdateRequest } from '../domain/change-requests.js';
import { type RawQuery } from '../domain/list-query.js';
import { serverDetail, serverReference, serverView } from '../domain/server-view.js';
import { changeServer, namedServer, type RouteDeps, requestTask } from './change-server.js';
import { createServer } from './create-server.js';
import { filterHeader } from './filter-header.js';
import { listServers } from './list-servers.js';
import { viewOptionsOf } from './request-parts.js';

const LISTS = { '/v2.1/servers': serverReference, '/v2.1/servers/detail': serverDetail } as const;

/** Requests the deletion of a server, also while it has another task. */
export async function deleteServer(deps: RouteDeps, claims: ContextClaims): Promise<void> {
  await requestTask(deps, claims, ({ task }) =>
    task?.kind === 'delete' ? undefined : { kind: 'delete', taskState: 'deleting' },
  );
}

/** `/v2.1/servers`: the gateway has decided; here the decision is carried out. */
export function serverRouter(deps: RouteDeps): Router {
  const router = Router({ caseSensitive: true });
  router.post('/v2.1/servers', async (request, response) => {
    const { location, answer } = await createServer(deps, contextOf(request), request.body);
    response.status(202).set('Location', location).json(answer);
  });
  router.use(listRouter(deps));
  router.use(itemRouter(deps));
  return router;
}

function listRouter({ servers }: RouteDeps): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, show] of Object.entries(LISTS))
    router.get(path, async (request, response) => {
      const claims = contextOf(request);
      const body = await listServers(servers, claims, { path, raw: rawQuery(request), show });
      response.set('X-Tenure-Policy-Filter', filterHeader(claims, rawQuery(request))).json(body);
    });
  return router;
}

function itemRouter(deps: RouteDeps): Router {
  const router = Router({ caseSensitive: true });
  router.get('/v2.1/servers/:id', async (request, response) => {
    const claims = contextOf(request);
    response.json({ server: serverView(await namedServer(deps, claims), viewOptionsOf(claims)) });
  });
  router.put('/v2.1/servers/:id', async (request, response) => {
    const claims = contextOf(request);
    const set = readUpdateRequest(request.body, minorOf(claims));
    const server = await changeServer(deps, claims, () => set);
    response.json({ server: serverView(server, viewOptionsOf(claims)) });
  });
  router.delete('/v2.1/servers/:id', async (request, response) => {
    await deleteServer(deps, contextOf(request));
    response.status(204).end();
  });
  return router;
}

const rawQuery = (request: Request): RawQuery => request.query; // express parses into such a record
