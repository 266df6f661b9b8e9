import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createSeal, openRedis, type Redis } from '@tenure/shared-state';
import { startTestRedis, type TestRedis } from '@tenure/shared-state/testing';
import { createRedisRegistry } from '../src/adapters/replica-registry-redis.js';
import { createRedisSessions } from '../src/adapters/sessions-redis.js';
import { type ReplicaMessage, type ReplicaReport } from '../src/domain/replica-messages.js';
import { type PolicyParts } from '../src/ports/policy-source.js';
import { type ReplicaRegistry } from '../src/ports/replica-registry.js';

const KEY = Buffer.alloc(32, 1);
const seal = createSeal(KEY);
const stranger = createSeal(Buffer.alloc(32, 2));
const REVISION = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;
const DESIRED = 'tenure:policy:desired';
const parts: PolicyParts = {
  bundle: new Map([
    ['/data.json', Buffer.from('{}')],
    ['/policy.wasm', Buffer.from([0, 97, 115, 109])],
  ]),
  overlays: [{ file: 'mine.yaml', text: 'a: [b]\n' }],
};
const desired = (generation: number) => ({
  generation,
  pinned: REVISION,
  at: '2026-11-21T06:00:00.000Z',
  by: 'pdp-0',
});
const report = (id: string): ReplicaReport => ({
  id,
  instance: 'pdp-0',
  revision: REVISION,
  pinned: false,
  since: '2026-11-21T06:00:00.000Z',
  status: 'ok',
  at: '2026-11-21T06:00:00.000Z',
});

let server: TestRedis;
let redis: Redis;
let open: Redis[];
let forged: number;
let registry: ReplicaRegistry;

beforeAll(async () => {
  server = await startTestRedis();
  ({ redis } = server);
});
afterAll(() => {
  server.stop();
});
const isReady = (): boolean => redis.status === 'ready';
function another(): Redis {
  const connection = openRedis(server.address, { onError: () => undefined });
  connection.connect().catch(() => undefined);
  open.push(connection);
  return connection;
}
beforeEach(async () => {
  open = [];
  forged = 0;
  await redis.flushall();
  const onForged = (): void => {
    forged += 1;
  };
  registry = createRedisRegistry({
    redis,
    slow: redis,
    subscriber: another(),
    seal,
    maxBytes: 4096,
    onForged,
  });
});
afterEach(() => {
  for (const connection of open) connection.disconnect();
});

describe('the desired revision in Redis', () => {
  it('is replaced only by a replica that has read the current one', async () => {
    const nothing = await registry.readDesired();
    expect(nothing.desired).toBeUndefined();
    expect(await registry.writeDesired(desired(1), nothing)).toBe(true);
    expect(await registry.writeDesired(desired(2), nothing)).toBe(false);
    const seen = await registry.readDesired();
    expect(seen.desired).toEqual(desired(1));
    expect(await registry.writeDesired(desired(2), seen)).toBe(true);
    expect((await registry.readDesired()).desired).toEqual(desired(2));
    expect(forged).toBe(0);
  });

  it.each([
    ['is text', 'follow me'],
    ['has no MAC', JSON.stringify(desired(9))],
    ['is of another key', stranger.seal('policy-desired', '', desired(9))],
    ['was sealed for something else', seal.seal('policy-call', '', desired(9))],
    ['has another shape', seal.seal('policy-desired', '', { generation: 9 })],
    [
      'was changed',
      seal.seal('policy-desired', '', desired(1)).replace('"generation":1', '"generation":9'),
    ],
  ])('is missing when it %s, and may be overwritten', async (_what, text) => {
    await redis.set(DESIRED, text);
    const seen = await registry.readDesired();
    expect([seen.desired, forged]).toEqual([undefined, 1]);
    expect(await registry.writeDesired(desired(1), seen)).toBe(true);
    expect((await registry.readDesired()).desired).toEqual(desired(1));
  });

  it('is an error while Redis is frozen', async () => {
    server.signal('SIGSTOP');
    try {
      await expect(registry.readDesired()).rejects.toThrow();
    } finally {
      server.signal('SIGCONT');
    }
    while (!isReady()) await sleep(10);
  });
});

