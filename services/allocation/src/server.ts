import { randomUUID } from 'node:crypto';
import { createServiceClient, startListener } from '@tenure/http';
import {
  createDependencyMetrics,
  createLogger,
  createRequestMetrics,
  helpText,
  type Readiness,
  type RunningService,
  runService,
  type ServiceKit,
  inTime,
  sleep,
} from '@tenure/process';
import { watchContextKeys } from '@tenure/signed-context';
import { allocationStoreHttp } from './adapters/allocation-store-http.js';
import { nodePoolHttp } from './adapters/node-pool-http.js';
import { createApp } from './app.js';
import { createProcessor, type Processor, type ProcessorOptions } from './application/processor.js';
import { ALLOCATION_VARIABLES, type AllocationConfig, loadAllocationConfig } from './config.js';

// One after the other; together below the deadline of a stop.
const DRAIN_MS = 7000;
const WORK_GRACE_MS = 5000;
const CLOSE_MS = 1000;
const EMPTY_PAUSE_MS = 250;

const readinessOf = (processor: { readonly isReady: () => boolean }): Readiness =>
  processor.isReady()
    ? { ready: true, reason: 'ready' }
    : { ready: false, reason: 'the inventory does not answer' };

const processorOf = (
  config: AllocationConfig,
  over: Pick<ProcessorOptions, 'store' | 'pool' | 'logger' | 'registry'>,
): Processor =>
  createProcessor({
    ...over,
    sleep,
    now: Date.now,
    random: Math.random,
    newRequestId: () => `req-${randomUUID()}`,
    workers: config.workers,
    emptyPauseMs: EMPTY_PAUSE_MS,
    recoverEveryMs: config.recoverySeconds * 1000,
    staleMs: config.recoverySeconds * 1000,
    failureTimeoutMs: config.failureTimeoutSeconds * 1000,
  });

type Configuration = ReturnType<typeof configure>;

await runService({
  name: 'allocation',
  help: helpText(
    'tenure-allocation',
    'Finds and reserves a node for a request.',
    ALLOCATION_VARIABLES,
  ),
  env: process.env,
  configure,
  start,
});

function configure() {
  const config = loadAllocationConfig(process.env);
  return { config, logger: createLogger('allocation', config.logLevel) };
}

async function start({
  config,
  logger,
  registry,
}: Configuration & ServiceKit): Promise<RunningService> {
  const keys = watchContextKeys(config.contextKeysDir, 'allocation', logger);
  const client = createServiceClient({
    part: 'inventory',
    baseUrl: config.inventoryUrl,
    keys,
    deadlineMs: config.inventoryTimeoutMs,
    observe: createDependencyMetrics(registry),
  });
  const store = allocationStoreHttp(client);
  const pool = nodePoolHttp(client);
  const processor = processorOf(config, { store, pool, logger, registry });
  const app = createApp({
    keys,
    logger,
    store,
    pool,
    submit: processor.submit,
    metrics: createRequestMetrics(registry),
  });
  const listener = await startListener(app, { ...config, drainMs: DRAIN_MS });
  processor.start();
  return {
    readiness: () => readinessOf(processor),
    listening: { port: listener.port },
    drain: async () => {
      await listener.stop();
      await processor.stop(WORK_GRACE_MS);
    },
    close: async () => {
      await inTime(CLOSE_MS, client.close(), () => undefined);
    },
  };
}
