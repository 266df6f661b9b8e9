import { type Redis } from 'ioredis';
import { openEntries, pastEntries, type RevocationStore, sealEntry } from './revocation-store.js';
import { type Seal } from './seal.js';

const KEY = 'tenure:revocations';

/** Revocations in one hash of Redis, by their ids, for any number of replicas. */
export function createRedisRevocations(redis: Redis, seal: Seal): RevocationStore {
  const list: RevocationStore['list'] = async () =>
    openEntries(seal, Object.values(await redis.hgetall(KEY)));
  // Only entries that this key opens and that have expired: replicas with another key may still need the rest.
  const dropOld = async (): Promise<void> => {
    const over = pastEntries(seal, Object.values(await redis.hgetall(KEY)));
    if (over.length > 0) await redis.hdel(KEY, ...over.map(({ id }) => id));
  };
  return {
    add: async (entry) => {
      await redis.hset(KEY, entry.id, sealEntry(seal, entry));
      await dropOld();
    },
    list,
  };
}
