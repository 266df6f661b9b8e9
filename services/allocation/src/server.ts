import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createServiceClient, startListener } from '@tenure/http';
import {
  createDependencyMetrics,
  createLogger,
  createRegistry,
  createRequestMetrics,
  helpText,
  type Logger,
  type Readiness,
  runPart,
  type RunningPart,
  startAdminServer,
  startTracing,
} from '@tenure/process';
import { watchContextKeys } from '@tenure/signed-context';
import { allocationStoreHttp } from './adapters/allocation-store-http.js';
import { nodePoolHttp } from './adapters/node-pool-http.js';
import { createApp } from './app.js';
import { ALLOCATION_VARIABLES, type AllocationConfig, loadAllocationConfig } from './config.js';
import { createProcessor, type Processor, type ProcessorOptions } from './processing/processor.js';

// One after the other; together below the deadline of a stop.
const DRAIN_MS = 7000;
const WORK_GRACE_MS = 5000;
const SETTLE_MS = 250;

// Cut short by a stop: then it resolves early.
const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
  await pause(ms, undefined, { signal }).catch(() => undefined);
};

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
    settleMs: SETTLE_MS,
    recoverEveryMs: config.recoverySeconds * 1000,
    staleMs: config.recoverySeconds * 1000,
    giveUpMs: config.giveUpSeconds * 1000,
  });

const start = async (config: AllocationConfig, logger: Logger): Promise<RunningPart> => {
  const keys = watchContextKeys(config.contextKeysDir, 'allocation', logger);
  const registry = createRegistry('allocation');
  const tracing = await startTracing('allocation', process.env, registry, logger);
  const client = createServiceClient({
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
  let isStopping = false;
  const listener = await startListener(app, {
    host: config.host,
    port: config.port,
    lingerMs: config.lingerMs,
    drainMs: DRAIN_MS,
  });
  const admin = await startAdminServer({
    host: config.host,
    port: config.adminPort,
    registry,
    readiness: () => readinessOf(processor),
    isStopping: () => isStopping,
  });
  processor.start();
  logger.info({ port: listener.port }, 'allocation listens');
  return {
    stop: async () => {
      isStopping = true;
      await listener.stop();
      await processor.stop(WORK_GRACE_MS);
      admin.close();
      await Promise.race([client.close(), pause(1000, undefined, { ref: false })]);
      await tracing.stop();
    },
  };
};

const main = async (): Promise<void> => {
  if (process.argv.includes('--help')) {
    process.stdout.write(
      helpText(
        'tenure-allocation',
        'Finds and reserves a node for a request.',
        ALLOCATION_VARIABLES,
      ),
    );
    return;
  }
  let config: AllocationConfig;
  try {
    config = loadAllocationConfig(process.env);
  } catch (error) {
    createLogger('allocation', 'info').fatal(
      error instanceof Error ? error.message : String(error),
    );
    process.exitCode = 1;
    return;
  }
  const logger = createLogger('allocation', config.logLevel);
  await runPart(logger, () => start(config, logger));
};

await main();
