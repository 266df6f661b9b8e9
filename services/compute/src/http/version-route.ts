import {
  formatMicroversion,
  NOVA_MAX_MICROVERSION,
  NOVA_MIN_MICROVERSION,
} from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { Router } from 'express';

/** `GET /v2.1`: what clients discover the API by. */
export function versionRouter(): Router {
  const router = Router({ caseSensitive: true });
  router.get('/v2.1', (request, response) => {
    const { public_base: base } = contextOf(request);
    response.json({
      version: {
        id: 'v2.1',
        status: 'CURRENT',
        version: formatMicroversion(NOVA_MAX_MICROVERSION),
        min_version: formatMicroversion(NOVA_MIN_MICROVERSION),
        updated: '2013-07-23T11:33:21Z',
        links: [{ rel: 'self', href: `${base}/v2.1/` }],
        'media-types': [
          {
            base: 'application/json',
            type: 'application/vnd.openstack.compute+json;version=2.1',
          },
        ],
      },
    });
  });
  return router;
}
