import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type GatewayReplica, startGatewayReplica } from '../support/gateway-replica.js';
import { cleanEnvironment, root, runDirectory, venvBin } from '../support/paths.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { eventually } from '../support/wait.js';
import { type Scene, setScene, statusOf } from './keystone/cast.js';

const run = promisify(execFile);
/** REVOCATION_SECONDS, and a moment for the request itself. */
const IN_TIME = 6000;

describe('two gateways that share a Redis, with a real Keystone', () => {
  let redis: RedisServer;
  let scene: Scene;
  let second: GatewayReplica;
  beforeAll(async () => {
    redis = await startRedis();
    scene = await setScene('fernet', { REDIS_URL: redis.url });
    second = await startGatewayReplica(scene.tenure);
  }, 240_000);
  afterAll(async () => {
    await second.stop();
    await scene.stop();
    await redis.stop();
  });

  const both = async (token: string): Promise<readonly number[]> => [
    await statusOf(scene.tenure.url, token),
    await statusOf(second.url, token),
  ];
  const refusedByBoth = (token: string): Promise<unknown> =>
    eventually(
      () => both(token),
      (statuses) => statuses.every((status) => status === 401),
      { within: IN_TIME, what: 'refusal by both gateways' },
    );

  it('a token that `openstack token revoke` revokes is refused by both in time', async () => {
    const token = await scene.keystone.login(scene.owner);
    const other = await scene.keystone.login(scene.lessee);
    expect([await both(token), await both(other)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    const { id, password } = scene.owner;
    await run(path.join(venvBin, 'openstack'), ['token', 'revoke', token], {
      env: {
        ...cleanEnvironment(),
        OS_AUTH_URL: scene.keystone.url,
        OS_IDENTITY_API_VERSION: '3',
        OS_USER_ID: id,
        OS_PASSWORD: password,
        OS_PROJECT_ID: scene.projectA,
      },
    });
    await refusedByBoth(token);
    expect(await both(other)).toEqual([200, 200]);
  });

  it('a token that `tenure token revoke` revokes is refused by both in time', async () => {
    const token = await scene.keystone.login(scene.owner);
    expect(await both(token)).toEqual([200, 200]);
    const file = path.join(mkdtempSync(path.join(runDirectory, 'revoke-')), 'token');
    writeFileSync(file, token);
    await run(
      process.execPath,
      [path.join(root, 'cli/bin/tenure.js'), 'token', 'revoke', '--token-file', file],
      { env: { ...scene.tenure.env } },
    );
    await refusedByBoth(token);
  });

  it('an application credential is limited to its access rules', async () => {
    const owner = await scene.keystone.login(scene.owner);
    const { application_credential: made } = (await scene.keystone.call({
      token: owner,
      method: 'POST',
      path: `/users/${scene.owner.id}/application_credentials`,
      body: {
        application_credential: {
          name: 'list-only',
          access_rules: [{ method: 'GET', path: '/v1/nodes', service: 'baremetal' }],
        },
      },
    })) as { application_credential: { id: string; secret: string } };
    const token = await scene.keystone.loginWithCredential(made.id, made.secret);
    expect(await statusOf(scene.tenure.url, token)).toBe(200);
    expect(await statusOf(scene.tenure.url, token, { path: '/v1/nodes/keystone-node' })).toBe(401);
    const serviceToken = await scene.keystone.login(scene.nova);
    const headers = { 'X-Service-Token': serviceToken };
    expect(
      await statusOf(scene.tenure.url, token, { path: '/v1/nodes/keystone-node', headers }),
    ).toBe(200);
    const forged = { 'X-Service-Token': owner };
    expect(await statusOf(scene.tenure.url, token, { headers: forged })).toBe(401);
  });

  it('while Keystone is down, cached tokens work on both, and new ones are a 503', async () => {
    const cached = await scene.keystone.login(scene.owner);
    const fresh = await scene.keystone.login(scene.owner);
    expect(await statusOf(scene.tenure.url, cached)).toBe(200);
    await scene.keystone.stop();
    try {
      // The second gateway never saw it: it reads Keystone's answer from Redis.
      expect(await both(cached)).toEqual([200, 200]);
      expect(await both(fresh)).toEqual([503, 503]);
    } finally {
      await scene.keystone.process.restart();
    }
    // A token for each, so that none gets the other's answer from Redis: both have to reach Keystone again.
    const each = async (url: string): Promise<number> =>
      statusOf(url, await scene.keystone.login(scene.owner));
    await eventually(
      () => Promise.all([each(scene.tenure.url), each(second.url), statusOf(second.url, fresh)]),
      (statuses) => statuses.every((status) => status === 200),
      { within: 20_000, what: 'answer after Keystone came back' },
    );
  });

  it('a frozen Redis makes it slower, and nothing else', async () => {
    const cached = await scene.keystone.login(scene.owner);
    await both(cached);
    redis.freeze();
    try {
      expect(await both(cached)).toEqual([200, 200]);
      expect(await both(await scene.keystone.login(scene.lessee))).toEqual([200, 200]);
      expect(await statusOf(second.url, 'gAAAAAnonsense')).toBe(401);
    } finally {
      redis.thaw();
    }
  });
});
