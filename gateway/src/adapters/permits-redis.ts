import { type Redis, type Seal } from '@tenure/shared-state';
import { type Permits } from '../ports/permits.js';

/**
 * A bucket is one number: the time, in microseconds of Redis' own clock, at which it will be full again. A value that is not
 * within the next second counts as a full bucket. So a foreign write or a clock set back blocks nobody for longer than a second.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local per_second = tonumber(ARGV[1])
local full_at = tonumber(redis.call('GET', KEYS[1]) or '')
if not (full_at and full_at > now and full_at <= now + 1000000) then full_at = now end
local available = math.floor((now + 1000000 - full_at) * per_second / 1000000)
local granted = math.min(tonumber(ARGV[2]), available)
if granted > 0 then
  full_at = math.floor(full_at + granted * 1000000 / per_second)
  redis.call('SET', KEYS[1], string.format('%.0f', full_at), 'PX', 2000)
end
return granted
`;

/** Permits that replicas share through Redis. The keys hide the names. */
export const createRedisPermits = (redis: Redis, seal: Seal, perSecond: number): Permits => ({
  take: async (name, want) => {
    const key = `tenure:permits:${seal.nameOf('permits', name)}`;
    const granted = await redis.eval(TAKE, 1, key, perSecond, want);
    if (typeof granted !== 'number' || !Number.isInteger(granted) || granted < 0 || granted > want)
      throw new Error('Redis returned no number of permits');
    return granted;
  },
});
