import { Type } from '@sinclair/typebox';
import { parse, PolicyFilter } from '@tenure/contracts';
import { onlyFrom } from '@tenure/http';
import { Router } from 'express';
import { flavorsOf } from '../../application/flavors.js';
import { type Stores } from '../../ports/stores.js';
import { byReader } from '../by-reader.js';

const FlavorsBody = Type.Object(
  {
    filter: PolicyFilter,
    resource_class: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
  },
  { additionalProperties: false },
);

/** `POST /internal/flavors`: the flavors of the nodes of a filter. */
export function internalFlavorRouter({ stores }: { readonly stores: Stores }): Router {
  const router = Router({ caseSensitive: true });
  router.post('/internal/flavors', onlyFrom('compute'), byReader, async (request, response) => {
    const { filter, resource_class: only } = parse(FlavorsBody, request.body, 'flavors');
    response.json({ flavors: await flavorsOf(stores, filter, only) });
  });
  return router;
}
