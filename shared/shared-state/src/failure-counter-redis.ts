import { type Redis } from 'ioredis';
import { type Seal } from './seal.js';

/** Counts events by name within a window of time. */
export interface FailureCounter {
  /** The number of events in the window. @throws Error when Redis cannot be read */
  readonly count: (name: string) => Promise<number>;
  readonly add: (name: string) => Promise<void>;
}

const WINDOW_SECONDS = 60;

/** Counts that replicas share in Redis, under sealed names. An attacker who can write to Redis can only make callers wait. */
export function createRedisFailures(redis: Redis, seal: Seal): FailureCounter {
  const keyOf = (name: string): string => `tenure:failures:${seal.nameOf('failure', name)}`;
  return {
    count: async (name) => {
      const failures = Number(await redis.get(keyOf(name)));
      return Number.isSafeInteger(failures) ? failures : 0;
    },
    add: async (name) => {
      const key = keyOf(name);
      await redis.incr(key);
      await redis.expire(key, WINDOW_SECONDS, 'NX');
    },
  };
}
