import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type PartName } from '@tenure/contracts';
import { createServiceClient, type ServiceClient, startListener } from '@tenure/http';
import {
  createDependencyMetrics,
  createLogger,
  createRegistry,
  createRequestMetrics,
  helpText,
  type Logger,
  type Registry,
  runPart,
  type RunningPart,
  startAdminServer,
  startTracing,
} from '@tenure/process';
import { type ContextKeys, watchContextKeys } from '@tenure/signed-context';
import { allocationsHttp } from './adapters/allocations-http.js';
import { nodeVerbsHttp } from './adapters/node-verbs-http.js';
import { partCaller } from './adapters/part-call.js';
import { flavorStoreHttp, keypairStoreHttp } from './adapters/personal-stores-http.js';
import { serverStoreHttp } from './adapters/server-store-http.js';
import { createApp } from './app.js';
import { COMPUTE_VARIABLES, type ComputeConfig, loadComputeConfig } from './config.js';
import { createComputeMetrics } from './processing/metrics.js';
import { createReconciler } from './processing/reconciler.js';

// One after the other; together below the deadline of a stop.
const DRAIN_MS = 7000;
const WORK_GRACE_MS = 5000;
const CLOSE_MS = 1000;
const FIRST_POLL_MS = 300;

// Cut short by a stop: then it resolves early.
const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
  await pause(ms, undefined, { signal }).catch(() => undefined);
};

const now = (): Date => new Date();

const connect = (config: ComputeConfig, keys: ContextKeys, registry: Registry) => {
  const observe = createDependencyMetrics(registry);
  const clients: ServiceClient[] = [];
  const to = (audience: PartName, baseUrl: string) => {
    const client = createServiceClient({ baseUrl, keys, deadlineMs: config.timeoutMs, observe });
    clients.push(client);
    return partCaller(client, audience);
  };
  const inventory = to('inventory', config.inventoryUrl);
  return {
    servers: serverStoreHttp(inventory),
    keypairs: keypairStoreHttp(inventory),
    flavors: flavorStoreHttp(inventory),
    allocations: allocationsHttp(to('allocation', config.allocationUrl)),
    nodes: nodeVerbsHttp(to('conductor', config.conductorUrl)),
    close: () => Promise.all(clients.map((client) => client.close())),
  };
};

const limitsOf = (config: ComputeConfig) => ({
  build: config.buildSeconds,
  remove: config.deleteSeconds,
  power: config.powerSeconds,
  shutdown: config.shutdownSeconds,
});

const start = async (config: ComputeConfig, logger: Logger): Promise<RunningPart> => {
  const keys = watchContextKeys(config.contextKeysDir, 'compute', logger);
  const registry = createRegistry('compute');
  const tracing = await startTracing('compute', process.env, registry, logger);
  const { close, ...parts } = connect(config, keys, registry);
  const reconciler = createReconciler({
    store: parts.servers,
    allocations: parts.allocations,
    nodes: parts.nodes,
    limits: limitsOf(config),
    holder: config.replica,
    logger,
    metrics: createComputeMetrics(registry),
    sleep,
    now,
    newRequestId: () => `req-${randomUUID()}`,
    workers: config.workers,
    poll: { firstMs: FIRST_POLL_MS, longestMs: config.pollSeconds * 1000 },
    recoverEveryMs: config.recoverySeconds * 1000,
    watchEveryMs: config.watchSeconds * 1000,
  });
  const app = createApp({
    keys,
    logger,
    now,
    submit: reconciler.submit,
    metrics: createRequestMetrics(registry),
    ...parts,
  });
  let isStopping = false;
  const listener = await startListener(app, {
    host: config.host,
    port: config.port,
    lingerMs: config.lingerMs,
    drainMs: DRAIN_MS,
  });
  const readiness = () =>
    reconciler.isReady()
      ? { ready: true, reason: 'ready' }
      : { ready: false, reason: 'the inventory does not answer' };
  const admin = await startAdminServer({
    host: config.host,
    port: config.adminPort,
    registry,
    readiness,
    isStopping: () => isStopping,
  });
  reconciler.start();
  logger.info({ port: listener.port }, 'compute listens');
  return {
    stop: async () => {
      isStopping = true;
      await listener.stop();
      await Promise.race([reconciler.stop(), pause(WORK_GRACE_MS, undefined, { ref: false })]);
      admin.close();
      await Promise.race([close(), pause(CLOSE_MS, undefined, { ref: false })]);
      await tracing.stop();
    },
  };
};

const main = async (): Promise<void> => {
  if (process.argv.includes('--help')) {
    process.stdout.write(
      helpText('tenure-compute', 'Servers on bare metal, as Nova shows them.', COMPUTE_VARIABLES),
    );
    return;
  }
  let config: ComputeConfig;
  try {
    config = loadComputeConfig(process.env);
  } catch (error) {
    createLogger('compute', 'info').fatal(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
    return;
  }
  const logger = createLogger('compute', config.logLevel);
  await runPart(logger, () => start(config, logger));
};

await main();
