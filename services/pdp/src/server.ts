import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { withoutTrailing } from '@tenure/contracts';
import { startListener } from '@tenure/http';
import { memberOf, switchesOf } from '@tenure/policy';
import {
  type ConfigOf,
  createDependencyMetrics,
  createLogger,
  createRegistry,
  createRequestMetrics,
  helpText,
  loadConfig,
  logDestination,
  type Logger,
  type RunningPart,
  runPart,
  startTracing,
} from '@tenure/process';
import { auditDeskThread, createAuditDesk } from './adapters/audit-desk-threads.js';
import { startEvaluationWatch } from './adapters/evaluation-watch-worker.js';
import { createLineBatch, type LineBatch } from './adapters/line-batch.js';
import { type OpenDecisionLog, openDecisionLog } from './adapters/open-decision-log.js';
import { materialIn, openPolicy } from './adapters/open-policy.js';
import {
  type OpenShared,
  openShared,
  type SharedTools as OpenSharedTools,
} from './adapters/open-shared.js';
import { createApp } from './app.js';
import { checkConsole } from './config-console.js';
import { pdpVariables } from './config.js';
import { openConsole, setSwitches, statusOfKeeper } from './console/open.js';
import { createDecisionPoint, type DecisionPoint } from './decision-point.js';
import { createDeprecationNotices } from './deprecation-notices.js';
import { parseInvariants } from './domain/self-test.js';
import {
  anyClient,
  type ClientCheck,
  watchClientTokens,
  isLoopback,
} from './http/client-tokens.js';
import { startAdmin } from './http/start-admin.js';
import { createPdpMetrics, type PdpMetrics } from './metrics.js';
import { type PolicyKeeper } from './policy-keeper.js';
import { bundleElsewhere } from './replicas/bundle-elsewhere.js';
import { createPolicyReplicas, type PolicyReplicas } from './replicas/policy-replicas.js';
import { type PolicyShadow } from './shadow/policy-shadow.js';

type Config = ConfigOf<typeof pdpVariables>;

const ABOUT =
  'The policy decision point: answers questions about permission from a Rego policy in WASM.';
/** Bytes of log that wait for a slow reader before lines are dropped. */
const LOG_BACKLOG = 32 * 1024 * 1024;
const LOOK_AT_OTHERS_MS = 2000;

const clientCheckOf = ({ host, clientTokenFile }: Config, logger: Logger): ClientCheck => {
  if (clientTokenFile !== undefined)
    return watchClientTokens(clientTokenFile, 'client tokens', logger);
  if (!isLoopback(host))
    throw new Error(`PDP_CLIENT_TOKEN_FILE must be set, because PDP_HOST is not loopback`);
  return anyClient;
};

const readJsonBeside = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));

const versionOf = (manifest: unknown): string => String(memberOf(manifest, 'version'));

/** One destination for all lines: two writers on one pipe would tear each other's. */
const openLog = (config: Config) => {
  const pending: { batch?: LineBatch } = {};
  // Before pino's own exit handler, which closes the destination.
  process.on('exit', () => pending.batch?.flush());
  const destination = logDestination({ sync: false, maxLength: LOG_BACKLOG });
  const batch = createLineBatch(destination);
  pending.batch = batch;
  setInterval(batch.flush, config.decisionLogFlushMs).unref();
  return { destination, batch, logger: createLogger('pdp', config.logLevel, destination) };
};

type Log = ReturnType<typeof openLog>;

const publicUrlOf = ({ publicUrl, host, port }: Config): string =>
  withoutTrailing(publicUrl ?? `http://${host}:${port}`, '/');

const threadWorkMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** What can be told to load again. */
type Reloadable = Pick<PolicyKeeper | PolicyReplicas | PolicyShadow, 'reload' | 'reloadIfChanged'>;

const keepUpToDate = (all: readonly Reloadable[], pollMs: number, logger: Logger): void => {
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
};

const openLogOf = (
  config: Config,
  { destination, batch, logger }: Log,
  { metrics, keeper }: { readonly metrics: PdpMetrics; readonly keeper: PolicyKeeper },
): Promise<OpenDecisionLog> => {
  destination.on('drop', (text: string) => {
    metrics.logDropped(text.split('\n').length - 1);
  });
  return openDecisionLog({
    config,
    version: versionOf(readJsonBeside('package.json')),
    lines: batch,
    logger,
    metrics,
    revision: () => keeper.current().revision,
  });
};

/** The policy in service and the one beside it, which follow where they come from, and the other replicas. */
interface FollowedPolicy {
  readonly keeper: PolicyKeeper;
  readonly shadow: PolicyShadow | undefined;
  /** Undefined where this is the only one, as is `replicas`. */
  readonly shared: OpenShared | undefined;
  readonly replicas: PolicyReplicas | undefined;
  readonly stop: () => Promise<void>;
}

