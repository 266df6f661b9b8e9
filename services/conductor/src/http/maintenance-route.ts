import { api, type ContextClaims, parse } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { callContextOf } from '@tenure/signed-context';
import { Router } from 'express';
import { type NodeLocks } from '../application/node-locks.js';
import { accepted } from './accepted.js';
import { optionalBody, nodeUuidOf } from './request-node.js';

/** `PUT` and `DELETE /v1/nodes/{ident}/maintenance`: written with the lock, which is let go at once. */
export const maintenanceRouter = (locks: NodeLocks): Router => {
  const router = Router({ caseSensitive: true });
  const write = async (
    claims: ContextClaims,
    set: Readonly<Record<string, unknown>>,
  ): Promise<void> => {
    const lock = await locks.take(callContextOf(claims), nodeUuidOf(claims), set);
    // The change was written with the lock; a release that has to wait goes on in the background.
    await lock.release({}).catch(() => undefined);
  };
  router.put('/v1/nodes/:ident/maintenance', async (request, response) => {
    const claims = contextOf(request);
    const { reason = null } = parse(api.VERB.maintenance, optionalBody(request), 'maintenance');
    await write(claims, { maintenance: true, maintenance_reason: reason });
    accepted(response);
  });
  router.delete('/v1/nodes/:ident/maintenance', async (request, response) => {
    await write(contextOf(request), { maintenance: false, maintenance_reason: null, fault: null });
    accepted(response);
  });
  return router;
};
