import {
  BadRequestError,
  type ContextClaims,
  NotFoundError,
  type PolicyFilter,
} from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { callContextOf } from '@tenure/signed-context';
import { type Request, Router } from 'express';
import { flavorReference, flavorView } from '../domain/flavor-view.js';
import { extraSpecsOf, type FlavorFacts, type WantedFlavor } from '../domain/flavor.js';
import { limitIn } from '../domain/list-query.js';
import { type ViewOptions } from '../domain/server-view.js';
import { type RouteDeps } from './change-server.js';
import { findFlavor, type FoundFlavor } from './named-by-caller.js';
import { nextLink, textIn, viewOptionsOf } from './request-parts.js';

type Deps = Pick<RouteDeps, 'flavors'>;

/** `/v2.1/flavors`: the kinds of machine that the caller sees. */
export function flavorRouter(deps: Deps): Router {
  const router = Router({ caseSensitive: true });
  const brief = listRoute(deps, '/v2.1/flavors', (facts, options) =>
    flavorReference(facts.resource_class, options),
  );
  const whole = listRoute(deps, '/v2.1/flavors/detail', (facts, options) =>
    flavorView(wholeOf(facts), facts, options),
  );
  router.get('/v2.1/flavors', async (request, response) => {
    response.json(await brief(request));
  });
  router.get('/v2.1/flavors/detail', async (request, response) => {
    response.json(await whole(request));
  });
  router.get('/v2.1/flavors/:id', async (request, response) => {
    const { wanted, facts } = await named(deps, request);
    response.json({ flavor: flavorView(wanted, facts, viewOptionsOf(contextOf(request))) });
  });
  router.get('/v2.1/flavors/:id/os-extra_specs', async (request, response) => {
    const { wanted } = await named(deps, request);
    response.json({ extra_specs: extraSpecsOf(wanted) });
  });
  return router;
}

const listRoute =
  (deps: Deps, path: string, show: (facts: FlavorFacts, options: ViewOptions) => unknown) =>
  async (request: Request): Promise<unknown> => {
    const claims = contextOf(request);
    const limit = limitIn(textIn(request, 'limit'));
    const all = await listed(deps, request);
    const rest = all.slice(startOf(all, textIn(request, 'marker')));
    const page = rest.slice(0, limit);
    const last = page.at(-1);
    return {
      flavors: page.map((facts) => show(facts, viewOptionsOf(claims))),
      ...(rest.length > limit && {
        flavors_links: nextLink(claims, path, {
          limit: String(limit),
          ...(last !== undefined && { marker: last.resource_class }),
        }),
      }),
    };
  };

const wholeOf = ({ resource_class }: FlavorFacts): WantedFlavor => ({
  id: resource_class,
  resource_class,
  traits: [],
});

/** @throws NotFoundError also for a class of nodes that the caller does not see */
async function named(deps: Deps, request: Request): Promise<FoundFlavor> {
  const claims = contextOf(request);
  const id = String(request.params['id']);
  const found = await findFlavor(deps, claims, seenNodes(claims), id);
  if (found === undefined)
    throw NotFoundError.part(`Flavor ${id.slice(0, 255)} could not be found.`);
  return found;
}

async function listed({ flavors }: Deps, request: Request): Promise<readonly FlavorFacts[]> {
  const claims = contextOf(request);
  const [ram, disk] = [atLeast(request, 'minRam'), atLeast(request, 'minDisk')];
  const all = await flavors.list(seenNodes(claims), undefined, callContextOf(claims));
  return all.filter((flavor) => flavor.ram >= ram && flavor.disk >= disk);
}

function startOf(facts: readonly FlavorFacts[], marker: string | undefined): number {
  if (marker === undefined) return 0;
  const index = facts.findIndex(({ resource_class }) => resource_class === marker);
  if (index < 0) throw new BadRequestError(`marker [${marker.slice(0, 255)}] not found`);
  return index + 1;
}

function atLeast(request: Request, name: string): number {
  const value = textIn(request, name) ?? '0';
  if (!/^[0-9]{1,9}$/u.test(value)) throw new BadRequestError(`Invalid ${name} filter`);
  return Number(value);
}

/** Flavors are those of the nodes that the policy lets the caller see; what else its filter speaks of are no nodes. */
const seenNodes = ({ obligations: { filter } }: ContextClaims): PolicyFilter => ({
  mode: filter.mode,
  predicates: filter.predicates.filter(({ field }) => field === 'owner' || field === 'lessee'),
});
