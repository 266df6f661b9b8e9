import { api, type ContextClaims, minorOf, parse } from '@tenure/contracts';
import { Router } from 'express';
import { type ProvisionWork } from '../application/provision-work.js';
import { orderOf, type HashPassword } from '../domain/provision/order.js';
import { accepted } from './accepted.js';
import { nodeRequestOf, nodeUrlOf } from './request-node.js';

/** `PUT /v1/nodes/{ident}/states/provision`: 202 once the order is persisted under the lock. */
export function provisionRouter(provision: ProvisionWork, hashPassword: HashPassword): Router {
  const router = Router({ caseSensitive: true });
  router.put('/v1/nodes/:ident/states/provision', async (request, response) => {
    const about = nodeRequestOf(request);
    const { claims, context, uuid } = about;
    const body = parse(api.VERB.provision, request.body, 'provision');
    const order = {
      ...orderOf(body, minorOf(claims), hashPassword),
      mayWriteLessee: mayWriteLessee(claims),
    };
    await provision.accept(context, uuid, order);
    accepted(response, `${nodeUrlOf(about)}/states`);
  });
  return router;
}

/** Only the gateway's requests carry a decision about their caller; that of a service for itself has no field obligations. */
const mayWriteLessee = ({ iss, decision_id: decision, obligations }: ContextClaims): boolean =>
  iss === 'gateway' && decision !== null && !obligations.fields.read_only.includes('lessee');
