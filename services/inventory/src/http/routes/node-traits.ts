import { api, BadRequestError, minorOf, parse } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { type Request, Router } from 'express';
import { changeTraits, type TraitsChange, withoutTrait } from '../../application/node-traits.js';
import { type WriteDependencies } from '../../application/write-nodes.js';
import { assertTrait } from '../../domain/traits.js';
import { pathPart } from '../internal-query.js';
import { textParameters } from '../list-query.js';
import { findNamed, namedUuid } from '../named-node.js';

/** `/v1/nodes/{id}/traits`, since 1.37. */
export function traitRouter(deps: WriteDependencies): Router {
  const router = Router({ caseSensitive: true });
  const change = async (request: Request, traits: TraitsChange['traits']): Promise<string> => {
    const context = contextOf(request);
    const uuid = namedUuid(context);
    await changeTraits(deps, { uuid, ident: pathPart(request, 'ident'), traits }, context);
    return `${context.public_base}/v1/nodes/${uuid}/traits`;
  };
  router.get('/v1/nodes/:ident/traits', async (request, response) => {
    noParameters(request);
    const { traits } = await findNamed(deps.stores, request);
    response.json({ traits });
  });
  router.put('/v1/nodes/:ident/traits', async (request, response) => {
    noParameters(request);
    const traits = traitsIn(request.body);
    await change(request, () => traits);
    response.status(204).end();
  });
  router.put('/v1/nodes/:ident/traits/:trait', async (request, response) => {
    noParameters(request);
    const trait = traitIn(request);
    assertEmpty(request.body);
    const collection = await change(request, (before) => [...before, trait]);
    response.status(204).location(`${collection}/${trait}`).end();
  });
  router.delete('/v1/nodes/:ident/traits', async (request, response) => {
    noParameters(request);
    await change(request, () => []);
    response.status(204).end();
  });
  router.delete('/v1/nodes/:ident/traits/:trait', async (request, response) => {
    noParameters(request);
    const trait = traitIn(request);
    await change(request, withoutTrait(namedUuid(contextOf(request)), trait));
    response.status(204).end();
  });
  return router;
}

function noParameters(request: Request): void {
  textParameters(request.query, {}, minorOf(contextOf(request)));
}

function traitsIn(body: unknown): readonly string[] {
  const { traits } = parse(api.VERB.traits, body, 'traits');
  traits.forEach(assertTrait);
  return traits;
}

function traitIn(request: Request): string {
  const trait = pathPart(request, 'trait');
  assertTrait(trait);
  return trait;
}

/** Some clients send an empty object where others send nothing. */
function assertEmpty(body: unknown): void {
  if (body !== undefined && (typeof body !== 'object' || Object.keys(body ?? {}).length > 0))
    throw new BadRequestError('No body is expected when one trait is set.');
}
