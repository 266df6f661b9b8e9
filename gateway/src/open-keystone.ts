import {
  createJsonHttp,
  createServiceSession,
  credentialOf,
  type ServiceSession,
} from '@tenure/http';
import { Counter, type Logger, type ObserveDependency, type Registry } from '@tenure/process';
import { type Seal } from '@tenure/shared-state';
import { type KeySource } from '@tenure/tokens';
import { createKeyDirectory } from './adapters/keystone/key-source-directory.js';
import { createKeystone } from './adapters/keystone/keystone-client.js';
import { type FailureLimit } from './application/authentication/failure-limit.js';
import {
  createKeystoneTokens,
  type KeystoneTokens,
  type TokenLookup,
  ttlOf,
} from './application/keystone/keystone-tokens.js';
import { createLookupLimits } from './application/keystone/lookup-limits.js';
import { type Poller } from './application/revocation/poller.js';
import { type RevocationList } from './application/revocation/revocation-list.js';
import { watchKeystoneEvents } from './application/revocation/sources.js';
import { createLayeredCache } from './application/token-cache/layered-cache.js';
import { type GatewayConfig } from './config.js';
import { type TokenCache } from './ports/token-cache.js';

/** The collaborators for Keystone. */
export interface OpenKeystone {
  readonly tokens: KeystoneTokens;
  /** Tokens of the gateway's own user. */
  readonly session: ServiceSession;
  readonly jwsKeys: KeySource | undefined;
  readonly events: Poller;
  readonly close: () => Promise<void>;
}

export interface KeystoneParts {
  readonly config: GatewayConfig;
  readonly revocations: RevocationList;
  /** Redis, in which replicas share Keystone's answers; undefined where this is the only one. */
  readonly shared: TokenCache | undefined;
  readonly seal: Seal;
  readonly failures: FailureLimit;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly observe: ObserveDependency;
}

/** Polls so often that a revocation takes effect in time even when one poll fails. */
const POLLS_PER_PERIOD = 4;
const MAX_AT_ONCE = 64;

/** @throws Error when a file with a secret cannot be read */
export function openKeystone(parts: KeystoneParts): OpenKeystone {
  const { config, revocations, shared, seal, logger } = parts;
  const http = createJsonHttp({
    service: 'Keystone',
    baseUrl: config.keystoneUrl.replace(/\/$/u, ''),
    deadlineMs: config.keystoneDeadlineMs,
    observe: parts.observe,
  });
  credentialOf(config); // fails at the start, rather than at the first login, when it cannot be read
  const session = createServiceSession(http, () => credentialOf(config));
  const keystone = createKeystone(http, session);
  const cacheMs = config.tokenCacheSeconds * 1000;
  const revocationMs = config.revocationSeconds * 1000;
  const events = watchKeystoneEvents(keystone, config.tokenCacheSeconds, {
    list: revocations,
    everyMs: revocationMs / POLLS_PER_PERIOD,
    logger,
  });
  const tokens = createKeystoneTokens({
    keystone,
    cache: createLayeredCache({ shared, seal, ttlMs: ttlOf(cacheMs), logger }),
    limits: createLookupLimits({
      perAddress: config.newTokensPerAddress,
      overall: config.newTokens,
      atOnce: MAX_AT_ONCE,
    }),
    failures: parts.failures,
    cacheMs,
    revocationMs,
    onLookup: countLookups(parts.registry),
    isListCurrent: () => events.lag() * 1000 <= revocationMs,
  });
  return {
    tokens,
    session,
    jwsKeys: keysOf(parts),
    events,
    close: async () => {
      events.stop();
      await keystone.close();
    },
  };
}

function countLookups(registry: Registry): (found: TokenLookup) => void {
  const lookups = new Counter({
    name: 'tenure_gateway_token_cache_lookups_total',
    help: 'Keystone tokens by where they were found: local, shared (cached by another gateway) or missed (Keystone was queried).',
    labelNames: ['found'],
    registers: [registry],
  });
  return (found) => {
    lookups.inc({ found });
  };
}

const keysOf = ({ config, logger }: KeystoneParts): KeySource | undefined =>
  config.keystoneJwsKeysDir === ''
    ? undefined
    : createKeyDirectory({
        directory: config.keystoneJwsKeysDir,
        logger,
        cooldownMs: config.jwksCooldownMs,
      });
