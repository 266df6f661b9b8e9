import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createSeal, type Redis, type Seal } from '@tenure/shared-state';
import { startTestRedis, type TestRedis } from '@tenure/shared-state/testing';
import { createRedisPermits } from '../src/adapters/permits-redis.js';
import { createMemoryPermits } from '../src/application/rate-limit/permits-memory.js';
import { type Permits } from '../src/ports/permits.js';

const seal: Seal = createSeal(Buffer.alloc(32, 1));
let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startTestRedis();
  ({ redis } = server);
});
afterAll(() => {
  server.stop();
});
afterEach(async () => {
  server.signal('SIGCONT');
  if (redis.status === 'ready') await redis.flushall();
});

/** How many there are in a second, and what has come in since `began`. */
const atMost = (perSecond: number, began: number): number =>
  Math.ceil(perSecond + ((performance.now() - began) / 1000) * perSecond);

/** Waits until a bucket gives something again. */
async function untilGiven(permits: Permits, name: string): Promise<void> {
  while ((await permits.take(name, 1)) === 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

describe.each([
  ['memory', (perSecond: number): Permits => createMemoryPermits(perSecond)],
  ['redis', (perSecond: number): Permits => createRedisPermits(redis, seal, perSecond)],
])('permits in %s', (_kind, create) => {
  it('are granted as requested while there are enough, and the rest after that', async () => {
    const permits = create(10);
    const taken = [];
    for (let round = 0; round < 3; round += 1) taken.push(await permits.take('a', 4));
    expect(taken.slice(0, 2)).toEqual([4, 4]);
    expect(taken[2]).toBeGreaterThanOrEqual(2);
  });

  it('are a bucket for each name', async () => {
    const permits = create(5);
    expect(await permits.take('a', 100)).toBe(5);
    expect(await permits.take('b', 100)).toBe(5);
    expect(await permits.take('', 100)).toBe(5);
  });

  it('are none when they are used up, and come back at their rate', async () => {
    const permits = create(2);
    const began = performance.now();
    expect(await permits.take('a', 2)).toBe(2);
    await untilGiven(permits, 'a');
    // Half a second for each; clocks of two processes may differ by a moment.
    expect(performance.now() - began).toBeGreaterThan(490);
  });

  it.each([1, 7, 1_000_000])('are never more than a second holds, at %d a second', async (rate) => {
    const permits = create(rate);
    const began = performance.now();
    const taken = await Promise.all(
      Array.from({ length: 40 }, () => permits.take('a', Math.ceil(rate / 10))),
    );
    const sum = taken.reduce((total, one) => total + one, 0);
    expect(sum).toBeGreaterThanOrEqual(rate);
    expect(sum).toBeLessThanOrEqual(atMost(rate, began));
  });
});

describe('permits in Redis', () => {
  const keys = (): Promise<string[]> => redis.keys('*');
  const create = (perSecond: number): Permits => createRedisPermits(redis, seal, perSecond);

  it('are the same for all replicas that share it', async () => {
    expect(await create(5).take('a', 3)).toBe(3);
    expect(await create(5).take('a', 5)).toBe(2);
  });

  it('expire when their bucket is full again, and hide the names', async () => {
    await create(5).take('olga', 3);
    const [key = '', ...others] = await keys();
    expect(others).toEqual([]);
    expect(key).toMatch(/^tenure:permits:[\w-]{43}$/u);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(2000);
  });

  it.each(['', 'garbage', 'nan', 'inf', '-inf', '-5', '1e400', '9007199254740993', '0x7f'])(
    'what somebody else wrote shuts nobody out: %j',
    async (text) => {
      await create(100).take('a', 1);
      const [key = ''] = await keys();
      await redis.set(key, text);
      expect(await create(100).take('a', 1000)).toBe(100);
    },
  );

  it('are an error where a key has another Redis type', async () => {
    await create(5).take('a', 1);
    const [key = ''] = await keys();
    await redis.del(key);
    await redis.lpush(key, 'x');
    await expect(create(5).take('a', 1)).rejects.toThrow('WRONGTYPE');
  });

  it('are an error after a short time while Redis hangs or is down, and available again afterwards', async () => {
    const permits = create(1000);
    server.signal('SIGSTOP');
    await expect(permits.take('a', 1)).rejects.toThrow();
    server.signal('SIGCONT');
    await new Promise<void>((resolve) => {
      if (redis.status === 'ready') resolve();
      else redis.once('ready', resolve);
    });
    expect(await permits.take('a', 1)).toBe(1);
    server.signal('SIGKILL');
    await expect(permits.take('a', 1)).rejects.toThrow();
    await expect(permits.take('a', 1)).rejects.toThrow();
  });
});
