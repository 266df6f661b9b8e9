import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { certificates, cleanEnvironment, root } from '../support/paths.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { eventually } from '../support/wait.js';
import {
  changeBundle,
  type DecisionPoint,
  newFolder,
  productBundle,
  startDecisionPoint,
} from './bundles/decision-point.js';

// Decision points that share a Redis with TLS and a user who may do no more than docs/replicas.md says.

const run = promisify(execFile);
const PASSWORD = 'a-password-of-redis';
// The command may go on over several lines.
const RIGHTS = /^redis-cli ACL SETUSER tenure on (?<rights>(?:.*\\\n)*.*)$/mu;
const DESIRED = 'tenure:policy:desired';

function rights(): readonly string[] {
  const page = readFileSync(path.join(root, 'docs', 'replicas.md'), 'utf8');
  const found = RIGHTS.exec(page)?.groups?.['rights'];
  if (found === undefined) throw new Error('docs/replicas.md has no ACL for the user in Redis');
  const listed = found.split(/[\s\\]+/u).map((right) => right.replaceAll("'", ''));
  return listed.filter((right) => !right.startsWith('>'));
}

let redis: RedisServer;
let folder: string;
let shared: string;
let bundleB: string;
let running: DecisionPoint[];
let revisionA: string;

function put(from: string, to: string): void {
  copyFileSync(from, `${to}.part`);
  renameSync(`${to}.part`, to);
}

async function startPdp(
  instance: string,
  env: Readonly<Record<string, string>> = {},
): Promise<DecisionPoint> {
  const point = await startDecisionPoint(folder, {
    PDP_INSTANCE: instance,
    PDP_BUNDLE: path.join(folder, 'bundle.tar.gz'),
    PDP_DECISION_LOG: 'none',
    REDIS_URL_FILE: path.join(shared, 'redis-url'),
    REDIS_TLS_CA_FILE: certificates.ca,
    TENURE_SHARED_STATE_KEY_FILE: path.join(shared, 'shared-state.key'),
    ...env,
  });
  running.push(point);
  return point;
}

const revisions = (): Promise<readonly string[]> =>
  Promise.all(running.map((point) => point.revision()));
const allAt = (revision: string): Promise<unknown> =>
  eventually(revisions, (all) => all.every((each) => each === revision), {
    every: 50,
    what: `decision points at ${revision}`,
  });

interface Report {
  readonly instance: string;
  readonly revision: string;
  readonly status: string;
  readonly pinned: boolean;
  readonly reason?: string;
}
async function reports(point: DecisionPoint): Promise<readonly Report[]> {
  const { body } = await point.admin('GET /v1/policy/status');
  return body['replicas'] as readonly Report[]; // as docs/policy/bundles.md says
}
async function agreement(point: DecisionPoint): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await point.admin('GET /v1/policy/status');
  return body['agreement'] as Readonly<Record<string, unknown>>; // see above
}

beforeAll(async () => {
  shared = newFolder();
  bundleB = path.join(shared, 'b.tar.gz');
  await changeBundle(bundleB, {
    grants: { 'baremetal:node:set_power_state': ['system_member'] },
    golden: ['the owner’s reader sees the node'],
  });
  redis = await startRedis({ tls: true, user: [`tenure:${PASSWORD}`, ...rights()] });
  writeFileSync(path.join(shared, 'redis-url'), `${redis.url}\n`);
  writeFileSync(path.join(shared, 'shared-state.key'), Buffer.alloc(32, 7).toString('base64url'));
});
afterAll(async () => {
  await redis.stop();
});

/** Three that went from A to B. */
beforeEach(async () => {
  folder = newFolder();
  running = [];
  put(productBundle, path.join(folder, 'bundle.tar.gz'));
  running = await Promise.all(['pdp-0', 'pdp-1', 'pdp-2'].map((instance) => startPdp(instance)));
  [revisionA = ''] = await revisions();
  put(bundleB, path.join(folder, 'bundle.tar.gz'));
  await eventually(revisions, (all) => new Set(all).size === 1 && all[0] !== revisionA);
});
afterEach(async () => {
  await Promise.all(running.map((point) => point.stop()));
  if (running.some(({ logFile }) => readFileSync(logFile, 'utf8').includes(PASSWORD)))
    throw new Error('the password of Redis is in a log');
  await redis.cli('del', DESIRED, 'tenure:policy:replicas');
});

