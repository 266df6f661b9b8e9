import { BadRequestError, limitIn, NotFoundError } from '@tenure/contracts';
import { onlyFrom } from '@tenure/http';
import { type Request, Router } from 'express';
import { type Standing, standingOf } from '../../application/claims.js';
import { lastProjectOf, listClaims, releaseClaim } from '../../application/list-claims.js';
import {
  CLAIM_KINDS,
  type ClaimKind,
  type OutsideThing,
  outsideThing,
} from '../../domain/outside-things.js';
import { byReader } from '../by-reader.js';
import { pathPart, queryOf } from '../internal-query.js';
import { flag } from '../query-flag.js';
import { type InternalDependencies } from './internal-nodes.js';

/** Whose the things of other services are (docs/claims.md): asked by conductors, kept in order by the operator's tool. */
export function internalClaimRouter({ stores }: InternalDependencies): Router {
  const router = Router({ caseSensitive: true });
  const path = '/internal/claims/:kind/:id';
  router.get(path, onlyFrom('conductor', 'cli'), async (request, response) => {
    const thing = thingAt(request);
    response.json(viewOf(thing, await standingOf({ stores }, thing)));
  });
  router.get('/internal/claims', onlyFrom('cli'), byReader, async (request, response) => {
    const { kind, project, unused, marker, limit } = queryOf(request, [
      'kind',
      'project',
      'unused',
      'marker',
      'limit',
    ]);
    const page = await listClaims(
      { stores },
      {
        kind: kind === undefined ? undefined : kindIn(kind),
        project,
        unused: unused !== undefined && flag('unused', unused),
        marker,
        limit: limitIn(limit),
      },
    );
    response.json({
      claims: page.claims.map(({ thing, standing }) => viewOf(thing, standing)),
      next: page.next,
    });
  });
  router.delete(path, onlyFrom('cli'), async (request, response) => {
    const { force } = queryOf(request, ['force']);
    await releaseClaim({ stores }, thingAt(request), force !== undefined && flag('force', force));
    response.status(204).end();
  });
  return router;
}

/** Also an id that nobody could give today: an older release may have written it down. */
function thingAt(request: Request): OutsideThing {
  const id = pathPart(request, 'id');
  if (id.length > 255) throw new BadRequestError('The id is longer than 255 characters.');
  return outsideThing(kindIn(pathPart(request, 'kind')), id);
}

/** Of what nothing uses, the project is the last one that did: the thing is free. */
const viewOf = (thing: OutsideThing, standing: Standing) => ({
  ...thing,
  project_id: lastProjectOf(standing),
  in_use: standing.holders.length > 0,
  used_by: standing.holders.map(({ section, record }) => ({
    section,
    uuid: record.uuid,
    node_uuid: record.node_uuid ?? null,
  })),
});

function kindIn(text: string): ClaimKind {
  const kind = CLAIM_KINDS.find((one) => one === text);
  if (kind === undefined) throw NotFoundError.of('Kind of claim', text.slice(0, 64));
  return kind;
}
