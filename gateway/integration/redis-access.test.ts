import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, loadConfig } from '@tenure/process';
import { openSharedState, REDIS_VARIABLES, type SharedState } from '@tenure/shared-state';
import { startTestRedis, type TestRedis } from '@tenure/shared-state/testing';
import { createRedisTokenCache } from '../src/adapters/token-cache-redis.js';

const root = path.resolve(import.meta.dirname, '../..');
const cert = (name: string): string => path.join(root, '.cache', 'certs', name);
// With what a URL has to escape.
const PASSWORD = 'p@ss/w0rd?#%';
const LOGIN = `tenure:${encodeURIComponent(PASSWORD)}@`;

const dir = mkdtempSync(path.join(tmpdir(), 'tenure-redis-access-'));
function fileWith(name: string, text: string): string {
  const file = path.join(dir, name);
  writeFileSync(file, text);
  return file;
}

let server: TestRedis;
let log: string;
let open: SharedState[];

beforeAll(async () => {
  execFileSync(path.join(root, 'scripts/test-env/certs.sh'));
  open = [];
  server = await startTestRedis({
    tls: { certificate: cert('server.pem'), key: cert('server.key'), ca: cert('ca.pem') },
    users: [
      'default off',
      // The permissions that docs/replicas.md lists as sufficient.
      `tenure on >${PASSWORD} ~tenure:* &tenure:* -@all +@connection +info +get +set +del +exists +strlen +incr +expire +time +eval +hget +hset +hdel +hkeys +hgetall +publish +subscribe`,
    ],
    address: (port) => ({
      url: `rediss://${LOGIN}127.0.0.1:${String(port)}`,
      ca: readFileSync(cert('ca.pem'), 'utf8'),
    }),
  });
}, 60_000);
afterAll(() => {
  for (const each of open) each.close();
  server.stop();
});

/** Opens the shared state as a part does. */
function share(env: Record<string, string>): SharedState {
  log = '';
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      log += String(chunk);
      done();
    },
  });
  const config = loadConfig(REDIS_VARIABLES, { TENURE_DATA_DIR: dir, ...env });
  const state = openSharedState(config, createLogger('gateway', 'info', stream), () => undefined);
  open.push(state);
  return state;
}

/** Waits until the connection is ready or an error is logged. */
async function ready({ redis }: SharedState): Promise<void> {
  while (redis?.status !== 'ready' && log === '')
    await new Promise((resolve) => setTimeout(resolve, 10));
}

const urlFor = (login: string, scheme = 'rediss'): string =>
  `${scheme}://${login}127.0.0.1:${String(server.port)}`;

describe('a Redis with TLS and users', () => {
  it('is used with the URL of a file and the right authority', async () => {
    const state = share({
      REDIS_URL_FILE: fileWith('url', `${urlFor(LOGIN)}\n`),
      REDIS_TLS_CA_FILE: cert('ca.pem'),
    });
    await ready(state);
    expect(log).toBe('');
    expect(await state.redis?.set('tenure:test', 'x', 'PX', 1000)).toBe('OK');
  });

  it.each([
    ['an authority that did not sign', { REDIS_TLS_CA_FILE: cert('other-ca.pem') }],
    ['the authorities of the system', {}],
  ])('is refused under %s, whatever the environment says', async (_what, ca) => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const state = share({ REDIS_URL: urlFor(LOGIN), ...ca });
      await ready(state);
      expect(log).toContain('Redis cannot be used');
      expect(log).toMatch(/certificate|SELF_SIGNED/iu);
      await expect(state.redis?.get('tenure:test')).rejects.toThrow();
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });

  it('is not used in clear', async () => {
    const state = share({ REDIS_URL: urlFor(LOGIN, 'redis') });
    await ready(state);
    await expect(state.redis?.get('tenure:test')).rejects.toThrow();
  });

  it.each([
    ['a wrong password', 'tenure:wr0ng-pass@'],
    ['a wrong user', 'nobody:wr0ng-pass@'],
    ['neither', ''],
  ])('is not usable with %s: the log says so, without the password', async (_what, login) => {
    const state = share({ REDIS_URL: urlFor(login), REDIS_TLS_CA_FILE: cert('ca.pem') });
    const { redis, seal } = state;
    if (redis === undefined) throw new Error('no connection');
    await ready(state);
    await expect(createRedisTokenCache(redis, seal).get('name')).rejects.toThrow();
    expect(log).toMatch(/WRONGPASS|NOAUTH/u);
    expect(log).not.toContain('wr0ng-pass');
  });

  it('keeps what a user may not do out of the log', async () => {
    const state = share({ REDIS_URL: urlFor(LOGIN), REDIS_TLS_CA_FILE: cert('ca.pem') });
    await ready(state);
    const failure: unknown = await state.redis?.set('other:key', 'hidden').catch((e: unknown) => e);
    expect(failure).toMatchObject({ message: expect.stringContaining('NOPERM') });
    expect(JSON.stringify(failure)).not.toContain('hidden');
    expect(failure).not.toHaveProperty('command');
  });
});

describe('the variables of Redis', () => {
  it.each([
    ['both', { REDIS_URL: 'redis://a', REDIS_URL_FILE: '/nowhere' }, 'exclude one another'],
    ['a query', { REDIS_URL: 'rediss://:hidden@a?tls=false' }, 'REDIS_URL must be'],
    [
      'a query in the file',
      { REDIS_URL_FILE: fileWith('query', 'rediss://:hidden@a?x=y') },
      'REDIS_URL_FILE must be',
    ],
    [
      'no URL in the file',
      { REDIS_URL_FILE: fileWith('port', 'redis://:hidden@a:99999') },
      'REDIS_URL_FILE must be',
    ],
    ['an empty file', { REDIS_URL_FILE: fileWith('empty', '\n') }, 'REDIS_URL_FILE'],
    ['no file', { REDIS_URL_FILE: '/nowhere' }, 'cannot be read'],
    [
      'an authority without TLS',
      { REDIS_URL: 'redis://:hidden@a', REDIS_TLS_CA_FILE: cert('ca.pem') },
      'rediss://',
    ],
    [
      'no authority',
      { REDIS_URL: 'rediss://:hidden@a', REDIS_TLS_CA_FILE: '/nowhere' },
      'REDIS_TLS_CA_FILE',
    ],
  ])('are refused with %s, and the error contains no secret', (_what, env, message) => {
    const take = (): unknown => share(env);
    expect(take).toThrow(message);
    expect(take).toThrow(/^(?!.*hidden)/su);
  });
});
