import { CHASSIS } from './chassis.js';
import { DEPLOY_TEMPLATE } from './deploy-template.js';
import { PORT } from './port.js';
import { PORTGROUP } from './portgroup.js';
import { type ResourceKind, type ResourceSection } from './resource-kind.js';
import { VOLUME_CONNECTOR } from './volume-connector.js';
import { VOLUME_TARGET } from './volume-target.js';

/** Every kind, by its section. */
export const KINDS: Readonly<Record<ResourceSection, ResourceKind>> = {
  ports: PORT,
  portgroups: PORTGROUP,
  chassis: CHASSIS,
  volume_connectors: VOLUME_CONNECTOR,
  volume_targets: VOLUME_TARGET,
  deploy_templates: DEPLOY_TEMPLATE,
};
