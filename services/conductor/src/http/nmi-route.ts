import { api, parse } from '@tenure/contracts';
import { Router } from 'express';
import { capabilityOf } from '../application/capability.js';
import { changeNode, type NodeRouteOptions } from './asked-node.js';
import { optionalBody } from './request-node.js';

/** `PUT /v1/nodes/{ident}/management/inject_nmi`. Nothing can be read back of an NMI: it is what the hardware answers. */
export const nmiRouter = (options: NodeRouteOptions): Router => {
  const router = Router({ caseSensitive: true });
  router.put('/v1/nodes/:ident/management/inject_nmi', async (request, response) => {
    parse(api.VERB.nothing, optionalBody(request), 'inject_nmi');
    await changeNode(options, request, async (driver, node, deadline) => {
      await capabilityOf(driver, node, 'nmi', 'inject_nmi').inject(node, deadline);
      return { set: {} };
    });
    response.status(204).end();
  });
  return router;
};
