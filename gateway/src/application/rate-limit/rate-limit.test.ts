import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Subject } from '@tenure/contracts';
import { type Permits } from '../../ports/permits.js';
import { createIdentityLimit } from './identity-limit.js';
import { createKeyLimit } from './key-limit.js';
import { createPermitBatches } from './permit-batches.js';
import { createMemoryPermits, type MemoryPermits } from './permits-memory.js';
import { createSharedPermits, type SharedPermits } from './shared-permits.js';

const subject = (user: string, project: string | null): Subject => ({
  user_id: user,
  project_id: project,
  system_scope: null,
  domain_id: null,
  roles: [],
});

type Check = () => void | Promise<void>;

/** The number of concurrent tries that get through. */
async function allowed(check: Check, tries: number): Promise<number> {
  const outcomes = await Promise.allSettled(
    Array.from({ length: tries }, async () => {
      await check();
    }),
  );
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

const logged: string[] = [];
const logger = {
  warn: (_facts: unknown, message?: string) => logged.push(message ?? ''),
  info: (message: unknown) => logged.push(String(message)),
};
const limited: string[] = [];

let now = 0;
const clock = (): number => now;

beforeEach(() => {
  jest.useFakeTimers();
  now = 0;
  logged.length = 0;
  limited.length = 0;
});
afterEach(() => {
  jest.useRealTimers();
});

/** A gateway that shares permits with others. */
function gatewayWith(perSecond: number, permits: Permits) {
  const shared = createSharedPermits({ permits, logger, now: clock });
  const limit = createIdentityLimit({
    local: createMemoryPermits(perSecond, clock),
    shared: createPermitBatches(shared, perSecond, clock),
    onLimited: (by) => limited.push(by),
  });
  const as =
    (user: string, project: string | null = 'p'): Check =>
    () =>
      limit(subject(user, project));
  return { shared, as };
}

/** Permits as in Redis, with switchable failures and a counter of calls. */
function sharedBucket(perSecond: number) {
  const permits: MemoryPermits = createMemoryPermits(perSecond, clock);
  const bucket = {
    calls: 0,
    mood: 'good' as 'good' | 'down' | 'frozen',
    take: (name: string, want: number): Promise<number> => {
      bucket.calls += 1;
      if (bucket.mood === 'down') return Promise.reject(new Error('connection is closed'));
      if (bucket.mood === 'frozen') return new Promise(() => undefined);
      return permits.take(name, want);
    },
  };
  return bucket;
}

describe('a limit of one process', () => {
  it('is separate for each key, and refills with time', async () => {
    const limit = createKeyLimit(500, clock);
    const tries = (key: string): Promise<number> =>
      allowed(() => {
        limit(key);
      }, 600);
    expect(await tries('a')).toBe(500);
    expect(await tries('b')).toBe(500);
    now = 100;
    expect(await tries('a')).toBe(50);
    now = 60_000;
    expect(await tries('a')).toBe(500);
  });
});

describe('the limit of an identity, in one gateway', () => {
  it('is that of a user, whatever the project', async () => {
    const limit = createIdentityLimit({
      local: createMemoryPermits(500, clock),
      shared: undefined,
      onLimited: (by) => limited.push(by),
    });
    const tries = (user: string, project: string | null): Promise<number> =>
      allowed(() => limit(subject(user, project)), 400);
    expect([await tries('a', 'p'), await tries('a', 'q'), await tries('a', null)]).toEqual([
      400, 100, 0,
    ]);
    expect(await tries('b', 'p')).toBe(400);
    expect(limited).toEqual(Array(700).fill('identity'));
  });
});

describe('the limit of an identity, over several gateways', () => {
  it('is one for all gateways, plus a twentieth for each, and does not affect other users', async () => {
    const bucket = sharedBucket(1000);
    const [one, two] = [gatewayWith(1000, bucket), gatewayWith(1000, bucket)];
    const first = await allowed(one.as('a'), 900);
    const second = await allowed(two.as('a'), 900);
    expect(first).toBe(900);
    expect(first + second).toBeGreaterThanOrEqual(1000);
    expect(first + second).toBeLessThanOrEqual(1100);
    expect(new Set(limited)).toEqual(new Set(['shared_identity']));
    expect(await allowed(two.as('b'), 900)).toBe(900);
  });

  it('applies over time: permits spent in advance are paid back first', async () => {
    const bucket = sharedBucket(1000);
    const gateways = [gatewayWith(1000, bucket), gatewayWith(1000, bucket)];
    let total = 0;
    for (; now < 10_000; now += 25)
      for (const gateway of gateways) total += await allowed(gateway.as('a'), 50);
    // One second's worth at once, 10 s at 1000/s, and a twentieth of a second for each.
    expect(total).toBeGreaterThan(10_000);
    expect(total).toBeLessThanOrEqual(11_100);
  });

  it('is not more than the share of one gateway where the shared count was tampered with', async () => {
    const { as } = gatewayWith(100, { take: (_name, want) => Promise.resolve(want) });
    expect(await allowed(as('a'), 500)).toBe(100);
    expect(limited).toEqual(Array(400).fill('identity'));
  });

  it('makes requests rarely wait: the first one passes at once, and permits are taken in batches of fifty', () => {
    const bucket = sharedBucket(1000);
    const { as } = gatewayWith(1000, bucket);
    const check = as('a');
    for (let request = 0; request < 50; request += 1) expect(check()).toBeUndefined();
    expect(bucket.calls).toBe(1);
  });

  it('calls Redis rarely, whether there are permits or not', async () => {
    const bucket = sharedBucket(1000);
    const { as } = gatewayWith(1000, bucket);
    for (; now < 1000; now += 1) await allowed(as('a'), 1);
    expect(bucket.calls).toBeLessThan(50);
    const before = bucket.calls;
    await allowed(as('a'), 3000);
    for (; now < 2000; now += 1) await allowed(as('a'), 5);
    expect(bucket.calls - before).toBeLessThan(60);
  });
});

describe('when the shared limit cannot be used', () => {
  it.each(['down', 'frozen'] as const)('each gateway limits alone: %s', async (mood) => {
    const bucket = sharedBucket(100);
    const { as, shared } = gatewayWith(100, bucket);
    bucket.mood = mood;
    const tries = allowed(as('a'), 300);
    await jest.advanceTimersByTimeAsync(250);
    expect(await tries).toBe(100);
    expect(shared.isUsable()).toBe(false);
    const check = as('b');
    expect(check()).toBeUndefined();
    expect(logged).toEqual(['the shared rate limit cannot be used; each gateway limits alone']);
  });

  it('is retried in the background, and applies again when Redis answers', async () => {
    const bucket = sharedBucket(100);
    const { as, shared } = gatewayWith(100, bucket);
    bucket.mood = 'down';
    await allowed(as('a'), 1);
    await allowed(as('b'), 80);
    expect([bucket.calls, shared.isUsable()]).toEqual([1, false]);
    now = 251;
    await allowed(as('b'), 10);
    expect([bucket.calls, shared.isUsable()]).toEqual([2, false]);
    bucket.mood = 'good';
    now = 502;
    await allowed(as('c'), 1);
    await jest.advanceTimersByTimeAsync(0);
    expect(shared.isUsable()).toBe(true);
    expect(logged).toEqual([
      'the shared rate limit cannot be used; each gateway limits alone',
      'the shared rate limit is used again',
    ]);
  });

  it('a late answer counts as none', async () => {
    const slow: Permits = {
      take: (_name, want) =>
        new Promise((resolve) => {
          setTimeout(() => {
            resolve(want);
          }, 250);
        }),
    };
    const shared: SharedPermits = createSharedPermits({ permits: slow, logger, now: clock });
    const taken = shared.take('a', 5);
    await jest.advanceTimersByTimeAsync(250);
    expect(await taken).toBeUndefined();
    expect(shared.isUsable()).toBe(false);
  });
});
