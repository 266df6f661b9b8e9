import { api, BadRequestError, parse } from '@tenure/contracts';
import { type Request, Router } from 'express';
import { capabilityOf } from '../application/capability.js';
import { withInternal } from '../application/under-lock.js';
import { checkedImage, devicesIn } from '../domain/virtual-media.js';
import { askNode, changeNode, type NodeRouteOptions } from './asked-node.js';
import { optionalBody } from './request-node.js';

/** Which drives, in the body (openstacksdk) or in the query; undefined is all of them. */
const typesIn = (request: Request): string | undefined => {
  const body = parse(api.VERB.virtualDrives, optionalBody(request), 'vmedia');
  const types: unknown = body.device_types ?? request.query['device_types'];
  if (types === undefined || typeof types === 'string') return types;
  if (body.device_types !== undefined) return [body.device_types].flat().join(',');
  throw new BadRequestError('device_types must be given once, as a list separated by commas.');
};

/** `GET`, `POST`, `DELETE /v1/nodes/{ident}/vmedia`: attached and detached, and read back, before they are answered. */
export const vmediaRouter = (options: NodeRouteOptions): Router => {
  const router = Router({ caseSensitive: true });
  router.get('/v1/nodes/:ident/vmedia', async (request, response) => {
    response.json(
      await askNode(options, request, (driver, node, deadline) =>
        capabilityOf(driver, node, 'virtualMedia', 'get_virtual_media').list(node, deadline),
      ),
    );
  });
  router.post('/v1/nodes/:ident/vmedia', async (request, response) => {
    const { device_type: device, image_url: url } = parse(
      api.VERB.virtualMedia,
      request.body,
      'vmedia',
    );
    const image = checkedImage(url);
    await changeNode(options, request, async (driver, node, deadline) => {
      const media = capabilityOf(driver, node, 'virtualMedia', 'attach_virtual_media');
      return { set: withInternal(node, await media.attach(node, { device, image }, deadline)) };
    });
    response.status(204).end();
  });
  router.delete('/v1/nodes/:ident/vmedia', async (request, response) => {
    const devices = devicesIn(typesIn(request));
    await changeNode(options, request, async (driver, node, deadline) => {
      const media = capabilityOf(driver, node, 'virtualMedia', 'detach_virtual_media');
      return { set: withInternal(node, await media.detach(node, devices, deadline)) };
    });
    response.status(204).end();
  });
  return router;
};
