import { onlyFrom } from '@tenure/http';
import { Router } from 'express';

const NODE = '/v1/nodes/:ident';

/** The routes that compute may call besides the gateway: only those that running a server needs. */
const FOR_COMPUTE: readonly (readonly [method: 'put' | 'post' | 'delete', path: string])[] = [
  ['put', `${NODE}/states/provision`],
  ['put', `${NODE}/states/power`],
  ['put', `${NODE}/management/inject_nmi`],
  ['post', `${NODE}/vifs`],
  ['delete', `${NODE}/vifs/:vif`],
];

/** Checks the caller before anything else: the gateway may call every route, other parts only those that are listed here. */
export function callerAllowList(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [method, path] of FOR_COMPUTE)
    router[method](path, onlyFrom('gateway', 'compute'), (_request, _response, next) => {
      // Skips the rule for all other routes.
      next('router');
    });
  router.use(onlyFrom('gateway'));
  return router;
}