interface Tools extends OpenSharedTools {
  readonly metrics: PdpMetrics;
}

const followReplicas = async (
  config: Config,
  { keeper, shared, logger, metrics }: Tools & Pick<FollowedPolicy, 'keeper' | 'shared'>,
): Promise<PolicyReplicas | undefined> => {
  if (shared === undefined) return undefined;
  const { board } = shared;
  const { instance } = config;
  const now = (): Date => new Date();
  const id = randomUUID();
  const everyMs = LOOK_AT_OTHERS_MS;
  const replicas = createPolicyReplicas({ keeper, board, id, instance, logger, now, everyMs });
  await replicas.start();
  metrics.watchReplicas(() => {
    const { replicas: all, isReachable } = replicas.status();
    return { count: all.length, isReachable };
  });
  return replicas;
};

const followedPolicy = async (config: Config, tools: Tools): Promise<FollowedPolicy> => {
  const { logger, metrics } = tools;
  const shared = await openShared(config, tools);
  const seen = await shared?.board.readWish().catch(() => undefined);
  const { keeper, shadow, release } = await openPolicy(config, {
    logger,
    metrics,
    invariants: parseInvariants(readJsonBeside('self-test.json')),
    wish: seen?.wish,
    ...(shared !== undefined && { elsewhere: bundleElsewhere(shared.board) }),
  });
  const replicas = await followReplicas(config, { ...tools, keeper, shared });
  const followed = [replicas ?? keeper, ...(shadow === undefined ? [] : [shadow])];
  keepUpToDate(followed, config.reloadPollMs, logger);
  const stop = async (): Promise<void> => {
    await replicas?.stop();
    shared?.close();
    release();
  };
  return { keeper, shadow, shared, replicas, stop };
};

/** The pages for auditors; what they look up is looked up by other threads. */
const consoleOf = (
  config: Config,
  { keeper, shadow, replicas, shared }: FollowedPolicy,
  { point, logger }: { readonly point: DecisionPoint; readonly logger: Logger },
) =>
  openConsole({
    config,
    point,
    desk: createAuditDesk({
      dir: config.decisionLog.includes('files') ? config.decisionLogDir : undefined,
      policy: () => ({
        material: materialIn(keeper.serving()),
        revision: keeper.current().revision,
        switches: setSwitches(switchesOf(config)),
        maximumPages: config.memoryPages,
      }),
      thread: auditDeskThread,
    }),
    status: statusOfKeeper(keeper, shadow, () => replicas?.status()),
    shared,
    logger,
  });

const start = async (config: Config, log: Log): Promise<RunningPart> => {
  const { logger } = log;
  const isClient = clientCheckOf(config, logger);
  const registry = createRegistry('pdp');
  const tracing = await startTracing('pdp', process.env, registry, logger);
  const live: { keeper?: PolicyKeeper; stopping: boolean } = { stopping: false };
  const metrics = createPdpMetrics(
    registry,
    () => live.keeper?.current().engine.memoryPages() ?? 0,
  );
  const observe = createDependencyMetrics(registry);
  const policy = await followedPolicy(config, { logger, metrics, observe });
  const { keeper, shadow } = policy;
  live.keeper = keeper;
  const watch = await startEvaluationWatch(config.hardDeadlineMs);
  const decisions = await openLogOf(config, log, { metrics, keeper });
  const point = createDecisionPoint({
    policy: keeper.current,
    watch,
    log: decisions.log,
    deprecation: createDeprecationNotices({ logger, metrics, now: () => performance.now() }),
    metrics,
    deadlineMs: config.deadlineMs,
    workMs: threadWorkMs,
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
  const auditors = consoleOf(config, policy, { point, logger });
  const admin = await startAdmin(config, {
    ...policy,
    switches: switchesOf(config),
    registry,
    logger,
    auditors,
    isStopping: () => live.stopping,
  });
  logger.info({ host: config.host, port: listener.port }, 'listening');
  return {
    stop: async () => {
      live.stopping = true;
      await listener.stop();
      admin.close();
      admin.closeAllConnections();
      auditors.stop();
      await watch.stop();
      await policy.stop();
      await decisions.close();
      await tracing.stop();
    },
  };
};

const main = async (): Promise<void> => {
  if (process.argv.includes('--help')) {
    process.stdout.write(helpText('node services/pdp/dist/server.js', ABOUT, pdpVariables));
    return;
  }
  let config: Config;
  try {
    config = loadConfig(pdpVariables, process.env);
    checkConsole(config, process.env);
  } catch (error) {
    createLogger('pdp', 'info').fatal(String(error));
    process.exitCode = 1;
    return;
  }
  const log = openLog(config);
  await runPart(log.logger, () => start(config, log));
};

await main();
