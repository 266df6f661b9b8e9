import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { type MongoProcess, startMongo } from '../mongo-process.js';
import { cleanEnvironment, root, runDirectory } from '../paths.js';
import { type RedisServer, startRedis } from '../redis-server.js';
import { connectTo, type Part, type Tenure } from '../tenure.js';
import { startIngress } from './ingress.js';
import { Workload } from './workload.js';

/** As in production, with one inventory, conductor, allocation and compute service to lose. */
const REPLICAS: Readonly<Record<Part, number>> = {
  pdp: 3,
  inventory: 2,
  conductor: 2,
  allocation: 2,
  compute: 2,
  gateway: 3,
};

type Workloads = Readonly<Record<Part, Workload>>;
type Settings = Readonly<Record<string, string>>;

/** A Tenure of several replicas of each part, behind an ingress, with shared stores. */
export interface Cluster extends Tenure {
  readonly workloads: Workloads;
  readonly mongo: MongoProcess;
  readonly redis: RedisServer;
}

interface Stores {
  readonly mongoUri: string;
  readonly redisUrl: string;
}

/** What is said to some parts alone. Times are short, so that a test does not wait for them. */
const ownSettings = (
  part: Part,
  name: string,
  dataDir: string,
  { mongoUri, redisUrl }: Stores,
): Settings => {
  switch (part) {
    case 'inventory':
      return {
        MONGODB_URI: mongoUri,
        TENURE_CUSTODY_KEY_FILE: path.join(dataDir, 'keys', 'custody', 'private.pem'),
      };
    case 'pdp':
      return {
        TENURE_DATA_DIR: path.join(dataDir, name),
        TENURE_SHARED_STATE_KEY_FILE: path.join(dataDir, 'keys', 'shared-state', 'seal.key'),
        PDP_BUNDLE: path.join(root, 'policies-rego', 'bundle.tar.gz'),
        REDIS_URL: redisUrl,
        PDP_DECISION_LOG_PROJECT_BYTES_PER_DAY: '100000000000',
      };
    case 'conductor':
      return { CONDUCTOR_HOST_NAME: name, CONDUCTOR_HEARTBEAT_TIMEOUT_SECONDS: '6' };
    case 'allocation':
      return { ALLOCATION_RECOVERY_SECONDS: '3' };
    case 'compute':
      return { COMPUTE_REPLICA: name, COMPUTE_RECOVERY_SECONDS: '2', COMPUTE_POLL_SECONDS: '1' };
    case 'gateway':
      return { REDIS_URL: redisUrl };
  }
};

const openWorkloads = async (
  dataDir: string,
  stores: Stores,
  { settings, replicasOf }: { settings: Settings; replicasOf: (part: Part) => number },
): Promise<Workloads> => {
  const urls: Record<string, string> = {};
  const logDir = path.join(dataDir, 'log');
  mkdirSync(logDir, { recursive: true });
  const open = async (part: Part): Promise<Workload> => {
    const workload = await Workload.open({
      part,
      replicas: replicasOf(part),
      logDir,
      isStateful: part === 'conductor',
      env: ({ name }) => ({
        ...cleanEnvironment(),
        ...urls,
        TENURE_DATA_DIR: dataDir,
        TENURE_CONTEXT_KEYS_DIR: path.join(dataDir, 'keys', part),
        ...ownSettings(part, name, dataDir, stores),
        ...settings,
      }),
    });
    urls[`${part.toUpperCase()}_URL`] = `http://127.0.0.1:${String(workload.service.port)}`;
    return workload;
  };
  return {
    pdp: await open('pdp'),
    inventory: await open('inventory'),
    conductor: await open('conductor'),
    allocation: await open('allocation'),
    compute: await open('compute'),
    gateway: await open('gateway'),
  };
};

const portsOf = (workloads: Workloads): Readonly<Record<Part, number>> => ({
  pdp: workloads.pdp.service.port,
  inventory: workloads.inventory.service.port,
  conductor: workloads.conductor.service.port,
  allocation: workloads.allocation.service.port,
  compute: workloads.compute.service.port,
  gateway: workloads.gateway.service.port,
});

/** The secrets that the parts share, as an operator makes them. */
const makeSecrets = (dataDir: string): void => {
  execFileSync(process.execPath, [path.join(root, 'cli', 'bin', 'tenure.js'), 'init'], {
    env: { ...cleanEnvironment(), TENURE_DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
};

/**
 * Starts a separate, empty cluster for a suite. Stop it in `afterAll`.
 *
 * @param replicas number of replicas of each part, instead of the production values
 */
export async function startCluster(
  name: string,
  settings: Settings = {},
  replicas?: number,
): Promise<Cluster> {
  mkdirSync(runDirectory, { recursive: true });
  const directory = mkdtempSync(path.join(runDirectory, `${name}-`));
  const dataDir = path.join(directory, 'data');
  makeSecrets(dataDir);
  const [mongo, redis] = await Promise.all([startMongo(), startRedis()]);
  const stores = { mongoUri: mongo.uri, redisUrl: redis.url };
  const replicasOf = (part: Part): number => replicas ?? REPLICAS[part];
  const workloads = await openWorkloads(dataDir, stores, { settings, replicasOf });
  const all = Object.values(workloads);
  const ports = portsOf(workloads);
  await Promise.all(all.map((workload) => workload.start()));
  const ingress = await startIngress(path.join(directory, 'nginx'), ports.gateway);
  const { pid, url } = ingress;
  const logFile = path.join(directory, 'nginx', 'nginx.log');
  return {
    ...connectTo({ pid, env: cleanEnvironment(), ports, logFile, dataDir }),
    url,
    workloads,
    mongo,
    redis,
    stop: async () => {
      await ingress.stop();
      await Promise.all(all.map((workload) => workload.close()));
      await Promise.all([mongo.stop(), redis.stop()]);
    },
  };
}
