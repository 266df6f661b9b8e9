import { api, CHANGE, minorOf, NotAcceptableError, parse } from '@tenure/contracts';
import { Router } from 'express';
import { type PowerWork } from '../application/power-work.js';
import { needsSoftPower } from '../domain/power.js';
import { accepted } from './accepted.js';
import { nodeRequestOf, nodeUrlOf } from './request-node.js';

/** `PUT /v1/nodes/{ident}/states/power`: 202 once the order is persisted together with the lock. */
export function powerRouter(power: PowerWork): Router {
  const router = Router({ caseSensitive: true });
  router.put('/v1/nodes/:ident/states/power', async (request, response) => {
    const about = nodeRequestOf(request);
    const { target, timeout = null } = parse(api.VERB.power, request.body, 'power');
    const powerRequest = { target, timeoutSeconds: timeout };
    if (needsSoftPower(powerRequest) && minorOf(about.claims) < CHANGE.softPower.minor)
      throw new NotAcceptableError();
    await power.accept(about.context, about, powerRequest);
    accepted(response, `${nodeUrlOf(about)}/states`);
  });
  return router;
}
