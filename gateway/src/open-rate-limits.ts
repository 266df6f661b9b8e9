import { type Subject } from '@tenure/contracts';
import { Counter, Gauge, type Logger, type Registry } from '@tenure/process';
import { type Redis, type Seal } from '@tenure/shared-state';
import { createRedisPermits } from './adapters/permits-redis.js';
import {
  type AgentLimitOptions,
  type AgentLimits,
  createAgentLimits,
} from './application/rate-limit/agent-limits.js';
import { createIdentityLimit } from './application/rate-limit/identity-limit.js';
import { createKeyLimit } from './application/rate-limit/key-limit.js';
import { createPermitBatches } from './application/rate-limit/permit-batches.js';
import { createMemoryPermits } from './application/rate-limit/permits-memory.js';
import {
  createSharedPermits,
  type SharedPermits,
} from './application/rate-limit/shared-permits.js';

/** The rate limits of authenticated and of public requests. */
export interface RateLimits {
  readonly ofIdentity: (subject: Subject) => void | Promise<void>;
  readonly ofAddress: (address: string) => void;
  readonly ofAgents: AgentLimits;
}

export interface RateLimitParts {
  /** Requests per second. */
  readonly perSecond: number;
  /** Of agents: requests per second of one network, and failures per minute. */
  readonly agents: Pick<AgentLimitOptions, 'failuresPerMinute' | 'perSecond'>;
  /** Undefined where this is the only gateway. */
  readonly redis: Redis | undefined;
  readonly seal: Seal;
  readonly registry: Registry;
  readonly logger: Logger;
}

export function openRateLimits(parts: RateLimitParts): RateLimits {
  const { perSecond, agents, redis, seal, registry, logger } = parts;
  const limited = new Counter({
    name: 'tenure_gateway_rate_limited_requests_total',
    help: 'Requests refused by a rate limit, by that limit.',
    labelNames: ['limit'],
    registers: [registry],
  });
  const shared =
    redis === undefined
      ? undefined
      : createSharedPermits({ permits: createRedisPermits(redis, seal, perSecond), logger, now });
  measureFallback(registry, shared);
  const ofAddress = createKeyLimit(perSecond);
  return {
    ofIdentity: createIdentityLimit({
      local: createMemoryPermits(perSecond),
      shared: shared && createPermitBatches(shared, perSecond, now),
      onLimited: (limit) => {
        limited.inc({ limit });
      },
    }),
    ofAddress: (address) => {
      try {
        ofAddress(address);
      } catch (error) {
        limited.inc({ limit: 'address' });
        throw error;
      }
    },
    ofAgents: createAgentLimits({
      ...agents,
      onLimited: (limit) => {
        limited.inc({ limit });
      },
    }),
  };
}

const now = (): number => performance.now();

function measureFallback(registry: Registry, shared: SharedPermits | undefined): void {
  new Gauge({
    name: 'tenure_gateway_rate_limit_fallback',
    help: '1 while the shared rate limit is unavailable, so that each gateway limits alone.',
    registers: [registry],
    collect() {
      this.set(shared === undefined || shared.isUsable() ? 0 : 1);
    },
  });
}
