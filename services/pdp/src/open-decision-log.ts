import { readFileSync } from 'node:fs';
import {
  createLogWriter,
  lockInstance,
  loadOrCreateSigningKeys,
  openSegments,
  type SegmentStore,
} from '@tenure/decision-log';
import { type ConfigOf, type Logger, mongodbAddressOf, openOnDisk } from '@tenure/process';
import {
  type AuditLimiterOptions,
  createAuditLimiter,
  recordOfRefused,
  type RefusedRequest,
} from './adapters/audit-limiter.js';
import {
  createDecisionLog,
  noDecisionLog,
  type RecordSink,
  type ShareLimiter,
  stdoutSink,
} from './adapters/decision-log-sinks.js';
import { type LineBatch } from './adapters/line-batch.js';
import { createHttpReceiver } from './adapters/record-receiver-http.js';
import { createMongoReceiver } from './adapters/record-receiver-mongo.js';
import { diskFree, diskSpaceOf, startRetentionJob, stateBefore } from './adapters/retention-job.js';
import { type PdpMetrics } from './application/metrics.js';
import { type Shipper, startShipper } from './application/shipping/shipper.js';
import { type decisionLogVariables } from './config-decision-log.js';
import { createAuditShares } from './domain/audit-shares.js';
import { inputMasks } from './domain/input-masks.js';
import { recordTexts } from './domain/record-text.js';
import { retentionOf, type RetentionSettings } from './domain/retention.js';
import { type DecisionLog } from './ports/decision-log.js';
import { type RecordReceiver } from './ports/record-receiver.js';

type Config = ConfigOf<typeof decisionLogVariables>;

export interface DecisionLogOptions {
  readonly config: Config;
  readonly version: string;
  /** Where lines for stdout go. */
  readonly lines: Pick<LineBatch, 'add'>;
  readonly logger: Pick<Logger, 'info' | 'error'>;
  readonly metrics: PdpMetrics;
  /** The revision of the policy in service. */
  readonly revision: () => string;
}

export interface OpenDecisionLog {
  readonly log: DecisionLog;
  /** Writes the waiting records, and signs. */
  readonly close: () => Promise<void>;
}

interface Files {
  readonly sink: RecordSink;
  readonly instance: string;
  readonly shares: ShareLimiter;
  /** Starts the retention; `log` receives the records of refusals. */
  readonly keep: (log: Pick<DecisionLog, 'record'>) => void;
  readonly close: () => Promise<void>;
}

const HEAD_EVERY_MS = 200;
const RETENTION_EVERY_MS = 10_000;
const SEGMENT_MS = 86_400_000;
const SHIP_BYTES = 1024 * 1024;
const SHIP_EVERY_MS = 500;
const SHIP_RETRY_MS = 500;
const SHIP_MAX_RETRY_MS = 30_000;
const SHIP_DEADLINE_MS = 10_000;

const MONGODB_NAMES = {
  uri: 'PDP_DECISION_LOG_MONGODB_URI',
  tlsCaFile: 'PDP_DECISION_LOG_MONGODB_TLS_CA_FILE',
} as const;

/**
 * Opens the configured decision log.
 * @throws Error when it cannot be written, or key or masks cannot be used
 */
export async function openDecisionLog(options: DecisionLogOptions): Promise<OpenDecisionLog> {
  const { config, lines, version } = options;
  const mask = maskOf(config.decisionLogMasks);
  if (config.decisionLog.includes('none'))
    return { log: noDecisionLog, close: () => Promise.resolve() };
  const stdout = config.decisionLog.includes('stdout') ? [stdoutSink(lines)] : [];
  const texts = (id: string) => recordTexts({ id, version }, mask);
  if (!config.decisionLog.includes('files'))
    return {
      log: createDecisionLog(texts(config.instance), stdout),
      close: () => Promise.resolve(),
    };
  const root = needed(config.decisionLogDir, 'PDP_DECISION_LOG_DIR');
  const { sink, instance, shares, keep, close } = await openOnDisk(
    `the decision log in ${root}`,
    () => openFiles(root, options),
  );
  const log = createDecisionLog(texts(instance), [sink, ...stdout], shares);
  keep(log);
  return { log, close };
}

const maskOf = (file: string | undefined) =>
  inputMasks(file === undefined ? [] : JSON.parse(readFileSync(file, 'utf8')));

function needed(value: string | undefined, variable: string): string {
  if (value === undefined)
    throw new Error(
      `${variable} or TENURE_DATA_DIR must be set, because PDP_DECISION_LOG is files`,
    );
  return value;
}

