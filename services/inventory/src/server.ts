import path from 'node:path';
import { startListener } from '@tenure/http';
import {
  createLogger,
  createRegistry,
  helpText,
  Histogram,
  loadConfig,
  type Logger,
  runPart,
  type RunningPart,
  startAdminServer,
} from '@tenure/process';
import { loadContextKeys } from '@tenure/signed-context';
import { openMongoStores } from './adapters/stores-mongo.js';
import { openSqliteStores } from './adapters/stores-sqlite.js';
import { createApp } from './app.js';
import { VARIABLES } from './config.js';
import { measured } from './http/measured.js';
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
  const keys = loadContextKeys(config.contextKeysDir, 'inventory');
  const stores =
    config.mongodbUri === null
      ? openSqliteStores(path.join(config.dataDir, 'inventory.sqlite'))
      : await openMongoStores(config.mongodbUri, config.mongodbDatabase);
  await finishDepartures(stores);
  const registry = createRegistry('inventory');
  const seconds = new Histogram({
    name: 'inventory_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['method', 'kind', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    registers: [registry],
  });
  const keepConductorsMs = config.conductorKeepSeconds * 1000;
  const answer = createApp({ stores, keys, logger, now, keepConductorsMs });
  const app = measured(answer, (labels, elapsed) => {
    seconds.observe(labels, elapsed);
  });
  let stopping = false;
  const readiness = async () => {
    if (stopping) return { ready: false, reason: 'stopping' };
    await stores.ping();
    return { ready: true, reason: 'ok' };
  };
  const admin = await startAdminServer({
    host: config.host,
    port: config.adminPort,
    registry,
    readiness,
  });
  const listener = await startListener(app, { host: config.host, port: config.port });
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
