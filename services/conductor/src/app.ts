import { createServiceApp } from '@tenure/http';
import { type Logger, type RequestMetrics } from '@tenure/process';
import { type ContextKeys } from '@tenure/signed-context';
import { type Express } from 'express';
import { type HardwareDocuments } from './application/hardware-documents.js';
import { type Membership } from './application/membership.js';
import { type NodeChanges } from './application/node-changes.js';
import { type NodeLocks } from './application/node-locks.js';
import { type PowerWork } from './application/power-work.js';
import { type ProvisioningParts } from './application/provisioning.js';
import { type HashPassword } from './domain/provision/order.js';
import { agentRouter } from './http/agent-routes.js';
import { callerAllowList } from './http/caller-allow-list.js';
import { driverRouter } from './http/driver-route.js';
import { indicatorRoutes } from './http/indicator-routes.js';
import { introspectionRouter } from './http/introspection-route.js';
import { maintenanceRouter } from './http/maintenance-route.js';
import { managementRoutes } from './http/management-routes.js';
import { hardwareRouter } from './http/node-hardware.js';
import { powerRouter } from './http/power-route.js';
import { provisionRouter } from './http/provision-route.js';
import { raidRouter } from './http/raid-route.js';
import { servingRouter } from './http/serving-routes.js';
import { stateChangesRouter } from './http/state-changes-route.js';
import { validateRouter } from './http/validate-route.js';
import { vendorRouter } from './http/vendor-route.js';
import { vifRouter } from './http/vif-route.js';
import { virtualMediaRoutes } from './http/virtual-media-routes.js';
import { type DriverOf, type HardwareDriver } from './ports/hardware-driver.js';
import { type InventoryPort } from './ports/inventory-port.js';
import { type Peers } from './ports/peers.js';

export interface AppOptions extends Pick<
  ProvisioningParts,
  'provision' | 'vifs' | 'agents' | 'introspection'
> {
  readonly keys: ContextKeys;
  readonly logger: Logger;
  readonly metrics?: RequestMetrics | undefined;
  readonly inventory: InventoryPort;
  readonly locks: NodeLocks;
  readonly membership: Membership;
  readonly peers: Peers;
  readonly sendOnMs?: number | undefined;
  readonly power: PowerWork;
  readonly changes: NodeChanges;
  readonly documents: HardwareDocuments;
  readonly driverOf: DriverOf;
  readonly drivers: readonly HardwareDriver[];
  readonly hashPassword: HashPassword;
}

/** The findings of agents are that large. */
const BODY_LIMIT = 4 * 1024 * 1024;

/** The conductor's HTTP face: the routes of docs/contracts/README.md, for the gateway; some of them for the compute service too. */
export function createApp({
  keys,
  logger,
  metrics,
  inventory,
  locks,
  membership,
  peers,
  sendOnMs,
  power,
  changes,
  documents,
  driverOf,
  drivers,
  provision,
  vifs,
  agents,
  introspection,
  hashPassword,
}: AppOptions): Express {
  const nodeRoute = { inventory, locks, driverOf };
  return createServiceApp({
    keys,
    logger,
    metrics,
    bodyLimit: BODY_LIMIT,
    routers: [
      callerAllowList(),
      servingRouter({ inventory, agents, membership, peers, logger, sendOnMs }),
      powerRouter(power),
      provisionRouter(provision, hashPassword),
      vifRouter(vifs),
      agentRouter(agents),
      introspectionRouter(introspection),
      maintenanceRouter(locks),
      validateRouter({ inventory, driverOf, documents }),
      hardwareRouter(nodeRoute, [...managementRoutes, ...indicatorRoutes, ...virtualMediaRoutes]),
      raidRouter(nodeRoute),
      stateChangesRouter({ ...nodeRoute, changes }),
      vendorRouter({ ...nodeRoute, changes }),
      driverRouter(drivers),
    ],
  });
}