async function openFiles(root: string, options: DecisionLogOptions): Promise<Files> {
  const { config, logger, metrics } = options;
  const keys = loadOrCreateSigningKeys(
    needed(config.decisionLogKeyFile, 'PDP_DECISION_LOG_KEY_FILE'),
  );
  const lock = lockInstance(root, config.instance);
  const settings = retentionOf(config);
  const shippers = startShippers(lock.dir, options);
  const store = await openSegments(
    { ...lock, ...keys },
    {
      ...settings,
      segmentBytes: config.decisionLogSegmentBytes,
      segmentMs: SEGMENT_MS,
      neededFrom: () =>
        shippers.length === 0
          ? undefined
          : Math.min(...shippers.map((shipper) => shipper.neededFrom())),
      onRetired: (segment, because) => {
        metrics.logRetired(because);
        logger.info(
          { dir: lock.dir, segment, because },
          'a segment of the decision log was removed',
        );
      },
      onWritten: metrics.logWritten,
      sync: config.decisionLogSync,
    },
  );
  for (const fault of store.faults)
    logger.error({ dir: lock.dir }, `the decision log has a fault: ${fault}`);
  const writer = createLogWriter({
    store,
    mode: config.decisionLogMode,
    maxPending: config.decisionLogMemoryBytes,
    deadlineMs: config.decisionLogDeadlineMs,
    headEveryMs: HEAD_EVERY_MS,
    onFailure: (error, records) => {
      metrics.logFailed();
      logger.error({ err: error, records }, 'the decision log could not be written');
    },
  });
  metrics.watchLog(writer.pending);
  const retention = await openRetention(lock.dir, store, settings, options);
  let job: ReturnType<typeof retention.start> | undefined;
  logger.info({ dir: lock.dir, mode: config.decisionLogMode }, 'decision log open');
  const close = async (): Promise<void> => {
    await job?.stop();
    await writer.close();
    await Promise.all(shippers.map((shipper) => shipper.stop()));
    lock.release();
  };
  const keep: Files['keep'] = (log) => {
    job = retention.start(log);
  };
  return { sink: writer, instance: lock.instance, shares: retention.limiter, keep, close };
}

const startShippers = (
  dir: string,
  { config, logger, metrics }: DecisionLogOptions,
): readonly Shipper[] =>
  receiversOf(config).map((receiver) =>
    startShipper({
      dir,
      receiver,
      batchBytes: SHIP_BYTES,
      everyMs: SHIP_EVERY_MS,
      retryMs: SHIP_RETRY_MS,
      maxRetryMs: SHIP_MAX_RETRY_MS,
      onSent: (records) => {
        metrics.logShipped(receiver.name, records);
      },
      onFailure: (error) => {
        metrics.logNotShipped(receiver.name);
        logger.error(
          { err: error, receiver: receiver.name },
          'records of the decision log could not be sent on; they stay in the files',
        );
      },
    }),
  );

/** Opens the shares and the retention of the files. */
async function openRetention(
  dir: string,
  store: SegmentStore,
  settings: RetentionSettings,
  { logger, metrics, revision }: DecisionLogOptions,
) {
  const { spaceBytes, reserveBytes, projectBytesPerDay } = settings;
  const disk = { freeBytes: await diskFree(dir) };
  const diskSpace: AuditLimiterOptions['diskSpace'] = () =>
    diskSpaceOf(Math.min(spaceBytes - store.usage().bytes, disk.freeBytes), reserveBytes);
  const before = stateBefore(dir);
  const shares = createAuditShares<RefusedRequest>({
    perDay: projectBytesPerDay,
    diskSpace,
    now: Date.now,
    before: before === undefined ? undefined : { at: Date.parse(before.at), uses: before.accounts },
  });
  metrics.watchRetention(() => ({
    ...store.usage(),
    ...settings,
    freeBytes: Math.max(0, Math.min(spaceBytes - store.usage().bytes, disk.freeBytes)),
    nearLimit: shares.nearLimit(),
  }));
  const limiter = createAuditLimiter({ shares, diskSpace, onRefused: metrics.logShareRefused });
  const start = (log: Pick<DecisionLog, 'record'>) =>
    startRetentionJob(
      {
        ...settings,
        dir,
        store,
        shares,
        logger,
        everyMs: RETENTION_EVERY_MS,
        onRefused: (refused) => {
          for (const one of refused)
            // The log itself reports a failed write.
            log.record(recordOfRefused(one, revision()))?.catch(() => undefined);
        },
      },
      disk,
    );
  return { limiter, start };
}

function receiversOf(config: Config): readonly RecordReceiver[] {
  const { decisionLogHttpUrl: url } = config;
  const given = {
    uri: config.decisionLogMongodbUri,
    uriFile: config.decisionLogMongodbUriFile,
    tlsCaFile: config.decisionLogMongodbTlsCaFile,
  };
  const address = mongodbAddressOf(given, MONGODB_NAMES);
  const deadlineMs = SHIP_DEADLINE_MS;
  const tokenFile = config.decisionLogHttpTokenFile;
  const token = tokenFile === undefined ? undefined : tokenIn(tokenFile);
  const database = config.decisionLogMongodbDatabase;
  return [
    ...(url === undefined ? [] : [createHttpReceiver({ url, token, deadlineMs })]),
    ...(address === undefined ? [] : [createMongoReceiver({ address, database, deadlineMs })]),
  ];
}

/** Read before each batch. @throws Error when the file cannot be read at the start */
function tokenIn(file: string): () => string {
  const read = (): string => readFileSync(file, 'utf8').trim();
  read();
  return read;
}
