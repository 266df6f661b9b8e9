import { AppError } from '@tenure/contracts';
import { type ClientAddress } from '@tenure/http';
import { LRUCache } from 'lru-cache';
import { createKeyLimit } from './key-limit.js';

/** An admitted request. Ends once. */
export interface AdmittedAgent {
  /** @param outcome `failed` when the caller was not an agent that a machine waits for */
  readonly ended: (outcome: 'failed' | 'other' | 'proved') => void;
}

/** Rate limits for the routes of agents, which need no token of the API. */
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
  /** Called for each refused request, with the limit that refused it. */
  readonly onLimited: (by: 'agent_failures' | 'agent_network') => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

const WINDOW_MS = 60_000;
/** Milliseconds after a valid token for which an address is not limited by the failures of its network. */
const PROVED_MS = 10 * WINDOW_MS;
const MAX_NAMES = 20_000;
/** Limit of requests in flight, which may all fail, as a multiple of the failures of a minute. */
const UNDER_WAY = 10;

interface Tally {
  failures: number;
  readonly endsAt: number;
}

/**
 * Limits of this process alone. A successful request only counts against the requests per second, so a fleet behind one
 * network is not limited by failures. An address that had a valid token is limited by its own failures only.
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
          // For IPv4 the network is larger than the address.
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

/** Costs of requests in flight, by network. */
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

/** The network that one sender usually controls: a /24 of IPv4, a /64 of IPv6. */
const networkOf = ({ address, network }: ClientAddress): string =>
  /^[0-9.]+$/u.test(address) ? `${address.slice(0, address.lastIndexOf('.'))}.0/24` : network;
