import { type Logger } from '@tenure/process';
import {
  createSeal,
  loadOrCreateSealKey,
  openRedis,
  type Redis,
  type Seal,
} from '@tenure/shared-state';
import { type GatewayConfig } from './config.js';

/** What this gateway shares with others, and with the command line. */
export interface SharedState {
  readonly seal: Seal;
  /** Undefined where this is the only gateway. */
  readonly redis: Redis | undefined;
  readonly close: () => void;
}

const connect = (url: string, logger: Logger): Redis => {
  const redis = openRedis(url, (error) => {
    logger.warn({ err: error }, 'Redis cannot be reached');
  });
  // In the background: without it everything works, more slowly.
  redis.connect().catch(() => undefined);
  return redis;
};

/** @throws Error when the key cannot be read */
export const openSharedState = (config: GatewayConfig, logger: Logger): SharedState => {
  const redis = config.redisUrl === '' ? undefined : connect(config.redisUrl, logger);
  return {
    seal: createSeal(loadOrCreateSealKey(config.sealKeyFile)),
    redis,
    close: () => {
      redis?.disconnect();
    },
  };
};
