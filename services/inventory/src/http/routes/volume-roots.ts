import { minorOf } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { type Request, Router } from 'express';
import { type ResourceDependencies } from '../../application/resources/write-resources.js';
import { textParameters } from '../list-query.js';
import { findNamed } from '../named-node.js';
import { linksOf } from '../views/links.js';

/** `/v1/volume` and `/v1/nodes/{id}/volume`: the ways to connectors and targets, since 1.32. */
export function volumeRootRouter({ stores }: ResourceDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.get('/v1/volume', (request, response) => {
    response.json(rootView(baseOf(request), 'volume'));
  });
  router.get('/v1/nodes/:ident/volume', async (request, response) => {
    const base = baseOf(request);
    const { uuid } = await findNamed(stores, request);
    response.json(rootView(base, `nodes/${uuid}/volume`));
  });
  return router;
}

const rootView = (base: string, path: string): Readonly<Record<string, unknown>> => ({
  links: linksOf(base, `${path}/`),
  connectors: linksOf(base, `${path}/connectors`),
  targets: linksOf(base, `${path}/targets`),
});

function baseOf(request: Request): string {
  const context = contextOf(request);
  textParameters(request.query, {}, minorOf(context));
  return context.public_base;
}
