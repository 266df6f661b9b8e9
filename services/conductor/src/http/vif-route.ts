import { type Static } from '@sinclair/typebox';
import {
  api,
  BadRequestError,
  canonicalOutsideId,
  CHANGE,
  minorOf,
  NotAcceptableError,
  parse,
} from '@tenure/contracts';
import { Router } from 'express';
import { type VifWork } from '../application/vif-work.js';
import { type PortId } from '../domain/vifs.js';
import { nodeRequestOf } from './request-node.js';

/** `GET`, `POST /v1/nodes/{ident}/vifs` and `DELETE …/vifs/{vif}`. */
export function vifRouter(vifs: VifWork): Router {
  const router = Router({ caseSensitive: true });
  router.get('/v1/nodes/:ident/vifs', async (request, response) => {
    const { context, uuid } = nodeRequestOf(request);
    const attached = await vifs.list(context, uuid);
    response.json({ vifs: attached.map((id) => ({ id })) });
  });
  router.post('/v1/nodes/:ident/vifs', async (request, response) => {
    const { claims, context, uuid } = nodeRequestOf(request);
    const body = parse(api.VERB.vif, request.body, 'vif');
    const requested = { vif: canonicalOutsideId(body.id), chosen: chosenIn(body, minorOf(claims)) };
    await vifs.attach(context, uuid, requested);
    response.status(204).end();
  });
  router.delete('/v1/nodes/:ident/vifs/:vif', async (request, response) => {
    const { context, uuid } = nodeRequestOf(request);
    const vif = canonicalOutsideId(parse(api.VifId, request.params.vif, 'vif'));
    await vifs.detach(context, uuid, vif);
    response.status(204).end();
  });
  return router;
}

function chosenIn(
  { port_uuid: port = null, portgroup_uuid: group = null }: Static<typeof api.VERB.vif>,
  minor: number,
): PortId | undefined {
  if (port === null && group === null) return undefined;
  if (minor < CHANGE.vifPlaces.minor) throw new NotAcceptableError();
  if (port !== null && group !== null)
    throw new BadRequestError('Only one of port_uuid and portgroup_uuid can be given.');
  return port === null
    ? { kind: 'portgroups', uuid: (group ?? '').toLowerCase() }
    : { kind: 'ports', uuid: port.toLowerCase() };
}
