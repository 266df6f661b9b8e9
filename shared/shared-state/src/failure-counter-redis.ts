import { type Redis } from 'ioredis';
import { type Seal } from './seal.js';

/** Counts events by name within a window of time. */
export interface FailureCounter {
  /** How many there were in the window. @throws Error when that cannot be told now */
  readonly count: (name: string) => Promise<number>;
  readonly add: (name: string) => Promise<void>;
}

const WINDOW_SECONDS = 60;

/** Counts that replicas share. Names are not legible there. Who can write to Redis can only bring others to wait. */
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
