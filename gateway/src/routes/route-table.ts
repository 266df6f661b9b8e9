import { type Route } from './route.js';
import { AGENT_ROUTES } from './tables/agent.js';
import { ALLOCATION_ROUTES } from './tables/allocations.js';
import { CHASSIS_ROUTES } from './tables/chassis.js';
import { CONDUCTOR_ROUTES } from './tables/conductors.js';
import { DEPLOY_TEMPLATE_ROUTES } from './tables/deploy-templates.js';
import { DISCOVERY_ROUTES } from './tables/discovery.js';
import { DRIVER_ROUTES } from './tables/drivers.js';
import { FLAVOR_ROUTES } from './tables/flavors.js';
import { HANDOVER_ROUTES } from './tables/handovers.js';
import { INTROSPECTION_ROUTES } from './tables/introspection.js';
import { KEYPAIR_ROUTES } from './tables/keypairs.js';
import { LEASE_ROUTES } from './tables/leases.js';
import { NODE_PART_ROUTES } from './tables/node-parts.js';
import { NODE_STATE_ROUTES } from './tables/node-states.js';
import { NODE_ROUTES } from './tables/nodes.js';
import { PORTGROUP_ROUTES } from './tables/portgroups.js';
import { PORT_ROUTES } from './tables/ports.js';
import { SERVER_ROUTES } from './tables/servers.js';
import { VOLUME_ROUTES } from './tables/volume.js';

/** The routes of this release. */
export const ROUTES: readonly Route[] = [
  ...DISCOVERY_ROUTES,
  ...NODE_ROUTES,
  ...NODE_STATE_ROUTES,
  ...NODE_PART_ROUTES,
  ...PORT_ROUTES,
  ...PORTGROUP_ROUTES,
  ...VOLUME_ROUTES,
  ...CHASSIS_ROUTES,
  ...DRIVER_ROUTES,
  ...CONDUCTOR_ROUTES,
  ...DEPLOY_TEMPLATE_ROUTES,
  ...ALLOCATION_ROUTES,
  ...LEASE_ROUTES,
  ...HANDOVER_ROUTES,
  ...AGENT_ROUTES,
  ...INTROSPECTION_ROUTES,
  ...SERVER_ROUTES,
  ...FLAVOR_ROUTES,
  ...KEYPAIR_ROUTES,
];
