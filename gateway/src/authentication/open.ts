import { Gauge, type Logger, type Registry } from '@tenure/process';
import {
  createFileRevocations,
  createRedisRevocations,
  createSeal,
  loadOrCreateSealKey,
  openRedis,
  type Redis,
  type RevocationStore,
  type Seal,
} from '@tenure/shared-state';
import { type GatewayConfig } from '../config.js';
import { openIssuers } from '../issuers.js';
import { type ServiceSession } from '../keystone/service-session.js';
import { type Poller } from '../revocation/poller.js';
import { createRevocationList } from '../revocation/revocation-list.js';
import { watchStore } from '../revocation/sources.js';
import { createRedisTokenCache } from '../token-cache/token-cache-redis.js';
import { createIssuerTokens } from '../tokens/issuer-tokens.js';
import { type Authenticator, createAuthenticator } from './authenticator.js';
import { createFileUsers } from './basic-users-file.js';
import { type BasicUsers } from './basic-users.js';
import { createMemoryFailures } from './failure-counter-memory.js';
import { createRedisFailures } from './failure-counter-redis.js';
import { createFailureLimit, type FailureLimit } from './failure-limit.js';
import { type OpenKeystone, openKeystone } from './open-keystone.js';
import { createTokenAuthority } from './token-authority.js';
import { readUsers } from './users-file.js';

/** Everything by which callers are known. */
export interface Authentication {
  readonly authenticator: Authenticator;
  /** `WWW-Authenticate` of every 401. */
  readonly challenge: string;
  /** Tokens of the gateway's own user at Keystone; undefined where there is no Keystone. */
  readonly ownSession: ServiceSession | undefined;
  /** For the log. */
  readonly issuers: readonly string[];
  readonly close: () => Promise<void>;
}

/** Milliseconds between looks at what operators revoked, at most. */
const MAX_STORE_POLL_MS = 1000;

const challengeOf = (config: GatewayConfig): string => {
  const { keystoneUrl, keystonePublicUrl, basicAuthFile } = config;
  const challenges = [
    ...(keystoneUrl === ''
      ? []
      : [`Keystone uri="${keystonePublicUrl === '' ? keystoneUrl : keystonePublicUrl}"`]),
    ...(basicAuthFile === '' ? [] : ['Basic realm="tenure", charset="UTF-8"']),
  ];
  return challenges.length === 0 ? 'Bearer realm="tenure"' : challenges.join(', ');
};

const connect = (url: string, logger: Logger): Redis => {
  const redis = openRedis(url, (error) => {
    logger.warn({ err: error }, 'Redis cannot be reached');
  });
  // In the background: without it everything works, more slowly.
  redis.connect().catch(() => undefined);
  return redis;
};

/** How old what is known of revocations is, by source: it should stay below REVOCATION_SECONDS. */
const measureLag = (registry: Registry, pollers: readonly Poller[]): void => {
  new Gauge({
    name: 'tenure_gateway_revocation_lag_seconds',
    help: 'Seconds since revocations were last read, by source.',
    labelNames: ['source'],
    registers: [registry],
    collect() {
      for (const { name, lag } of pollers) this.set({ source: name }, lag());
    },
  });
};

/** What this gateway shares with others, and with the command line. */
interface Shared {
  readonly seal: Seal;
  readonly redis: Redis | undefined;
  readonly store: RevocationStore;
  readonly limitTo: (perMinute: number) => FailureLimit;
}

const openShared = (config: GatewayConfig, logger: Logger): Shared => {
  const seal = createSeal(loadOrCreateSealKey(config.sealKeyFile));
  const redis = config.redisUrl === '' ? undefined : connect(config.redisUrl, logger);
  return {
    seal,
    redis,
    store:
      redis === undefined
        ? createFileRevocations(config.revocationFile, seal)
        : createRedisRevocations(redis, seal),
    limitTo: (perMinute) =>
      createFailureLimit({
        perMinute,
        local: createMemoryFailures(),
        shared: redis === undefined ? undefined : createRedisFailures(redis, seal),
      }),
  };
};

const basicUsers = (config: GatewayConfig, { limitTo }: Shared): BasicUsers | undefined =>
  config.basicAuthFile === ''
    ? undefined
    : createFileUsers(
        readUsers(config.basicAuthFile, config.basicAuthScopesFile),
        limitTo(config.failedLogins),
      );

/** @throws Error when a key or a file that is configured cannot be read */
export const openAuthentication = (
  config: GatewayConfig,
  registry: Registry,
  logger: Logger,
): Authentication => {
  const shared = openShared(config, logger);
  const { seal, redis } = shared;
  const revocations = createRevocationList();
  const operator = watchStore(shared.store, {
    list: revocations,
    everyMs: Math.min(MAX_STORE_POLL_MS, config.revocationSeconds * 250),
    logger,
  });
  const { issuers, stop: stopIssuers } = openIssuers(config, logger);
  const keystone: OpenKeystone | undefined =
    config.keystoneUrl === ''
      ? undefined
      : openKeystone({
          config,
          revocations,
          shared: redis === undefined ? undefined : createRedisTokenCache(redis, seal),
          seal,
          failures: shared.limitTo(config.failedTokens),
          logger,
        });
  measureLag(registry, keystone === undefined ? [operator] : [operator, keystone.events]);
  const authenticator = createAuthenticator({
    tokens: createTokenAuthority({
      issuers: createIssuerTokens(issuers),
      keystone: keystone?.tokens,
      jwsKeys: keystone?.jwsKeys,
      revocations,
    }),
    basic: basicUsers(config, shared),
    serviceRoles: keystone === undefined ? [] : config.serviceTokenRoles,
    deadlineMs: config.authenticationDeadlineMs,
  });
  return {
    authenticator,
    challenge: challengeOf(config),
    ownSession: keystone?.session,
    issuers: issuers.map(({ name }) => name),
    close: async () => {
      stopIssuers();
      operator.stop();
      redis?.disconnect();
      await keystone?.close();
    },
  };
};
