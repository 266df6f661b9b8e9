import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createSeal, type Redis, type Seal } from '@tenure/shared-state';
import { startTestRedis, type TestRedis } from '@tenure/shared-state/testing';
import { createRedisTokenCache } from '../src/adapters/token-cache-redis.js';
import { createMemoryTokenCache } from '../src/application/token-cache/token-cache-memory.js';
import { type CachedToken, type TokenCache } from '../src/ports/token-cache.js';

const seal: Seal = createSeal(Buffer.alloc(32, 1));
const GOOD: CachedToken = {
  validatedAt: 1_800_000_000_000,
  identity: {
    subject: {
      user_id: 'olga',
      project_id: 'p1',
      system_scope: null,
      domain_id: null,
      roles: ['member'],
    },
    expiresAt: 1_800_003_600,
    issuedAt: 1_800_000_000,
    auditIds: ['a1'],
    accessRules: [{ method: 'GET', path: '/v1/nodes', service: 'baremetal' }],
    keystone: {
      role_ids: ['r1'],
      user_domain_id: 'default',
      scope_domain_id: 'default',
      trust_id: null,
      user_ids: ['olga'],
      consumer_id: null,
      access_token_id: null,
    },
  },
};

let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startTestRedis();
  ({ redis } = server);
});
afterAll(() => {
  server.stop();
});
afterEach(() => {
  server.signal('SIGCONT');
});

describe.each([
  ['memory', (): TokenCache => createMemoryTokenCache(100)],
  ['redis', (): TokenCache => createRedisTokenCache(redis, seal)],
])('a token cache in %s', (_kind, create) => {
  it('returns an entry only under its name', async () => {
    const cache = create();
    await cache.put('one', GOOD, 60_000);
    await cache.put('none', { identity: null, validatedAt: 5 }, 60_000);
    expect(await cache.get('one')).toEqual(GOOD);
    expect(await cache.get('none')).toEqual({ identity: null, validatedAt: 5 });
    expect(await cache.get('two')).toBeUndefined();
  });

  it('expires an entry in time, and never stores an expired one', async () => {
    const cache = create();
    await cache.put('short', GOOD, 30);
    await cache.put('past', GOOD, 0);
    await cache.put('long past', GOOD, -5);
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const name of ['short', 'past', 'long past'])
      expect([name, await cache.get(name)]).toEqual([name, undefined]);
  });
});

describe('an entry in Redis that is not ours', () => {
  const cache = (): TokenCache => createRedisTokenCache(redis, seal);
  const stored = async (name: string): Promise<string> =>
    (await redis.get(`tenure:token:${name}`)) ?? '';

  it.each([
    ['is text', () => Promise.resolve('garbage')],
    ['has no MAC', () => Promise.resolve(JSON.stringify(GOOD))],
    [
      'is sealed with another key',
      () => Promise.resolve(createSeal(Buffer.alloc(32, 2)).seal('token', 'poisoned', GOOD)),
    ],
    [
      'was sealed for something else',
      () => Promise.resolve(seal.seal('revocation', 'poisoned', GOOD)),
    ],
    ['was changed', async () => (await stored('good')).replace('"member"', '"admin"')],
    ['was moved from another token', () => stored('good')],
    [
      'is of another version',
      () => Promise.resolve(seal.seal('token', 'poisoned', { ...GOOD, more: true })),
    ],
  ])('is no entry: it %s', async (_what, text) => {
    await cache().put('good', GOOD, 60_000);
    await redis.set('tenure:token:poisoned', await text());
    expect(await cache().get('poisoned')).toBeUndefined();
    expect(await cache().get('good')).toEqual(GOOD);
  });

  it('is an error, not an entry, where it is no string', async () => {
    await redis.lpush('tenure:token:list', 'x');
    await expect(cache().get('list')).rejects.toThrow();
  });
});

describe('a Redis that hangs or is down', () => {
  it('causes an error after a short time, and works again afterwards', async () => {
    const cache = createRedisTokenCache(redis, seal);
    await cache.put('one', GOOD, 60_000);
    server.signal('SIGSTOP');
    await expect(cache.get('one')).rejects.toThrow();
    server.signal('SIGCONT');
    await new Promise<void>((resolve) => {
      if (redis.status === 'ready') resolve();
      else redis.once('ready', resolve);
    });
    expect(await cache.get('one')).toEqual(GOOD);
    server.signal('SIGKILL');
    await expect(cache.get('one')).rejects.toThrow();
    await expect(cache.get('one')).rejects.toThrow();
  });
});
