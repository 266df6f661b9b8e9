import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  assertBmcNetworks,
  type BmcAddressCheck,
  CINDER,
  createBmcAddressCheck,
  createBmcGuard,
  openResourceOwners,
  ownPortCheck,
  startListener,
} from '@tenure/http';
import {
  createDependencyMetrics,
  createLogger,
  createRequestMetrics,
  helpText,
  loadConfig,
  type Logger,
  type RunningService,
  runService,
  type ServiceKit,
} from '@tenure/process';
import { watchContextKeys } from '@tenure/signed-context';
import { openCustodySigner } from './adapters/custody-signer-key.js';
import { createApp } from './app.js';
import { admitStore } from './application/admit-store.js';
import { measureBudgets } from './application/budget-metrics.js';
import { recountOften } from './application/budgets/recount-often.js';
import { measureFleet } from './application/fleet-metrics.js';
import { prepareSchema } from './application/migrate-schema.js';
import { finishDeletions } from './application/node-belongings.js';
import { rewriteOf } from './application/rewrite-records.js';
import { watchStore } from './application/store-watch.js';
import { VARIABLES } from './config.js';
import { startConfiguredReaders } from './open-readers.js';
import { openConfiguredStore } from './open-store.js';
import { type ConfiguredStore } from './ports/open-store.js';

const now = (): Date => new Date();

// Longer than a process that migrates may be silent, for one that died is followed by another then.
const WAIT_FOR_MIGRATION_MS = 90_000;

const prepare = ({ schema, stores, isEmbedded }: ConfiguredStore, logger: Logger): Promise<void> =>
  prepareSchema(
    {
      schema,
      holder: `${hostname()}/${randomUUID()}`,
      now,
      onProgress: (progress) => {
        logger.info(progress, 'migrating the store');
      },
      waitMs: WAIT_FOR_MIGRATION_MS,
      rewrite: rewriteOf(stores),
    },
    { isEmbedded },
  );

type Configuration = ReturnType<typeof configure>;

await runService({
  name: 'inventory',
  help: helpText(
    'inventory',
    'The system of record: nodes, allocations and what belongs to them.',
    VARIABLES,
  ),
  env: process.env,
  configure,
  start,
});

function configure() {
  const config = loadConfig(VARIABLES, process.env);
  assertBmcNetworks(config);
  return { config, logger: createLogger('inventory', config.logLevel) };
}

async function start({
  config,
  logger,
  registry,
}: Configuration & ServiceKit): Promise<RunningService> {
  const keys = watchContextKeys(config.contextKeysDir, 'inventory', logger);
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
  await finishDeletions(stores);
  const metrics = createRequestMetrics(registry);
  const named = { form: CINDER, url: config.cinderUrl, env: 'CINDER_URL' } as const;
  const volumes = openResourceOwners({ ...named, config, observe });
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
  const listener = await startListener(app, config);
  const recounting = recountOften(stores, now, logger);
  return {
    readiness: watch.readiness,
    listening: { port: listener.port, store: isEmbedded ? 'sqlite' : 'mongodb' },
    drain: listener.stop,
    close: async () => {
      await readers?.close();
      await volumes?.close();
      await recounting.stop();
      await watch.stop();
      await stores.close();
    },
  };
}

function openBmcAddressCheck(config: Configuration['config']): BmcAddressCheck {
  const isOwnPort = ownPortCheck(process.env, () => [config.port, config.adminPort]);
  return createBmcAddressCheck(createBmcGuard({ ...config, isOwnPort }));
}
