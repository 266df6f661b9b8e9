import { readFileSync } from 'node:fs';
import { startListener } from '@tenure/http';
import { memberOf, switchesOf } from '@tenure/policy';
import {
  type ConfigOf,
  createLogger,
  createRegistry,
  createRequestMetrics,
  helpText,
  loadConfig,
  type Logger,
  type Readiness,
  type RunningPart,
  runPart,
  startAdminServer,
  startTracing,
} from '@tenure/process';
import { pino } from 'pino';
import { startEvaluationWatch } from './adapters/evaluation-watch-worker.js';
import { createLineBatch, type LineBatch } from './adapters/line-batch.js';
import { type OpenDecisionLog, openDecisionLog } from './adapters/open-decision-log.js';
import { wasmEngines } from './adapters/policy-engine-wasm.js';
import { createFilePolicySource } from './adapters/policy-source-files.js';
import { limitByVm } from './adapters/time-limit-vm.js';
import { createApp } from './app.js';
import { pdpVariables } from './config.js';
import { createDecisionPoint } from './decision-point.js';
import { createDeprecationNotices } from './deprecation-notices.js';
import { parseInvariants } from './domain/self-test.js';
import {
  anyClient,
  type ClientCheck,
  createClientCheck,
  isLoopback,
} from './http/client-tokens.js';
import { createPdpMetrics, type PdpMetrics } from './metrics.js';
import { createPolicyKeeper, type PolicyKeeper } from './policy-keeper.js';

type Config = ConfigOf<typeof pdpVariables>;

const ABOUT =
  'The policy decision point: answers questions about permission from a Rego policy in WASM.';
/** Bytes of log that wait for a slow reader before lines are dropped. */
const LOG_BACKLOG = 32 * 1024 * 1024;

const clientCheckOf = ({ host, clientTokenFile }: Config): ClientCheck => {
  if (clientTokenFile !== undefined)
    return createClientCheck(readFileSync(clientTokenFile, 'utf8'));
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
  const destination = pino.destination({ dest: 1, sync: false, maxLength: LOG_BACKLOG });
  const batch = createLineBatch(destination);
  pending.batch = batch;
  setInterval(batch.flush, config.decisionLogFlushMs).unref();
  return { destination, batch, logger: createLogger('pdp', config.logLevel, destination) };
};

type Log = ReturnType<typeof openLog>;

const publicUrlOf = ({ publicUrl, host, port }: Config): string =>
  (publicUrl ?? `http://${host}:${port}`).replace(/\/+$/u, '');

const threadWorkMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

const keepUpToDate = (keeper: PolicyKeeper, pollMs: number, logger: Logger): void => {
  process.on('SIGHUP', () => {
    logger.info('SIGHUP: loading the policy again');
    void keeper.reload();
  });
  if (pollMs > 0)
    setInterval(() => {
      void keeper.reloadIfChanged();
    }, pollMs).unref();
};

const openLogOf = (
  config: Config,
  { destination, batch, logger }: Log,
  metrics: PdpMetrics,
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
  });
};

const readinessOf = (isStopping: boolean): Readiness =>
  isStopping ? { ready: false, reason: 'stopping' } : { ready: true, reason: 'ready' };

const start = async (config: Config, log: Log): Promise<RunningPart> => {
  const { logger } = log;
  const isClient = clientCheckOf(config);
  const registry = createRegistry('pdp');
  const tracing = await startTracing('pdp', process.env, registry, logger);
  const live: { keeper?: PolicyKeeper; stopping: boolean } = { stopping: false };
  const metrics = createPdpMetrics(
    registry,
    () => live.keeper?.current().engine.memoryPages() ?? 0,
  );
  const keeper = await createPolicyKeeper({
    source: createFilePolicySource(config),
    createEngine: wasmEngines(config.memoryPages),
    switches: switchesOf(config),
    invariants: parseInvariants(readJsonBeside('self-test.json')),
    limit: limitByVm,
    logger,
    metrics,
  });
  live.keeper = keeper;
  keepUpToDate(keeper, config.reloadPollMs, logger);
  const watch = await startEvaluationWatch(config.hardDeadlineMs);
  const decisions = await openLogOf(config, log, metrics);
  const point = createDecisionPoint({
    policy: keeper.current,
    watch,
    log: decisions.log,
    deprecation: createDeprecationNotices({ logger, metrics, now: () => performance.now() }),
    metrics,
    deadlineMs: config.deadlineMs,
    workMs: threadWorkMs,
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
  const admin = await startAdminServer({
    host: config.host,
    port: config.adminPort,
    registry,
    readiness: () => readinessOf(live.stopping),
  });
  logger.info({ host: config.host, port: listener.port }, 'listening');
  return {
    stop: async () => {
      live.stopping = true;
      await listener.stop();
      admin.close();
      await watch.stop();
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
  } catch (error) {
    createLogger('pdp', 'info').fatal(String(error));
    process.exitCode = 1;
    return;
  }
  const log = openLog(config);
  await runPart(log.logger, () => start(config, log));
};

await main();
