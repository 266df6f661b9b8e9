import { api, parse } from '@tenure/contracts';
import { type Request, Router } from 'express';
import { type NodeLocks } from '../application/node-locks.js';
import { releaseQuietly } from '../application/under-lock.js';
import { accepted } from './accepted.js';
import { nodeRequestOf, optionalBody } from './request-node.js';

/** `PUT` and `DELETE /v1/nodes/{ident}/maintenance`: written with the lock, which is released at once. */
export function maintenanceRouter(locks: NodeLocks): Router {
  const router = Router({ caseSensitive: true });
  const write = async (request: Request, set: Readonly<Record<string, unknown>>): Promise<void> => {
    const { context, uuid } = nodeRequestOf(request);
    const lock = await locks.take(context, uuid, set);
    await releaseQuietly(lock);
  };
  router.put('/v1/nodes/:ident/maintenance', async (request, response) => {
    const { reason = null } = parse(api.VERB.maintenance, optionalBody(request), 'maintenance');
    await write(request, { maintenance: true, maintenance_reason: reason });
    accepted(response);
  });
  router.delete('/v1/nodes/:ident/maintenance', async (request, response) => {
    await write(request, { maintenance: false, maintenance_reason: null, fault: null });
    accepted(response);
  });
  return router;
}
