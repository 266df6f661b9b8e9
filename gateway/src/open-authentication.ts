import { type ServiceSession } from '@tenure/http';
import {
  Gauge,
  type Logger,
  type ObserveDependency,
  type Registry,
  type Watched,
} from '@tenure/process';
import {
  createFileRevocations,
  createRedisFailures,
  createRedisRevocations,
  type RevocationStore,
  type SharedState,
} from '@tenure/shared-state';
import { createIssuerTokens, openIssuers } from '@tenure/tokens';
import { createFileUsers } from './adapters/basic-users/basic-users-file.js';
import { type Users, watchUsers } from './adapters/basic-users/watched-users.js';
import { createRedisTokenCache } from './adapters/token-cache-redis.js';
import {
  type Authenticator,
  createAuthenticator,
} from './application/authentication/authenticator.js';
import { createMemoryFailures } from './application/authentication/failure-counter-memory.js';
import {
  createFailureLimit,
  type FailureLimit,
} from './application/authentication/failure-limit.js';
import { createTokenAuthority } from './application/authentication/token-authority.js';
import { type Poller } from './application/revocation/poller.js';
import { createRevocationList } from './application/revocation/revocation-list.js';
import { watchStore } from './application/revocation/sources.js';
import { type GatewayConfig } from './config.js';
import { type OpenKeystone, openKeystone } from './open-keystone.js';

/** The authentication of callers. */
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

/** Maximum milliseconds between polls of operators' revocations and of their files. */
const MAX_STORE_POLL_MS = 1000;

type Shared = Pick<SharedState, 'redis' | 'seal'>;

/** The collaborators of authentication. */
export interface AuthenticationParts extends Shared {
  readonly registry: Registry;
  readonly logger: Logger;
  readonly observe: ObserveDependency;
}

/** @throws Error when a configured file cannot be read */
export function openAuthentication(
  config: GatewayConfig,
  shared: AuthenticationParts,
): Authentication {
  const { seal, redis, registry, logger, observe } = shared;
  const revocations = createRevocationList();
  const operator = watchStore(revocationsOf(config, shared), {
    list: revocations,
    everyMs: storePollMs(config),
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
          failures: failureLimit(config.failedTokens, shared),
          logger,
          registry,
          observe,
        });
  const users = openUsers(config, logger);
  measureLag(registry, keystone === undefined ? [operator] : [operator, keystone.events]);
  const authenticator = createAuthenticator({
    tokens: createTokenAuthority({
      issuers: createIssuerTokens(issuers),
      keystone: keystone?.tokens,
      jwsKeys: keystone?.jwsKeys,
      revocations,
    }),
    basic: users && createFileUsers(users.current, failureLimit(config.failedLogins, shared)),
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
      users?.stop();
      operator.stop();
      await keystone?.close();
    },
  };
}

const revocationsOf = (config: GatewayConfig, { redis, seal }: Shared): RevocationStore =>
  redis === undefined
    ? createFileRevocations(config.revocationFile, seal)
    : createRedisRevocations(redis, seal);

const storePollMs = ({ revocationSeconds }: GatewayConfig): number =>
  Math.min(MAX_STORE_POLL_MS, revocationSeconds * 250);

const failureLimit = (perMinute: number, { redis, seal }: Shared): FailureLimit =>
  createFailureLimit({
    perMinute,
    local: createMemoryFailures(),
    shared: redis === undefined ? undefined : createRedisFailures(redis, seal),
  });

/** Undefined where HTTP Basic authentication is off. */
const openUsers = (config: GatewayConfig, logger: Logger): Watched<Users> | undefined =>
  config.basicAuthFile === ''
    ? undefined
    : watchUsers({
        passwordFile: config.basicAuthFile,
        scopesFile: config.basicAuthScopesFile,
        everyMs: storePollMs(config),
        logger,
      });

/** Metric: age of the last read of revocations, by source. It should stay below REVOCATION_SECONDS. */
function measureLag(registry: Registry, pollers: readonly Poller[]): void {
  new Gauge({
    name: 'tenure_gateway_revocation_lag_seconds',
    help: 'Seconds since revocations were last read from this source.',
    labelNames: ['source'],
    registers: [registry],
    collect() {
      for (const { name, lag } of pollers) this.set({ source: name }, lag());
    },
  });
}

function challengeOf(config: GatewayConfig): string {
  const { keystoneUrl, keystonePublicUrl, basicAuthFile } = config;
  const challenges = [
    ...(keystoneUrl === ''
      ? []
      : [`Keystone uri="${keystonePublicUrl === '' ? keystoneUrl : keystonePublicUrl}"`]),
    ...(basicAuthFile === '' ? [] : ['Basic realm="tenure", charset="UTF-8"']),
  ];
  return challenges.length === 0 ? 'Bearer realm="tenure"' : challenges.join(', ');
}
