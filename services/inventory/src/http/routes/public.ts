import { minorOf } from '@tenure/contracts';
import { contextOf, onlyFrom } from '@tenure/http';
import { Router } from 'express';
import { type ResourceDependencies } from '../../application/resources/write-resources.js';
import { type WriteDependencies } from '../../application/write-nodes.js';
import { resourceRouters } from '../resources/resource-routes.js';
import { rootView, v1View } from '../views/version-view.js';
import { chassisNodesRouter } from './chassis-nodes.js';
import { fleetRouters } from './fleet.js';
import { handoverRouter } from './handovers.js';
import { leaseRouter } from './leases.js';
import { historyRouter } from './node-history.js';
import { nodePartRouters } from './node-parts.js';
import { traitRouter } from './node-traits.js';
import { nodeRouters } from './nodes.js';
import { volumeRootRouter } from './volume-roots.js';

/** Everything that the gateway forwards. No other part may speak for a user. */
export function publicRouters(deps: ResourceDependencies & WriteDependencies): readonly Router[] {
  const guard = Router({ caseSensitive: true });
  guard.use((request, response, next) => {
    if (request.path.startsWith('/internal/')) next();
    else onlyFrom('gateway')(request, response, next);
  });
  return [
    guard,
    versionRouter(),
    ...nodeRouters(deps),
    leaseRouter(deps),
    handoverRouter(deps.stores),
    traitRouter(deps),
    historyRouter(deps.stores),
    ...nodePartRouters(deps.stores),
    ...fleetRouters(deps),
    volumeRootRouter(deps),
    chassisNodesRouter(deps),
    ...resourceRouters(deps),
  ];
}

function versionRouter(): Router {
  const router = Router({ caseSensitive: true });
  router.get('/', (request, response) => {
    response.json(rootView(contextOf(request).public_base));
  });
  router.get('/v1', (request, response) => {
    const context = contextOf(request);
    response.json(v1View(context.public_base, minorOf(context)));
  });
  return router;
}
