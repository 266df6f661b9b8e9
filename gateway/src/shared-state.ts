import { type Logger, type ObserveDependency } from '@tenure/process';
import { openRedis, openSeal, type Redis, type Seal } from '@tenure/shared-state';
import { type GatewayConfig } from './config.js';

/** What this gateway shares with others, and with the command line. */
export interface SharedState {
  readonly seal: Seal;
  /** Undefined where this is the only gateway. */
  readonly redis: Redis | undefined;
  readonly close: () => void;
}

const connect = (url: string, logger: Logger, observe: ObserveDependency): Redis => {
  const redis = openRedis(
    url,
    (error) => {
      logger.warn({ err: error }, 'Redis cannot be reached');
    },
    (outcome, seconds) => {
      observe('redis', outcome, seconds);
    },
  );
  // In the background: without it everything works, more slowly.
  redis.connect().catch(() => undefined);
  return redis;
};

/** @throws Error when the key cannot be read */
export const openSharedState = (
  config: GatewayConfig,
  logger: Logger,
  observe: ObserveDependency,
): SharedState => {
  const redis = config.redisUrl === '' ? undefined : connect(config.redisUrl, logger, observe);
  return {
    seal: openSeal(config.sealKeyFile, logger),
    redis,
    close: () => {
      redis?.disconnect();
    },
  };
};
