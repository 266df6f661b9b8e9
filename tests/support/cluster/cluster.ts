import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { type MongoProcess, startMongo } from '../mongo-process.js';
import { cleanEnvironment, root, runDirectory } from '../paths.js';
import { type RedisServer, startRedis } from '../redis-server.js';
import { connectTo, type Part, parts, type Tenure } from '../tenure.js';
import { startIngress } from './ingress.js';
import { Service } from './service.js';
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

/** A Tenure of several replicas of each part, with shared stores. */
export interface BareCluster extends Tenure {
  readonly workloads: Workloads;
  /** Undefined with the embedded store. */
  readonly mongo: MongoProcess | undefined;
  readonly redis: RedisServer;
}

/** With MongoDB, behind an ingress. */
export interface Cluster extends BareCluster {
  readonly mongo: MongoProcess;
}

/** A port of the loopback that leads to another, for the connections of one part to what it calls. */
type Between = (from: Part, to: Part | 'mongo' | 'redis', port: number) => Promise<number>;

interface ClusterOptions {
  readonly settings?: Settings;
  /** Replicas of each part, instead of the production values. */
  readonly replicas?: (part: Part) => number;
  /** Default: connections are direct. */
  readonly between?: Between;
  /** Called with the data directory before anything starts; gives the settings of each replica by its name. */
  readonly prepare?: (dataDir: string) => (replica: string) => Settings;
}

export type StoreKind = 'mongodb' | 'sqlite';

interface Stores {
  /** Undefined: the embedded store. */
  readonly mongoUri: string | undefined;
  readonly redisUrl: string;
}

interface Opening {
  readonly dataDir: string;
  readonly settings: Settings;
  readonly replicasOf: (part: Part) => number;
  /** The stores as a part reaches them. */
  readonly storesOf: (part: Part) => Promise<Stores>;
  readonly between: Between;
  readonly settingsOf: (replica: string) => Settings;
}

type Services = Readonly<Record<Part, Service>>;

/**
 * Starts a separate, empty cluster without an ingress: its address is that of the gateways' Service.
 *
 * @param store where the inventory stores: MongoDB, or the embedded store, which allows one replica
 */
export async function startBareCluster(
  name: string,
  store: StoreKind,
  {
    settings = {},
    replicas = (part) => REPLICAS[part],
    between = directly,
    prepare = () => () => ({}),
  }: ClusterOptions = {},
): Promise<BareCluster> {
  mkdirSync(runDirectory, { recursive: true });
  const directory = mkdtempSync(path.join(runDirectory, `${name}-`));
  const dataDir = path.join(directory, 'data');
  makeSecrets(dataDir);
  const settingsOf = prepare(dataDir);
  const [mongo, redis] = await Promise.all([
    store === 'mongodb' ? startMongo() : undefined,
    startRedis(),
  ]);
  const storesOf = async (part: Part): Promise<Stores> => ({
    mongoUri:
      mongo === undefined
        ? undefined
        : withPort(mongo.uri, await between(part, 'mongo', portOf(mongo.uri))),
    redisUrl: withPort(redis.url, await between(part, 'redis', portOf(redis.url))),
  });
  const replicasOf = (part: Part): number =>
    store === 'sqlite' && part === 'inventory' ? 1 : replicas(part);
  const opening = { dataDir, settings, replicasOf, storesOf, between, settingsOf };
  const workloads = await openWorkloads(opening);
  const all = Object.values(workloads);
  const ports = portsOf(workloads);
  const stop = async (): Promise<void> => {
    await Promise.all(all.map((workload) => workload.close()));
    await Promise.all([mongo?.stop(), redis.stop()]);
  };
  // When the start fails, the parts that have started are stopped.
  await Promise.all(all.map((workload) => workload.start())).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const logFile = path.join(dataDir, 'log', 'gateway-0.log');
  return {
    ...connectTo({ pid: process.pid, env: cleanEnvironment(), ports, logFile, dataDir }),
    workloads,
    mongo,
    redis,
    stop,
  };
}

/** Starts a separate, empty cluster for a suite, with MongoDB and behind an ingress. Stop it in `afterAll`. */
export async function startCluster(name: string, options: ClusterOptions = {}): Promise<Cluster> {
  const bare = await startBareCluster(name, 'mongodb', options);
  const { env, ports, dataDir, mongo } = bare;
  if (mongo === undefined) throw new Error('a cluster with MongoDB has none');
  const nginxDir = path.join(path.dirname(dataDir), 'nginx');
  const ingress = await startIngress(nginxDir, ports.gateway);
  const { pid, url } = ingress;
  const logFile = path.join(nginxDir, 'nginx.log');
  return {
    ...bare,
    ...connectTo({ pid, env, ports, logFile, dataDir }),
    mongo,
    url,
    stop: async () => {
      await ingress.stop();
      await bare.stop();
    },
  };
}

const directly: Between = (_from, _to, port) => Promise.resolve(port);

/** The secrets that the parts share, as an operator makes them. */
function makeSecrets(dataDir: string): void {
  execFileSync(process.execPath, [path.join(root, 'cli', 'bin', 'tenure.js'), 'init'], {
    env: { ...cleanEnvironment(), TENURE_DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}

const portOf = (url: string): number => Number(new URL(url).port);

async function openWorkloads({
  dataDir,
  settings,
  replicasOf,
  storesOf,
  between,
  settingsOf,
}: Opening): Promise<Workloads> {
  const logDir = path.join(dataDir, 'log');
  mkdirSync(logDir, { recursive: true });
  const services: Services = {
    pdp: await Service.open(),
    inventory: await Service.open(),
    conductor: await Service.open(),
    allocation: await Service.open(),
    compute: await Service.open(),
    gateway: await Service.open(),
  };
  const open = async (part: Part): Promise<Workload> => {
    const urls = await urlsOf(part, services, between);
    const stores = await storesOf(part);
    return new Workload(services[part], {
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
        ...settingsOf(name),
      }),
    });
  };
  return {
    pdp: await open('pdp'),
    inventory: await open('inventory'),
    conductor: await open('conductor'),
    allocation: await open('allocation'),
    compute: await open('compute'),
    gateway: await open('gateway'),
  };
}

const portsOf = (workloads: Workloads): Readonly<Record<Part, number>> => ({
  pdp: workloads.pdp.service.port,
  inventory: workloads.inventory.service.port,
  conductor: workloads.conductor.service.port,
  allocation: workloads.allocation.service.port,
  compute: workloads.compute.service.port,
  gateway: workloads.gateway.service.port,
});

/** The addresses of the other services, as a part reaches them. */
async function urlsOf(part: Part, services: Services, between: Between): Promise<Settings> {
  const urls: Record<string, string> = {};
  for (const callee of parts.filter((other) => other !== part)) {
    const port = await between(part, callee, services[callee].port);
    urls[`${callee.toUpperCase()}_URL`] = `http://127.0.0.1:${String(port)}`;
  }
  return urls;
}

/** Settings of single parts. Times are short, so that a test does not wait for them. */
function ownSettings(
  part: Part,
  name: string,
  dataDir: string,
  { mongoUri, redisUrl }: Stores,
): Settings {
  switch (part) {
    case 'inventory':
      return {
        ...(mongoUri !== undefined && { MONGODB_URI: mongoUri }),
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
}
