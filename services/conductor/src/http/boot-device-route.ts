import { api, BadRequestError, parse } from '@tenure/contracts';
import { Router } from 'express';
import { withInternal } from '../application/under-lock.js';
import { askNode, changeNode, type NodeRouteOptions } from './asked-node.js';

/** `GET`, `PUT /v1/nodes/{ident}/management/boot_device` and `GET …/supported`. */
export const bootDeviceRouter = (options: NodeRouteOptions): Router => {
  const router = Router({ caseSensitive: true });
  router.get('/v1/nodes/:ident/management/boot_device', async (request, response) => {
    response.json(
      await askNode(options, request, (driver, node, deadline) =>
        driver.getBootDevice(node, deadline),
      ),
    );
  });
  router.get('/v1/nodes/:ident/management/boot_device/supported', async (request, response) => {
    response.json({
      supported_boot_devices: await askNode(options, request, (driver, node, deadline) =>
        driver.supportedBootDevices(node, deadline),
      ),
    });
  });
  router.put('/v1/nodes/:ident/management/boot_device', async (request, response) => {
    const { boot_device: device, persistent = false } = parse(
      api.VERB.bootDevice,
      request.body,
      'boot_device',
    );
    const set: Parameters<typeof changeNode>[2] = async (driver, node, deadline) => {
      if (!(await driver.supportedBootDevices(node, deadline)).includes(device))
        throw new BadRequestError(`Invalid boot device ${device} specified.`);
      return {
        set: withInternal(node, await driver.setBootDevice(node, { device, persistent }, deadline)),
      };
    };
    await changeNode(options, request, set, async (driver, node, deadline) => ({
      boot_device: await driver.getBootDevice(node, deadline),
    }));
    response.status(204).end();
  });
  return router;
};
