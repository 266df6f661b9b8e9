import { BadRequestError, limitIn, NotFoundError } from '@tenure/contracts';
import { onlyFrom } from '@tenure/http';
import { type Request, Router } from 'express';
import { type ResourceUse, useOf } from '../../application/claims.js';
import { lastProjectOf, listClaims, releaseClaim } from '../../application/list-claims.js';
import {
  CLAIM_KINDS,
  type ClaimKind,
  type ExternalResource,
  externalResource,
} from '../../domain/external-resources.js';
import { byReader } from '../by-reader.js';
import { pathPart, queryOf } from '../internal-query.js';
import { flag } from '../query-flag.js';
import { type InternalDependencies } from './internal-nodes.js';

/** The projects of external resources (docs/claims.md): read by conductors, corrected with the operator's tool. */
export function internalClaimRouter({ stores }: InternalDependencies): Router {
  const router = Router({ caseSensitive: true });
  const path = '/internal/claims/:kind/:id';
  router.get(path, onlyFrom('conductor', 'cli'), async (request, response) => {
    const resource = resourceAt(request);
    response.json(viewOf(resource, await useOf({ stores }, resource)));
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
      claims: page.claims.map(({ resource, use }) => viewOf(resource, use)),
      next: page.next,
    });
  });
  router.delete(path, onlyFrom('cli'), async (request, response) => {
    const { force } = queryOf(request, ['force']);
    await releaseClaim(
      { stores },
      resourceAt(request),
      force !== undefined && flag('force', force),
    );
    response.status(204).end();
  });
  return router;
}

/** Accepts also an id that no request could create today: an older release may have stored it. */
function resourceAt(request: Request): ExternalResource {
  const id = pathPart(request, 'id');
  if (id.length > 255) throw new BadRequestError('The id is longer than 255 characters.');
  return externalResource(kindIn(pathPart(request, 'kind')), id);
}

/** For a free resource, the project is the last one that used it. */
const viewOf = (resource: ExternalResource, use: ResourceUse) => ({
  ...resource,
  project_id: lastProjectOf(use),
  in_use: use.holders.length > 0,
  used_by: use.holders.map(({ section, record }) => ({
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