function at(index: number): DecisionPoint {
  const point = running[index];
  if (point === undefined) throw new Error('it does not run');
  return point;
}

describe('a command to one decision point', () => {
  it('reaches all, and one that starts later', async () => {
    const [revisionB = ''] = await revisions();
    expect(await at(1).cli('rollback', revisionA)).toEqual([
      0,
      `activated\nin service: ${revisionA}\nthe other decision points are notified\n`,
    ]);
    await allAt(revisionA);
    // Its own bundle is B, and it has no history: it begins with A nevertheless.
    const fourth = await startPdp('pdp-3');
    expect(await fourth.revision()).toBe(revisionA);
    const seen = await eventually(
      () => reports(at(0)),
      (all) => all.length === 4 && all.every(({ pinned }) => pinned),
    );
    expect(seen.map(({ instance }) => instance).sort()).toEqual([
      'pdp-0',
      'pdp-1',
      'pdp-2',
      'pdp-3',
    ]);
    expect(new Set(seen.map(({ revision }) => revision))).toEqual(new Set([revisionA]));
    const [status, text] = await at(0).cli('status');
    expect([status, text]).toEqual([
      0,
      expect.stringMatching(/^replicas +pdp-0 {2}ok .*\n +pdp-/mu),
    ]);
    expect(text).toContain(`desired: ${revisionA}`);
    expect((await fourth.cli('reload'))[1]).toContain('activated');
    await allAt(revisionB);
  }, 60_000);

  it('is accepted although Redis is away, and reaches the others when it is back, empty', async () => {
    await redis.kill();
    expect(await at(0).cli('rollback', revisionA)).toEqual([
      0,
      `activated\nin service: ${revisionA}\nthe other decision points could not be notified yet; they will be\n`,
    ]);
    expect((await at(0).admin('GET /readyz')).status).toBe(200);
    expect(await agreement(at(0))).toMatchObject({ state: 'away', desired: { pinned: revisionA } });
    expect((await at(0).cli('status'))[0]).toBe(1);
    expect(await at(1).revision()).not.toBe(revisionA);
    await redis.restart();
    await allAt(revisionA);
    await eventually(
      () => agreement(at(2)),
      ({ state }) => state === 'ok',
    );
    const late = await startPdp('pdp-3');
    expect(await late.revision()).toBe(revisionA);
  }, 60_000);

  it('is not changed by what somebody forges or plays back in Redis', async () => {
    const [revisionB = ''] = await revisions();
    await at(0).cli('rollback', revisionA);
    await allAt(revisionA);
    const old = await redis.cli('get', DESIRED);
    await at(0).cli('reload');
    await allAt(revisionB);
    const now = await redis.cli('get', DESIRED);
    const forged = [
      old,
      now.replace('"generation":2', '"generation":3'),
      `v1.${'A'.repeat(43)}.{"generation":99,"pinned":"${revisionA}","at":"2099","by":"x"}`,
      'nonsense',
      '',
    ];
    for (const text of forged) {
      await redis.cli('set', DESIRED, text);
      await redis.cli('publish', 'tenure:policy:calls', text);
      await eventually(
        () => redis.cli('get', DESIRED),
        (there) => there === now,
      );
      expect(await revisions()).toEqual([revisionB, revisionB, revisionB]);
    }
    expect((await agreement(at(1)))['desired']).toMatchObject({ generation: 2, pinned: null });
  }, 60_000);
});

describe('a decision point that refuses what the others took', () => {
  it('keeps what it has, and all report it', async () => {
    // With other switches the bundle of A is another policy.
    const odd = await startPdp('pdp-odd', { TENURE_ENFORCE_SCOPE: 'false' });
    const before = await odd.revision();
    await at(0).cli('rollback', revisionA);
    const { body } = await eventually(
      () => odd.admin('GET /readyz'),
      (ready) => ready.body['status'] === 'degraded',
    );
    expect(body['reason']).toContain('with the current switches');
    expect(await odd.revision()).toBe(before);
    const seen = await eventually(
      () => reports(at(1)),
      (all) => all.some(({ instance, status }) => instance === 'pdp-odd' && status === 'degraded'),
    );
    expect(seen.filter(({ status }) => status === 'ok')).toHaveLength(3);
    expect((await at(1).cli('status'))[0]).toBe(1);
  }, 60_000);
});

