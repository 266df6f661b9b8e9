import { BadRequestError, parse } from '@tenure/contracts';
import { onlyFrom } from '@tenure/http';
import { type Request, Router } from 'express';
import {
  conductorsAt,
  deregisterConductor,
  forgetConductors,
  reportConductor,
} from '../../application/conductors.js';
import { DEFAULT_TIMEOUT_SECONDS } from '../../domain/conductors.js';
import { HeartbeatBody } from '../bodies.js';
import { pathPart } from '../internal-query.js';
import { type InternalDependencies } from './internal-nodes.js';

export interface InternalConductorDependencies extends InternalDependencies {
  /** Milliseconds without heartbeat after which the record of a conductor is removed. */
  readonly keepConductorsMs: number;
}

/** Routes by which conductors register, deregister and find their peers (docs/contracts/inventory.md). */
export function internalConductorRouter(deps: InternalConductorDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.get('/internal/conductors', onlyFrom('conductor'), async (_request, response) => {
    const live = await conductorsAt(deps.stores, await deps.stores.clock());
    response.json({
      conductors: live.map(({ hostname, drivers, conductor_group, advertised_url }) => ({
        hostname,
        drivers,
        conductor_group,
        ...(advertised_url !== undefined && { advertised_url }),
      })),
    });
  });
  router.put('/internal/conductors/:hostname', onlyFrom('conductor'), async (request, response) => {
    const {
      drivers,
      conductor_group = '',
      timeout_seconds = DEFAULT_TIMEOUT_SECONDS,
      interfaces = {},
      advertised_url,
    } = parse(HeartbeatBody, request.body, 'conductor');
    const address = advertised_url === undefined ? {} : { advertised_url };
    const hostname = hostnameIn(request);
    const report = { hostname, drivers, conductor_group, timeout_seconds, interfaces, ...address };
    await reportConductor(deps, report);
    await forgetConductors(deps, deps.keepConductorsMs);
    response.status(204).end();
  });
  router.delete(
    '/internal/conductors/:hostname',
    onlyFrom('conductor'),
    async (request, response) => {
      await deregisterConductor(deps, hostnameIn(request));
      response.status(204).end();
    },
  );
  return router;
}

function hostnameIn(request: Request): string {
  const hostname = pathPart(request, 'hostname');
  if (hostname.length > 255)
    throw new BadRequestError('The hostname is longer than 255 characters.');
  return hostname;
}
