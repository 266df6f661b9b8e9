import { type SwitchValues } from '@tenure/policy';
import { type AdminPages, type Logger, type RunningService } from '@tenure/process';
import { type PolicyActivator } from '../application/activation/activator.js';
import { type PolicyReplicas } from '../application/activation/replicas.js';
import { type PolicyShadow } from '../application/activation/shadow.js';
import { createAdminApp } from './admin-app.js';
import { anyClient, type ClientCheck, watchClientTokens, isLoopback } from './client-tokens.js';
import { readinessBody, statusBody } from './status-body.js';

export interface AdministrationConfig {
  readonly host: string;
  readonly adminTokenFile: string | undefined;
}

/** The parts that the admin listener reports on and controls. */
export interface Administered {
  readonly activator: PolicyActivator;
  /** Undefined where this is the only replica. */
  readonly replicas: PolicyReplicas | undefined;
  readonly shadow: PolicyShadow | undefined;
  /** Those that the environment sets. */
  readonly switches: SwitchValues;
  readonly logger: Logger;
  readonly auditors: AdminPages;
}

/**
 * The reports of the admin listener on the policy, and its pages.
 * @throws Error when the file of the listener's tokens cannot be read
 */
export function administrationOf(
  config: AdministrationConfig,
  administered: Administered,
): Pick<RunningService, 'readiness' | 'pages'> {
  const { activator, logger, auditors } = administered;
  const isAdmin = adminCheckOf(config, logger);
  return {
    readiness: () => ({
      ready: true,
      reason: 'ready',
      details: readinessBody(activator.trouble()),
    }),
    pages: [auditors, ...(isAdmin === undefined ? [] : [policyPages(administered, isAdmin)])],
  };
}

/** The check of administrators: by token, or anyone on a loopback listener; undefined when nobody is admitted. */
function adminCheckOf(
  { host, adminTokenFile }: AdministrationConfig,
  logger: Logger,
): ClientCheck | undefined {
  if (adminTokenFile !== undefined)
    return watchClientTokens(adminTokenFile, 'admin tokens', logger);
  return isLoopback(host) ? anyClient : undefined;
}

const policyPages = (
  { activator, replicas, shadow, switches, logger }: Administered,
  isAdmin: ClientCheck,
): AdminPages => ({
  path: '/v1/policy',
  serve: createAdminApp({
    activator: replicas ?? activator,
    shadow,
    status: () =>
      statusBody({
        active: activator.active(),
        stored: activator.stored(),
        trouble: activator.trouble(),
        switches,
        shadow: shadow?.status(),
        replicas: replicas?.status(),
      }),
    isAdmin,
    logger,
  }),
});
