import { type Static, type TSchema, Type } from '@sinclair/typebox';
import {
  BadRequestError,
  canonicalOutsideId,
  minorOf,
  NotAcceptableError,
  parse,
} from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { Router } from 'express';
import { type PortId } from '../domain/vifs.js';
import { behalfOf } from '../work/behalf.js';
import { type VifWork } from '../work/vif-work.js';
import { nodeUuidOf } from './request-node.js';

const VifId = Type.String({ pattern: '^[A-Za-z0-9._~-]{1,255}$' });
const Uuid = Type.String({
  pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
});
const OrNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const VifBody = Type.Object(
  { id: VifId, port_uuid: OrNull(Uuid), portgroup_uuid: OrNull(Uuid) },
  // As Ironic: what a network service may want to know besides is taken, and not used.
  { additionalProperties: true, maxProperties: 64 },
);

const PLACES_SINCE = 67;

const chosenIn = (
  { port_uuid: port = null, portgroup_uuid: group = null }: Static<typeof VifBody>,
  minor: number,
): PortId | undefined => {
  if (port === null && group === null) return undefined;
  if (minor < PLACES_SINCE) throw new NotAcceptableError();
  if (port !== null && group !== null)
    throw new BadRequestError('Only one of port_uuid and portgroup_uuid can be given.');
  return port === null
    ? { kind: 'portgroups', uuid: (group ?? '').toLowerCase() }
    : { kind: 'ports', uuid: port.toLowerCase() };
};

/** `GET`, `POST /v1/nodes/{ident}/vifs` and `DELETE …/vifs/{vif}`. */
export const vifRouter = (vifs: VifWork): Router => {
  const router = Router({ caseSensitive: true });
  router.get('/v1/nodes/:ident/vifs', async (request, response) => {
    const claims = contextOf(request);
    const attached = await vifs.list(behalfOf(claims), nodeUuidOf(claims));
    response.json({ vifs: attached.map((id) => ({ id })) });
  });
  router.post('/v1/nodes/:ident/vifs', async (request, response) => {
    const claims = contextOf(request);
    const body = parse(VifBody, request.body, 'vif');
    const asked = { vif: canonicalOutsideId(body.id), chosen: chosenIn(body, minorOf(claims)) };
    await vifs.attach(behalfOf(claims), nodeUuidOf(claims), asked);
    response.status(204).end();
  });
  router.delete('/v1/nodes/:ident/vifs/:vif', async (request, response) => {
    const claims = contextOf(request);
    const vif = canonicalOutsideId(parse(VifId, request.params.vif, 'vif'));
    await vifs.detach(behalfOf(claims), nodeUuidOf(claims), vif);
    response.status(204).end();
  });
  return router;
};
