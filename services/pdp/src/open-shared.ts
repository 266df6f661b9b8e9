import { type ConfigOf, inTime, type Logger, type ObserveDependency } from '@tenure/process';
import {
  createRedisFailures,
  type FailureCounter,
  openSharedState,
  type Redis,
  redisAddressOf,
} from '@tenure/shared-state';
import { createRedisRegistry } from './adapters/replica-registry-redis.js';
import { createRedisSessions } from './adapters/sessions-redis.js';
import { type PdpMetrics } from './application/metrics.js';
import { type pdpVariables } from './config.js';
import { type ReplicaRegistry } from './ports/replica-registry.js';
import { type Sessions } from './ports/sessions.js';

type Config = ConfigOf<typeof pdpVariables>;

/** State that replicas of the decision point share. */
export interface OpenShared {
  readonly registry: ReplicaRegistry;
  readonly failures: FailureCounter;
  /** Sessions of the console. */
  readonly sessions: Sessions;
  readonly close: () => void;
}

export interface SharedTools {
  readonly logger: Logger;
  readonly metrics: Pick<PdpMetrics, 'forged'>;
  readonly observe: ObserveDependency;
}

/** Milliseconds that one bundle may take. */
const BUNDLE_MS = 5000;
/** Milliseconds that a start waits for Redis, so that it begins with the policy of the other replicas. */
const START_MS = 1500;

/**
 * @returns undefined where there is no Redis, and this is the only replica
 * @throws ConfigError when the variables do not go together
 * @throws Error when the key cannot be read
 */
export async function openShared(
  config: Config,
  { logger, metrics, observe }: SharedTools,
): Promise<OpenShared | undefined> {
  // Without Redis nothing is sealed, so no key is created.
  if (redisAddressOf(config) === undefined) return undefined;
  const { redis, another, seal, close } = openSharedState(config, logger, observe);
  if (redis === undefined || another === undefined) return undefined;
  const slow = another({ commandMs: BUNDLE_MS });
  const subscriber = another({});
  await untilReady([redis, slow]);
  const registry = createRedisRegistry({
    ...{ redis, slow, subscriber, seal },
    maxBytes: config.bundleMaxBytes,
    onForged: metrics.forged,
  });
  return {
    registry,
    failures: createRedisFailures(redis, seal),
    sessions: createRedisSessions(redis, seal, () => Date.now()),
    close,
  };
}

async function untilReady(connections: readonly Redis[]): Promise<void> {
  const ready = connections.map(async (redis) => {
    if (redis.status !== 'ready')
      await new Promise<void>((resolve) => {
        redis.once('ready', resolve);
      });
  });
  await inTime(START_MS, Promise.all(ready), () => undefined);
}
