import { toNovaBody } from '@tenure/contracts';
import { createServiceApp, onlyFrom } from '@tenure/http';
import { type Logger, type RequestMetrics } from '@tenure/process';
import { type ContextKeys } from '@tenure/signed-context';
import { type Express, Router } from 'express';
import { actionRouter } from './http/action-routes.js';
import { type RouteDeps } from './http/change-server.js';
import { flavorRouter } from './http/flavor-routes.js';
import { keypairRouter } from './http/keypair-routes.js';
import { serverRouter } from './http/server-routes.js';
import { versionRouter } from './http/version-route.js';

const BODY_LIMIT_BYTES = 256 * 1024;

export interface AppDeps extends RouteDeps {
  readonly keys: ContextKeys;
  readonly logger: Logger;
  readonly metrics?: RequestMetrics | undefined;
}

/** The compute API of the service. Does no I/O itself. */
export const createApp = ({ keys, logger, metrics, ...deps }: AppDeps): Express =>
  createServiceApp({
    keys,
    logger,
    metrics,
    bodyLimit: BODY_LIMIT_BYTES,
    errorBody: toNovaBody,
    routers: [
      Router().use(onlyFrom('gateway')),
      serverRouter(deps),
      actionRouter(deps),
      flavorRouter(deps),
      keypairRouter(deps),
      versionRouter(),
    ],
  });