describe('the command line', () => {
  it('revokes over the same Redis, with the URL of a file and TLS', async () => {
    const script = path.join(root, 'cli', 'bin', 'tenure.js');
    const { stdout } = await run(process.execPath, [script, 'token', 'revoke', '--user', 'olga'], {
      env: {
        ...cleanEnvironment(),
        REDIS_URL_FILE: path.join(shared, 'redis-url'),
        REDIS_TLS_CA_FILE: certificates.ca,
        TENURE_SHARED_STATE_KEY_FILE: path.join(shared, 'shared-state.key'),
      },
    });
    const [, id = ''] = /^revoked: (\S+)$/mu.exec(stdout) ?? [];
    expect(await redis.cli('hget', 'tenure:revocations', id)).toContain('"user_id":"olga"');
  });
});

describe('two decision points of one name', () => {
  it('have a history each', async () => {
    const env = {
      PDP_BUNDLE_DIR: path.join(folder, 'history'),
      REDIS_URL_FILE: '',
      REDIS_TLS_CA_FILE: '',
    };
    const [one, two] = [await startPdp('same', env), await startPdp('same', env)];
    put(productBundle, path.join(folder, 'bundle.tar.gz'));
    await eventually(
      () => Promise.all([one.revision(), two.revision()]),
      (both) => both.every((revision) => revision === revisionA),
    );
    const histories = ['same', 'same-2'].map(
      (name) =>
        (
          JSON.parse(readFileSync(path.join(folder, 'history', name, 'state.json'), 'utf8')) as {
            history: unknown[];
          }
        ).history.length,
    );
    expect(histories).toEqual([2, 2]);
  }, 60_000);
});

describe('the console behind several decision points', () => {
  const consoleOf = (
    point: DecisionPoint,
    target: string,
    init: RequestInit = {},
  ): Promise<Response> =>
    fetch(`${point.adminUrl}/console${target}`, { redirect: 'manual', ...init });
  const login = async (point: DecisionPoint, token: string): Promise<Response> =>
    consoleOf(point, '/login', { method: 'POST', body: new URLSearchParams({ token }) });

  it('is open at all of them after one login, and closed at all after one logout', async () => {
    const data = newFolder();
    const env = { TENURE_DATA_DIR: data };
    const [one, two] = [await startPdp('a', env), await startPdp('b', env)];
    const script = path.join(root, 'cli', 'bin', 'tenure.js');
    const command = ['token', '--user', 'ada', '--system', 'all', '--role', 'reader'];
    const { stdout } = await run(process.execPath, [script, ...command], {
      env: { ...cleanEnvironment(), TENURE_DATA_DIR: data },
    });
    const cookie = (await login(one, stdout.trim())).headers.get('set-cookie')?.split(';')[0] ?? '';
    const look = async (point: DecisionPoint): Promise<number> =>
      (await consoleOf(point, '/policy', { headers: { cookie } })).status;
    expect([await look(one), await look(two)]).toEqual([200, 200]);
    await redis.kill();
    expect(
      await eventually(
        () => look(two),
        (status) => status === 503,
      ),
    ).toBe(503);
    await redis.restart();
    // An empty Redis knows nobody any more.
    await eventually(
      () => Promise.all([look(one), look(two)]),
      (statuses) => statuses.every((status) => status === 401),
    );
    const again = (await login(two, stdout.trim())).headers.get('set-cookie')?.split(';')[0] ?? '';
    const headers = { cookie: again };
    expect((await consoleOf(one, '/policy', { headers })).status).toBe(200);
    expect(
      (
        await consoleOf(one, '/logout', {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        })
      ).status,
    ).toBe(303);
    expect((await consoleOf(one, '/policy', { headers })).status).toBe(401);
    expect((await consoleOf(two, '/policy', { headers })).status).toBe(401);
  }, 60_000);

  it('counts failed logins of all of them together', async () => {
    for (let tried = 0; tried < 10; tried += 1)
      expect((await login(at(tried % 3), 'not-a-token')).status).toBe(401);
    for (const point of running) expect((await login(point, 'not-a-token')).status).toBe(429);
  }, 60_000);
});
