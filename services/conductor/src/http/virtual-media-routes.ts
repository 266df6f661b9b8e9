import { api, BadRequestError, parse } from '@tenure/contracts';
import { type Request } from 'express';
import { capabilityOf } from '../application/capability.js';
import { checkedImage, devicesIn } from '../domain/virtual-media.js';
import { changing, reading } from './node-hardware.js';
import { optionalBody } from './request-node.js';

/** `…/vmedia`: attached and detached, and read back, before they are answered. */
export const virtualMediaRoutes = [
  reading('vmedia', ({ driver, node, deadline }) =>
    capabilityOf(driver, node, 'virtualMedia', 'get_virtual_media').list(node, deadline),
  ),
  changing(['post', 'vmedia'], (request) => {
    const body = parse(api.VERB.virtualMedia, request.body, 'vmedia');
    const media = { device: body.device_type, image: checkedImage(body.image_url) };
    return async ({ driver, node, deadline }) =>
      capabilityOf(driver, node, 'virtualMedia', 'attach_virtual_media').attach(
        node,
        media,
        deadline,
      );
  }),
  changing(['delete', 'vmedia'], (request) => {
    const devices = devicesIn(typesIn(request));
    return async ({ driver, node, deadline }) =>
      capabilityOf(driver, node, 'virtualMedia', 'detach_virtual_media').detach(
        node,
        devices,
        deadline,
      );
  }),
];

/** Which drives, in the body (openstacksdk) or in the query; undefined is all of them. */
function typesIn(request: Request): string | undefined {
  const body = parse(api.VERB.virtualDrives, optionalBody(request), 'vmedia');
  const types: unknown = body.device_types ?? request.query['device_types'];
  if (types === undefined || typeof types === 'string') return types;
  if (body.device_types !== undefined) return [body.device_types].flat().join(',');
  throw new BadRequestError('device_types must be given once, as a list separated by commas.');
}