describe('a bundle in Redis', () => {
  it('is returned unchanged, with its overlays, until it expires', async () => {
    await registry.putBundle(REVISION, parts);
    const got = await registry.getBundle(REVISION);
    expect(
      [...(got?.bundle ?? [])].map(([name, bytes]) => [
        name.replace(/^\//u, ''),
        Buffer.from(bytes),
      ]),
    ).toEqual([
      ['data.json', Buffer.from('{}')],
      ['policy.wasm', Buffer.from([0, 97, 115, 109])],
    ]);
    expect(got?.overlays).toEqual(parts.overlays);
    expect(await registry.getBundle(OTHER)).toBeUndefined();
    const left = await redis.pttl(`tenure:policy:bundle:${REVISION}`);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(600_000);
  });

  it('is missing when it was moved to another revision, or was sealed with another key', async () => {
    await registry.putBundle(REVISION, parts);
    await redis.rename(`tenure:policy:bundle:${REVISION}`, `tenure:policy:bundle:${OTHER}`);
    expect(await registry.getBundle(OTHER)).toBeUndefined();
    const value = { archive: '', overlays: [] };
    await redis.set(
      `tenure:policy:bundle:${REVISION}`,
      stranger.seal('policy-bundle', REVISION, value),
    );
    expect(await registry.getBundle(REVISION)).toBeUndefined();
    expect(forged).toBe(2);
  });

  it('is neither put nor fetched when it is too large', async () => {
    const noise = Buffer.from(
      Array.from({ length: 8192 }, (_, at) => (at * 7919 + (at >> 3)) % 251),
    );
    const large = { ...parts, overlays: [{ file: 'x', text: noise.toString('base64') }] };
    await expect(registry.putBundle(REVISION, large)).rejects.toThrow('too large');
    await redis.set(`tenure:policy:bundle:${REVISION}`, 'x'.repeat(10_000));
    await expect(registry.getBundle(REVISION)).rejects.toThrow('too large');
  });
});

describe('reports in Redis', () => {
  it('belong to their replicas, until these deregister', async () => {
    await registry.report(report('one'));
    await registry.report(report('two'));
    expect((await registry.reports()).map(({ id }) => id).sort()).toEqual(['one', 'two']);
    await registry.remove('two');
    expect(await registry.reports()).toEqual([report('one')]);
  });

  it('are removed when no replica wrote them', async () => {
    const key = 'tenure:policy:replicas';
    await registry.report(report('one'));
    await redis.hset(key, 'two', (await redis.hget(key, 'one')) ?? '');
    await redis.hset(key, 'three', stranger.seal('policy-replica', 'three', report('three')));
    expect(await registry.reports()).toEqual([report('one')]);
    expect(await redis.hkeys(key)).toEqual(['one']);
    expect(forged).toBe(2);
  });
});

describe('calls over Redis', () => {
  it('arrive from every replica, also after Redis was stopped', async () => {
    const heard: ReplicaMessage[] = [];
    registry.subscribe((message) => {
      heard.push(message);
    });
    const hears = async (count: number): Promise<void> => {
      while (heard.length < count) await sleep(10);
    };
    // Once it listens: something may have been missed.
    await hears(1);
    await registry.publish({ want: REVISION });
    await hears(2);
    await redis.publish('tenure:policy:calls', 'look');
    await redis.publish('tenure:policy:calls', stranger.seal('policy-call', '', { want: OTHER }));
    await redis.publish('tenure:policy:calls', 'x'.repeat(5000));
    await registry.publish({ look: 'registry' });
    await hears(3);
    expect(heard).toEqual([{ look: 'source' }, { want: REVISION }, { look: 'registry' }]);
    expect(forged).toBe(3);
    server.signal('SIGKILL');
    while (isReady()) await sleep(10);
    await server.restart();
    await hears(4);
    while (!isReady()) await sleep(10);
    await registry.publish({ look: 'registry' });
    await hears(5);
    expect(heard.slice(3)).toEqual([{ look: 'source' }, { look: 'registry' }]);
  });
});

describe('sessions of the console in Redis', () => {
  const subject = {
    user_id: 'auditor',
    project_id: null,
    domain_id: null,
    system_scope: 'all' as const,
    roles: ['reader'],
  };
  const sessions = () => createRedisSessions(redis, seal, () => Date.now());
  const session = () => ({ subject, expiresAt: Date.now() + 60_000 });

  it('are valid at every replica, until a logout at one', async () => {
    const [here, there] = [sessions(), sessions()];
    const opened = session();
    const secret = await here.open(opened);
    expect(await there.of(secret)).toEqual(opened);
    await there.close(secret);
    expect([await here.of(secret), await there.of(secret)]).toEqual([undefined, undefined]);
  });

  it('expire, and their secret is nowhere in Redis', async () => {
    const secret = await sessions().open(session());
    const [key = ''] = await redis.keys('tenure:console:session:*');
    expect(key).not.toContain(secret);
    expect(await redis.get(key)).not.toContain(secret);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(60_000);
    const late = createRedisSessions(redis, seal, () => Date.now() + 61_000);
    expect(await late.of(secret)).toBeUndefined();
  });

  it('cannot be forged or moved by writing to Redis', async () => {
    const secret = await sessions().open(session());
    const [key = ''] = await redis.keys('tenure:console:session:*');
    const other = await sessions().open({
      ...session(),
      subject: { ...subject, user_id: 'other' },
    });
    const otherKey =
      (await redis.keys('tenure:console:session:*')).find((each) => each !== key) ?? '';
    await redis.set(key, (await redis.get(otherKey)) ?? '');
    expect(await sessions().of(secret)).toBeUndefined();
    expect((await sessions().of(other))?.subject.user_id).toBe('other');
  });

  it('are neither lost nor valid while Redis is unavailable', async () => {
    const secret = await sessions().open(session());
    server.signal('SIGSTOP');
    try {
      await expect(sessions().of(secret)).rejects.toMatchObject({ status: 503 });
      await expect(sessions().close(secret)).rejects.toMatchObject({ status: 503 });
    } finally {
      server.signal('SIGCONT');
    }
  });
});
