import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { withoutTrailing } from '@tenure/contracts';
import { startListener } from '@tenure/http';
import { memberOf, switchesOf } from '@tenure/policy';
import {
  type ConfigOf,
  createDependencyMetrics,
  createLogger,
  createRequestMetrics,
  helpText,
  loadConfig,
  logDestination,
  type Logger,
  type RunningService,
  runService,
  type ServiceKit,
} from '@tenure/process';
import { createLineBatch, type LineBatch } from './adapters/line-batch.js';
import { createApp } from './app.js';
import { type PolicyActivator } from './application/activation/activator.js';
import { bundleFromPeers } from './application/activation/peer-bundles.js';
import { createPolicyReplicas, type PolicyReplicas } from './application/activation/replicas.js';
import { type PolicyShadow } from './application/activation/shadow.js';
import { createDecisionPoint } from './application/decision-point.js';
import { createDeprecationNotices } from './application/deprecation-notices.js';
import { createPdpMetrics, type PdpMetrics } from './application/metrics.js';
import { pdpVariables } from './config.js';
import { parseInvariants } from './domain/self-test.js';
import { administrationOf } from './http/administration.js';
import {
  anyClient,
  type ClientCheck,
  watchClientTokens,
  isLoopback,
} from './http/client-tokens.js';
import { checkConsole, openAuditConsole } from './open-console.js';
import { type OpenDecisionLog, openDecisionLog } from './open-decision-log.js';
import { openPolicy } from './open-policy.js';
import { type OpenShared, openShared, type SharedTools as OpenSharedTools } from './open-shared.js';

type Config = ConfigOf<typeof pdpVariables>;

/** Bytes of log that wait for a slow reader before lines are dropped. */
const LOG_BACKLOG = 32 * 1024 * 1024;
const LOOK_AT_OTHERS_MS = 2000;

const readJsonBeside = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));

const versionOf = (manifest: unknown): string => String(memberOf(manifest, 'version'));

type Configuration = ReturnType<typeof configure>;

const publicUrlOf = ({ publicUrl, host, port }: Config): string =>
  withoutTrailing(publicUrl ?? `http://${host}:${port}`, '/');

/** The parts that reload on SIGHUP. */
type Reloadable = Pick<
  PolicyActivator | PolicyReplicas | PolicyShadow,
  'reload' | 'reloadIfChanged'
>;

/** The policy in service and the shadow, which follow their sources, and the other replicas. */
interface FollowedPolicy {
  readonly activator: PolicyActivator;
  readonly shadow: PolicyShadow | undefined;
  /** Undefined where this is the only one, as is `replicas`. */
  readonly shared: OpenShared | undefined;
  readonly replicas: PolicyReplicas | undefined;
  readonly stop: () => Promise<void>;
}

interface Tools extends OpenSharedTools {
  readonly metrics: PdpMetrics;
}

await runService({
  name: 'pdp',
  help: helpText(
    'node services/pdp/dist/server.js',
    'The policy decision point: answers questions about permission from a Rego policy in WASM.',
    pdpVariables,
  ),
  env: process.env,
  configure,
  start,
});

/** The configuration, and one destination for all lines: two writers on one pipe would tear each other's. */
function configure() {
  const config = loadConfig(pdpVariables, process.env);
  checkConsole(config, process.env);
  const pending: { batch?: LineBatch } = {};
  // Before pino's own exit handler, which closes the destination.
  process.on('exit', () => pending.batch?.flush());
  const destination = logDestination({ sync: false, maxLength: LOG_BACKLOG });
  const batch = createLineBatch(destination);
  pending.batch = batch;
  setInterval(batch.flush, config.decisionLogFlushMs).unref();
  const logger = createLogger('pdp', config.logLevel, destination);
  return { config, destination, batch, logger };
}

