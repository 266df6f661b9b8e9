import { type Server } from 'node:http';
import { type SwitchValues } from '@tenure/policy';
import { type AdminPages, type Logger, type Registry, startAdminServer } from '@tenure/process';
import { type PolicyKeeper } from '../policy-keeper.js';
import { type PolicyReplicas } from '../replicas/policy-replicas.js';
import { type PolicyShadow } from '../shadow/policy-shadow.js';
import { createAdminApp } from './admin-app.js';
import { anyClient, type ClientCheck, watchClientTokens, isLoopback } from './client-tokens.js';
import { readinessBody, statusBody } from './status-body.js';

export interface AdminListenerConfig {
  readonly host: string;
  readonly adminPort: number;
  readonly adminTokenFile: string | undefined;
}

/** What is told of, and told, on the admin listener. */
export interface Administered {
  readonly keeper: PolicyKeeper;
  /** Undefined where this is the only replica. */
  readonly replicas: PolicyReplicas | undefined;
  readonly shadow: PolicyShadow | undefined;
  /** Those that the environment sets. */
  readonly switches: SwitchValues;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly auditors: AdminPages;
  readonly isStopping: () => boolean;
}

/** Nobody, unless there is a token or only this machine can ask. */
const adminCheckOf = (
  { host, adminTokenFile }: AdminListenerConfig,
  logger: Logger,
): ClientCheck | undefined => {
  if (adminTokenFile !== undefined)
    return watchClientTokens(adminTokenFile, 'admin tokens', logger);
  return isLoopback(host) ? anyClient : undefined;
};

const policyPages = (
  { keeper, replicas, shadow, switches, logger }: Administered,
  isAdmin: ClientCheck,
): AdminPages => ({
  path: '/v1/policy',
  serve: createAdminApp({
    keeper: replicas ?? keeper,
    shadow,
    status: () =>
      statusBody({
        serving: keeper.serving(),
        state: keeper.state(),
        trouble: keeper.trouble(),
        switches,
        shadow: shadow?.status(),
        replicas: replicas?.status(),
      }),
    isAdmin,
    logger,
  }),
});

/**
 * Starts the admin listener.
 * @throws Error when the file of its tokens cannot be read
 */
export const startAdmin = (
  config: AdminListenerConfig,
  administered: Administered,
): Promise<Server> => {
  const { keeper, registry, logger, auditors, isStopping } = administered;
  const isAdmin = adminCheckOf(config, logger);
  return startAdminServer({
    host: config.host,
    port: config.adminPort,
    registry,
    readiness: () => ({
      ready: true,
      reason: 'ready',
      details: readinessBody(keeper.trouble()),
    }),
    isStopping,
    pages: [auditors, ...(isAdmin === undefined ? [] : [policyPages(administered, isAdmin)])],
  });
};
