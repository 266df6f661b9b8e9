import { type Redis } from 'ioredis';
import { openEntries, type RevocationStore, sealEntry } from './revocation-store.js';
import { type Seal } from './seal.js';

const KEY = 'tenure:revocations';

/** Revocations in one hash of Redis, by their ids, for any number of replicas. */
export const createRedisRevocations = (redis: Redis, seal: Seal): RevocationStore => {
  const list: RevocationStore['list'] = async () =>
    openEntries(seal, Object.values(await redis.hgetall(KEY)));
  const dropOld = async (): Promise<void> => {
    const live = new Set((await list()).map(({ id }) => id));
    const old = (await redis.hkeys(KEY)).filter((id) => !live.has(id));
    if (old.length > 0) await redis.hdel(KEY, ...old);
  };
  return {
    add: async (entry) => {
      await redis.hset(KEY, entry.id, sealEntry(seal, entry));
      await dropOld();
    },
    list,
  };
};
