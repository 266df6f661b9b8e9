import { randomUUID } from 'node:crypto';
import { type PartName } from '@tenure/contracts';
import { createServiceClient, type ServiceClient, startListener } from '@tenure/http';
import {
  createDependencyMetrics,
  createLogger,
  createRequestMetrics,
  helpText,
  type Registry,
  type RunningService,
  runService,
  type ServiceKit,
  inTime,
  loadConfig,
  sleep,
} from '@tenure/process';
import { type ContextKeys, watchContextKeys } from '@tenure/signed-context';
import { allocationsHttp } from './adapters/allocations-http.js';
import { nodeVerbsHttp } from './adapters/node-verbs-http.js';
import { flavorStoreHttp, keypairStoreHttp } from './adapters/personal-stores-http.js';
import { serverStoreHttp } from './adapters/server-store-http.js';
import { createApp } from './app.js';
import { createComputeMetrics } from './application/metrics.js';
import { createReconciler } from './application/reconciler.js';
import { COMPUTE_VARIABLES, type ComputeConfig } from './config.js';

// One after the other; together below the deadline of a stop.
const DRAIN_MS = 7000;
const WORK_GRACE_MS = 5000;
const CLOSE_MS = 1000;
const FIRST_POLL_MS = 300;

const now = (): Date => new Date();

const limitsOf = (config: ComputeConfig) => ({
  build: config.buildSeconds,
  remove: config.deleteSeconds,
  power: config.powerSeconds,
  shutdown: config.shutdownSeconds,
});

type Configuration = ReturnType<typeof configure>;

await runService({
  name: 'compute',
  help: helpText('tenure-compute', 'Servers on bare metal, as Nova shows them.', COMPUTE_VARIABLES),
  env: process.env,
  configure,
  start,
});

function configure() {
  const config = loadConfig(COMPUTE_VARIABLES, process.env);
  return { config, logger: createLogger('compute', config.logLevel) };
}

async function start({
  config,
  logger,
  registry,
}: Configuration & ServiceKit): Promise<RunningService> {
  const keys = watchContextKeys(config.contextKeysDir, 'compute', logger);
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
  const listener = await startListener(app, { ...config, drainMs: DRAIN_MS });
  reconciler.start();
  return {
    readiness: () =>
      reconciler.isReady()
        ? { ready: true, reason: 'ready' }
        : { ready: false, reason: 'the inventory does not answer' },
    listening: { port: listener.port },
    drain: async () => {
      await listener.stop();
      await inTime(WORK_GRACE_MS, reconciler.stop(), () => undefined);
    },
    close: async () => {
      await inTime(CLOSE_MS, close(), () => undefined);
    },
  };
}

function connect(config: ComputeConfig, keys: ContextKeys, registry: Registry) {
  const observe = createDependencyMetrics(registry);
  const clients: ServiceClient[] = [];
  const to = (part: PartName, baseUrl: string) => {
    const client = createServiceClient({
      part,
      baseUrl,
      keys,
      deadlineMs: config.timeoutMs,
      observe,
    });
    clients.push(client);
    return client;
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
}
