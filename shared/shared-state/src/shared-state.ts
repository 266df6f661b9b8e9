import { type Logger, type ObserveDependency } from '@tenure/process';
import { redisAddressOf, type RedisConfig } from './redis-variables.js';
import { openRedis, type Redis, type RedisUse } from './redis.js';
import { openSeal } from './seal-key.js';
import { type Seal } from './seal.js';

/** State that a replica shares with other replicas and with the command line. */
export interface SharedState {
  readonly seal: Seal;
  /** Undefined where this is the only replica. */
  readonly redis: Redis | undefined;
  /** A further connection: a subscriber can do nothing else, and large values take their time. */
  readonly another: ((use: Pick<RedisUse, 'commandMs'>) => Redis) | undefined;
  readonly close: () => void;
}

/**
 * Connects in the background: without Redis everything works, each replica for itself.
 * @throws ConfigError when the variables do not go together
 * @throws Error when the key cannot be read
 */
export function openSharedState(
  config: RedisConfig,
  logger: Logger,
  observe: ObserveDependency,
): SharedState {
  const address = redisAddressOf(config);
  const seal = openSeal(config.sealKeyFile, logger);
  if (address === undefined)
    return { seal, redis: undefined, another: undefined, close: () => undefined };
  const open: Redis[] = [];
  const connect = (use: Pick<RedisUse, 'commandMs'>): Redis => {
    const redis = openRedis(address, {
      ...use,
      onError: (error) => {
        logger.warn({ err: error }, `Redis cannot be used: ${error.message}`);
      },
      onCommand: (outcome, seconds) => {
        observe('redis', outcome, seconds);
      },
    });
    redis.connect().catch(() => undefined);
    open.push(redis);
    return redis;
  };
  return {
    seal,
    redis: connect({}),
    another: connect,
    close: () => {
      for (const redis of open) redis.disconnect();
    },
  };
}
