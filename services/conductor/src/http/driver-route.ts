import { BadRequestError, NotFoundError } from '@tenure/contracts';
import { type Request, Router } from 'express';
import { unsupported } from '../domain/driver-failure.js';
import { type HardwareDriver } from '../ports/hardware-driver.js';
import { toRaidError } from './raid-route.js';
import { methodNameIn } from './vendor-route.js';

/** `/v1/drivers/{driver}/properties`, `…/raid/logical_disk_properties`, `…/vendor_passthru`: what needs no node. */
export function driverRouter(drivers: readonly HardwareDriver[]): Router {
  const router = Router({ caseSensitive: true });
  const driverIn = (request: Request): HardwareDriver => {
    const name = String(request.params['driver']);
    const driver = drivers.find((one) => one.name === name);
    if (driver === undefined)
      throw NotFoundError.part(
        `Could not find the following driver(s) or hardware type(s): ${name.slice(0, 255)}.`,
      );
    return driver;
  };
  router.get('/v1/drivers/:driver/properties', (request, response) => {
    response.json(driverIn(request).properties);
  });
  router.get('/v1/drivers/:driver/raid/logical_disk_properties', (request, response) => {
    const { name, raid } = driverIn(request);
    if (raid === undefined) throw toRaidError(unsupported(name, 'raid'));
    response.json(raid.logicalDiskProperties);
  });
  // Methods of the vendors' own are about nodes, here: no driver has any of itself.
  router.get('/v1/drivers/:driver/vendor_passthru/methods', (request, response) => {
    driverIn(request);
    response.json({});
  });
  router.all('/v1/drivers/:driver/vendor_passthru{/:method}', (request) => {
    driverIn(request);
    throw new BadRequestError(`No handler for method ${methodNameIn(request).slice(0, 255)}`);
  });
  return router;
}
