import { api, AppError, NotFoundError, parse } from '@tenure/contracts';
import { Router } from 'express';
import { capabilityOf } from '../application/capability.js';
import { finishUnderLock } from '../application/under-lock.js';
import { toRouteError } from '../domain/driver-failure.js';
import { type NodeRouteOptions } from './node-hardware.js';
import { nodeRequestOf } from './request-node.js';

/** RAID is an interface that not every driver has: Ironic answers 404 where it is missing. */
export function toRaidError(error: unknown): unknown {
  const routeError = toRouteError(error);
  return routeError instanceof AppError && routeError.code === 'driver_unsupported'
    ? NotFoundError.part(routeError.message)
    : routeError;
}

/** `PUT /v1/nodes/{ident}/states/raid`: what the disks are to be made into by the next cleaning; `{}` for nothing. */
export function raidRouter({ inventory, locks, driverOf }: NodeRouteOptions): Router {
  const router = Router({ caseSensitive: true });
  router.put('/v1/nodes/:ident/states/raid', async (request, response) => {
    const { context, uuid } = nodeRequestOf(request);
    const config = parse(api.VERB.raid, request.body, 'target_raid_config');
    const node = await inventory.getNode(context, uuid);
    try {
      capabilityOf(driverOf(node), node, 'raid', 'raid');
    } catch (error) {
      throw toRaidError(error);
    }
    const lock = await locks.take(context, node.uuid);
    await finishUnderLock(lock, () => Promise.resolve({ set: { target_raid_config: config } }));
    response.status(204).end();
  });
  return router;
}
