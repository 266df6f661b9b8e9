import path from 'node:path';
import { startListener } from '@tenure/http';
import {
  createDependencyMetrics,
  createLogger,
  createRegistry,
  createRequestMetrics,
  helpText,
  loadConfig,
  type Logger,
  runPart,
  type RunningPart,
  startAdminServer,
  startTracing,
} from '@tenure/process';
import { watchContextKeys } from '@tenure/signed-context';
import { openMongoStores } from './adapters/stores-mongo.js';
import { openSqliteStores } from './adapters/stores-sqlite.js';
import { createApp } from './app.js';
import { VARIABLES } from './config.js';
import { measureFleet } from './fleet-metrics.js';
import { finishDepartures } from './operations/node-belongings.js';

const HELP = helpText(
  'inventory',
  'The system of record: nodes, allocations and what belongs to them.',
  VARIABLES,
);

const now = (): Date => new Date();

const start = async (
  logger: Logger,
  config: ReturnType<typeof readConfig>,
): Promise<RunningPart> => {
  const keys = watchContextKeys(config.contextKeysDir, 'inventory', logger);
  const registry = createRegistry('inventory');
  const tracing = await startTracing('inventory', process.env, registry, logger);
  const keepConductorsMs = config.conductorKeepSeconds * 1000;
  const stores =
    config.mongodbUri === null
      ? openSqliteStores(path.join(config.dataDir, 'inventory.sqlite'))
      : await openMongoStores(
          config.mongodbUri,
          config.mongodbDatabase,
          createDependencyMetrics(registry),
        );
  measureFleet(registry, stores, now, logger);
  await finishDepartures(stores);
  const metrics = createRequestMetrics(registry);
  const app = createApp({ stores, keys, logger, now, keepConductorsMs, metrics });
  let stopping = false;
  const readiness = async () => {
    await stores.ping();
    return { ready: true, reason: 'ok' };
  };
  const admin = await startAdminServer({
    host: config.host,
    port: config.adminPort,
    registry,
    readiness,
    isStopping: () => stopping,
  });
  const { host, port, lingerMs } = config;
  const listener = await startListener(app, { host, port, lingerMs });
  logger.info(
    { port: listener.port, store: config.mongodbUri === null ? 'sqlite' : 'mongodb' },
    'listening',
  );
  return {
    stop: async () => {
      stopping = true;
      await listener.stop();
      await stores.close();
      admin.close();
      admin.closeAllConnections();
      await tracing.stop();
    },
  };
};

const readConfig = () => loadConfig(VARIABLES, process.env);

if (process.argv.includes('--help')) process.stdout.write(HELP);
else {
  // The log level is part of the configuration, so a bad configuration is reported at the default level.
  const bootLogger = createLogger('inventory', 'info');
  await runPart(bootLogger, async () => {
    const config = readConfig();
    return start(createLogger('inventory', config.logLevel), config);
  });
}
