import { parse } from '@tenure/contracts';
import { onlyFrom } from '@tenure/http';
import { Router } from 'express';
import { completeHandover } from '../../application/handovers/complete-handover.js';
import { findHandover } from '../../application/handovers/find-handover.js';
import { reportHandover } from '../../application/handovers/report-handover.js';
import { HandoverReportBody, NoMembersBody } from '../bodies.js';
import { pathPart } from '../internal-query.js';
import { type InternalDependencies } from './internal-nodes.js';

/** Internal routes about handovers (docs/contracts/inventory.md). */
export function internalHandoverRouter(deps: InternalDependencies): Router {
  const router = Router({ caseSensitive: true });
  const path = '/internal/handovers/:uuid';
  router.get(path, onlyFrom('conductor'), async (request, response) => {
    response.json(await findHandover(deps, pathPart(request, 'uuid')));
  });
  router.post(`${path}/report`, onlyFrom('conductor'), async (request, response) => {
    const report = parse(HandoverReportBody, request.body, 'handover');
    response.json(await reportHandover(deps, pathPart(request, 'uuid'), report));
  });
  router.post(`${path}/complete`, onlyFrom('conductor'), async (request, response) => {
    parse(NoMembersBody, request.body, 'handover');
    const record = await findHandover(deps, pathPart(request, 'uuid'));
    response.json(await completeHandover(deps, record));
  });
  return router;
}