async function start(kit: Configuration & ServiceKit): Promise<RunningService> {
  const { config, logger, registry } = kit;
  const isClient = clientCheckOf(config, logger);
  const live: { activator?: PolicyActivator } = {};
  const metrics = createPdpMetrics(
    registry,
    () => live.activator?.current().engine.memoryPages() ?? 0,
  );
  const observe = createDependencyMetrics(registry);
  const policy = await followedPolicy(config, { logger, metrics, observe });
  const { activator, shadow } = policy;
  live.activator = activator;
  const decisions = await openLogOf(kit, { metrics, activator });
  const point = createDecisionPoint({
    policy: activator.current,
    log: decisions.log,
    deprecation: createDeprecationNotices({ logger, metrics, now: () => performance.now() }),
    metrics,
    ...(shadow !== undefined && { shadow }),
  });
  const listener = await startListener(
    createApp({
      point,
      isClient,
      logger,
      publicUrl: publicUrlOf(config),
      metrics: createRequestMetrics(registry),
    }),
    config,
  );
  const auditors = openAuditConsole(config, { ...policy, point }, logger);
  return {
    ...administrationOf(config, {
      ...policy,
      switches: switchesOf(config),
      logger,
      auditors,
    }),
    listening: { host: config.host, port: listener.port },
    drain: listener.stop,
    close: async () => {
      auditors.stop();
      await policy.stop();
      await decisions.close();
    },
  };
}

function clientCheckOf({ host, clientTokenFile }: Config, logger: Logger): ClientCheck {
  if (clientTokenFile !== undefined)
    return watchClientTokens(clientTokenFile, 'client tokens', logger);
  if (!isLoopback(host))
    throw new Error(`PDP_CLIENT_TOKEN_FILE must be set, because PDP_HOST is not loopback`);
  return anyClient;
}

async function followedPolicy(config: Config, tools: Tools): Promise<FollowedPolicy> {
  const { logger, metrics } = tools;
  const shared = await openShared(config, tools);
  const found = await shared?.registry.readDesired().catch(() => undefined);
  const { activator, shadow, release } = await openPolicy(config, {
    logger,
    metrics,
    invariants: parseInvariants(readJsonBeside('self-test.json')),
    desired: found?.desired,
    ...(shared !== undefined && { fromPeers: bundleFromPeers(shared.registry) }),
  });
  const replicas = await followReplicas(config, { ...tools, activator, shared });
  const followed = [replicas ?? activator, ...(shadow === undefined ? [] : [shadow])];
  keepUpToDate(followed, config.reloadPollMs, logger);
  const stop = async (): Promise<void> => {
    await replicas?.stop();
    shared?.close();
    release();
  };
  return { activator, shadow, shared, replicas, stop };
}

function openLogOf(
  { config, destination, batch, logger }: Configuration,
  { metrics, activator }: { readonly metrics: PdpMetrics; readonly activator: PolicyActivator },
): Promise<OpenDecisionLog> {
  destination.on('drop', (text: string) => {
    metrics.logDropped(text.split('\n').length - 1);
  });
  return openDecisionLog({
    config,
    version: versionOf(readJsonBeside('package.json')),
    lines: batch,
    logger,
    metrics,
    revision: () => activator.current().revision,
  });
}

async function followReplicas(
  config: Config,
  { activator, shared, logger, metrics }: Tools & Pick<FollowedPolicy, 'activator' | 'shared'>,
): Promise<PolicyReplicas | undefined> {
  if (shared === undefined) return undefined;
  const { registry } = shared;
  const { instance } = config;
  const now = (): Date => new Date();
  const id = randomUUID();
  const everyMs = LOOK_AT_OTHERS_MS;
  const replicas = createPolicyReplicas({
    ...{ activator, registry, id, instance },
    ...{ logger, now, everyMs },
  });
  await replicas.start();
  metrics.watchReplicas(() => {
    const { replicas: all, isReachable } = replicas.status();
    return { count: all.length, isReachable };
  });
  return replicas;
}

function keepUpToDate(all: readonly Reloadable[], pollMs: number, logger: Logger): void {
  process.on('SIGHUP', () => {
    logger.info('SIGHUP: loading the policy again');
    for (const each of all) void each.reload();
  });
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    await Promise.allSettled(all.map((each) => each.reloadIfChanged()));
    isLooking = false;
  };
  if (pollMs > 0)
    setInterval(() => {
      void look();
    }, pollMs).unref();
}
