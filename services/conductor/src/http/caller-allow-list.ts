import { onlyFrom } from '@tenure/http';
import { Router } from 'express';

const NODE = '/v1/nodes/:ident';

/** What running a server needs of a conductor, and no more: the one who may ask for it besides the gateway is compute. */
const FOR_COMPUTE: readonly (readonly [method: 'put' | 'post' | 'delete', path: string])[] = [
  ['put', `${NODE}/states/provision`],
  ['put', `${NODE}/states/power`],
  ['put', `${NODE}/management/inject_nmi`],
  ['post', `${NODE}/vifs`],
  ['delete', `${NODE}/vifs/:vif`],
];

/** Who may ask for what, before anything else is looked at: the gateway for everything, other parts for what is named here. */
export function callerAllowList(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [method, path] of FOR_COMPUTE)
    router[method](path, onlyFrom('gateway', 'compute'), (_request, _response, next) => {
      // Past the door of everything else.
      next('router');
    });
  router.use(onlyFrom('gateway'));
  return router;
}
