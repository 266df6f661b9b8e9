import { AppError } from '@tenure/contracts';
import { type ClientAddress } from '@tenure/http';
import { LRUCache } from 'lru-cache';
import { createKeyLimit } from './key-limit.js';

/** One request of a network that was admitted. Ends once. */
export interface AdmittedAgent {
  /** @param outcome `failed` when the caller was not an agent that a machine waits for */
  readonly ended: (outcome: 'failed' | 'other' | 'proved') => void;
}

/** Limits on callers without a token of the API: agents, and whoever looks for one. */
export interface AgentLimits {
  /**
   * @param cost what a failure would cost: the number of names that the request tries
   * @throws AppError 429
   */
  readonly admit: (client: ClientAddress, cost: number) => AdmittedAgent;
}

export interface AgentLimitOptions {
  /** Requests per second of one network. */
  readonly perSecond: number;
  /** Failures of one network in a minute. */
  readonly failuresPerMinute: number;
  /** Called with each request that is refused, and by which limit. */
  readonly onLimited: (by: 'agent_failures' | 'agent_network') => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

const WINDOW_MS = 60_000;
/** Milliseconds for which an address that proved itself is not limited by what its neighbours do. */
const PROVED_MS = 10 * WINDOW_MS;
const MAX_NAMES = 20_000;
/** Requests under way are failures that are not counted yet: so many times the failures of a minute may be under way. */
const UNDER_WAY = 10;

interface Tally {
  failures: number;
  readonly endsAt: number;
}

/**
 * Limits of this process alone. Requests that succeed cost nothing but their place in the second, so a fleet behind one
 * network may report as often as it likes; an address that proved itself is limited by its own failures only.
 */
export function createAgentLimits({
  perSecond,
  failuresPerMinute,
  onLimited,
  now = () => performance.now(),
}: AgentLimitOptions): AgentLimits {
  const inSecond = createKeyLimit(perSecond, now);
  const failures = createTallies(now);
  const underWay = createUnderWay();
  const provedUntil = new LRUCache<string, number>({ max: MAX_NAMES });

  const checkFailures = (client: ClientAddress, network: string): void => {
    const isProved = (provedUntil.get(client.address) ?? 0) > now();
    const name = isProved ? client.address : network;
    const isBusy = underWay.of(name) >= UNDER_WAY * failuresPerMinute;
    if (failures.of(name) < failuresPerMinute && !isBusy) return;
    onLimited('agent_failures');
    throw tooMany(failures.remainingMs(name));
  };

  return {
    admit: (client, cost) => {
      const network = networkOf(client);
      checkFailures(client, network);
      try {
        inSecond(network);
      } catch (error) {
        onLimited('agent_network');
        throw error;
      }
      underWay.add(network, cost);
      return {
        ended: (outcome) => {
          underWay.add(network, -cost);
          if (outcome === 'proved') provedUntil.set(client.address, now() + PROVED_MS);
          if (outcome !== 'failed') return;
          failures.add(network, cost);
          // Of IPv4 the network is larger than the address.
          failures.add(client.address, cost);
        },
      };
    },
  };
}

/** Failures by name. The window of a name begins with its first failure. */
function createTallies(now: () => number) {
  const tallies = new LRUCache<string, Tally>({ max: MAX_NAMES });
  const current = (name: string): Tally | undefined => {
    const tally = tallies.get(name);
    return tally === undefined || tally.endsAt <= now() ? undefined : tally;
  };
  return {
    of: (name: string): number => current(name)?.failures ?? 0,
    remainingMs: (name: string): number => (current(name)?.endsAt ?? 0) - now(),
    add: (name: string, cost: number): void => {
      const tally = current(name);
      if (tally === undefined) tallies.set(name, { failures: cost, endsAt: now() + WINDOW_MS });
      else tally.failures += cost;
    },
  };
}

/** Costs of requests under way, by network. */
function createUnderWay() {
  const costs = new Map<string, number>();
  return {
    of: (name: string): number => costs.get(name) ?? 0,
    add: (name: string, cost: number): void => {
      const sum = (costs.get(name) ?? 0) + cost;
      if (sum > 0) costs.set(name, sum);
      else costs.delete(name);
    },
  };
}

const tooMany = (remainingMs: number): AppError =>
  new AppError('too_many_requests', 429, 'Too many failed requests; try again later.', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(remainingMs / 1000))) },
  });

/** The network of a client, as far as one sender usually reaches: a /24 of IPv4, a /64 of IPv6. */
const networkOf = ({ address, network }: ClientAddress): string =>
  /^[0-9.]+$/u.test(address) ? `${address.slice(0, address.lastIndexOf('.'))}.0/24` : network;
