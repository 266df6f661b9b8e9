import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  assertBmcNetworks,
  type BmcAddressCheck,
  CINDER,
  createBmcAddressCheck,
  createBmcGuard,
  openThingOwners,
  portsIn,
  startListener,
} from '@tenure/http';
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
import { openCustodySigner } from './adapters/custody-signer-key.js';
import { openConfiguredStore } from './adapters/open-configured-store.js';
import { startConfiguredReaders } from './adapters/readers/configured-readers.js';
import { createApp } from './app.js';
import { measureBudgets } from './budget-metrics.js';
import { VARIABLES } from './config.js';
import { measureFleet } from './fleet-metrics.js';
import { admitStore } from './operations/admit-store.js';
import { recountOften } from './operations/budgets/recount-often.js';
import { prepareSchema } from './operations/migrate-schema.js';
import { finishDepartures } from './operations/node-belongings.js';
import { rewriteOf } from './operations/rewrite-records.js';
import { type ConfiguredStore } from './ports/open-store.js';
import { watchStore } from './store-watch.js';

const HELP = helpText(
  'inventory',
  'The system of record: nodes, allocations and what belongs to them.',
  VARIABLES,
);

const now = (): Date => new Date();

// Longer than a process that migrates may be silent, for one that died is followed by another then.
const WAIT_FOR_MIGRATION_MS = 90_000;

const prepare = ({ schema, stores, isEmbedded }: ConfiguredStore, logger: Logger): Promise<void> =>
  prepareSchema(
    {
      schema,
      holder: `${hostname()}/${randomUUID()}`,
      now,
      tell: (progress) => {
        logger.info(progress, 'migrating the store');
      },
      waitMs: WAIT_FOR_MIGRATION_MS,
      rewrite: rewriteOf(stores),
    },
    { isEmbedded },
  );

type Config = ReturnType<typeof readConfig>;

const openBmcAddressCheck = (config: Config): BmcAddressCheck => {
  const own = portsIn(process.env);
  const isOwnPort = (port: number): boolean =>
    own.has(port) || port === config.port || port === config.adminPort;
  return createBmcAddressCheck(createBmcGuard({ ...config, isOwnPort }));
};

const start = async (logger: Logger, config: Config): Promise<RunningPart> => {
  const keys = watchContextKeys(config.contextKeysDir, 'inventory', logger);
  const registry = createRegistry('inventory');
  const tracing = await startTracing('inventory', process.env, registry, logger);
  const keepConductorsMs = config.conductorKeepSeconds * 1000;
  const observe = createDependencyMetrics(registry);
  const opened = await openConfiguredStore(config, { observe, admit: admitStore });
  const { isEmbedded } = opened;
  await prepare(opened, logger);
  const signer = openCustodySigner(config.custodyKeyFile);
  const watch = watchStore(opened, { registry, logger });
  const { stores } = watch;
  measureFleet(registry, stores, now, logger);
  const onRefused = measureBudgets(registry, stores, logger);
  await finishDepartures(stores);
  const metrics = createRequestMetrics(registry);
  const named = { form: CINDER, url: config.cinderUrl, env: 'CINDER_URL' } as const;
  const volumes = openThingOwners({ ...named, config, observe });
  const readers = await startConfiguredReaders(config, { registry, observe, logger });
  const app = createApp({
    stores,
    keys,
    signer,
    logger,
    now,
    keepConductorsMs,
    volumes,
    metrics,
    listBytes: config.listBytes,
    readers,
    checkBmcAddress: openBmcAddressCheck(config),
    onRefused,
  });
  let stopping = false;
  const admin = await startAdminServer({
    host: config.host,
    port: config.adminPort,
    registry,
    readiness: watch.readiness,
    isStopping: () => stopping,
  });
  const { host, port, lingerMs } = config;
  const listener = await startListener(app, { host, port, lingerMs });
  const recounting = recountOften(stores, now, logger);
  logger.info({ port: listener.port, store: isEmbedded ? 'sqlite' : 'mongodb' }, 'listening');
  return {
    stop: async () => {
      stopping = true;
      await listener.stop();
      await readers?.close();
      await volumes?.close();
      await recounting.stop();
      await watch.stop();
      await stores.close();
      admin.close();
      admin.closeAllConnections();
      await tracing.stop();
    },
  };
};

const readConfig = () => {
  const config = loadConfig(VARIABLES, process.env);
  assertBmcNetworks(config);
  return config;
};

if (process.argv.includes('--help')) process.stdout.write(HELP);
else {
  // The log level is part of the configuration, so a bad configuration is reported at the default level.
  const bootLogger = createLogger('inventory', 'info');
  await runPart(bootLogger, async () => {
    const config = readConfig();
    return start(createLogger('inventory', config.logLevel), config);
  });
}
