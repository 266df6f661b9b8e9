import { createServiceApp, onlyFrom } from '@tenure/http';
import { type Logger } from '@tenure/process';
import { type ContextKeys } from '@tenure/signed-context';
import { type Express, Router } from 'express';
import { bootDeviceRouter } from './http/boot-device-route.js';
import { maintenanceRouter } from './http/maintenance-route.js';
import { powerRouter } from './http/power-route.js';
import { validateRouter } from './http/validate-route.js';
import { type DriverOf } from './ports/hardware-driver.js';
import { type InventoryPort } from './ports/inventory-port.js';
import { type NodeLocks } from './work/node-locks.js';
import { type PowerWork } from './work/power-work.js';

export interface AppOptions {
  readonly keys: ContextKeys;
  readonly logger: Logger;
  readonly inventory: InventoryPort;
  readonly locks: NodeLocks;
  readonly power: PowerWork;
  readonly driverOf: DriverOf;
}

const BODY_LIMIT = 64 * 1024;

/** The conductor's HTTP face: the routes of docs/contracts.md, "Who serves what", for the gateway only. */
export const createApp = ({
  keys,
  logger,
  inventory,
  locks,
  power,
  driverOf,
}: AppOptions): Express => {
  const gatewayOnly = Router().use(onlyFrom('gateway'));
  return createServiceApp({
    keys,
    logger,
    bodyLimit: BODY_LIMIT,
    routers: [
      gatewayOnly,
      powerRouter(power),
      maintenanceRouter(locks),
      validateRouter({ inventory, driverOf }),
      bootDeviceRouter({ inventory, locks, driverOf }),
    ],
  });
};
