import { parse } from '@tenure/contracts';
import { onlyFrom } from '@tenure/http';
import { Router } from 'express';
import { beginDueLeases } from '../../application/leases/begin-lease.js';
import { reportEnd } from '../../application/leases/end-lease.js';
import { findLease } from '../../application/leases/find-lease.js';
import { LeaseEndBody, LeaseStartBody } from '../bodies.js';
import { pathPart } from '../internal-query.js';
import { type InternalDependencies } from './internal-nodes.js';

/** Internal routes about leases (docs/contracts/inventory.md). */
export function internalLeaseRouter(deps: InternalDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.post('/internal/leases/begin', onlyFrom('conductor'), async (request, response) => {
    const { hostname } = parse(LeaseStartBody, request.body, 'lease');
    response.json({ begun: await beginDueLeases(deps, { conductor: hostname, user: null }) });
  });
  router.get('/internal/leases/:uuid', onlyFrom('conductor'), async (request, response) => {
    response.json(await findLease(deps.stores, pathPart(request, 'uuid')));
  });
  router.post('/internal/leases/:uuid/end', onlyFrom('conductor'), async (request, response) => {
    const { hostname, ...report } = parse(LeaseEndBody, request.body, 'lease');
    const cause = { conductor: hostname, user: null };
    response.json(await reportEnd(deps, pathPart(request, 'uuid'), report, cause));
  });
  return router;
}
