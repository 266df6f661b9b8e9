import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type KeystoneUser } from '../support/keystone.js';
import { type Scene, setScene, statusOf } from './keystone/cast.js';

describe.each(['fernet', 'jws'] as const)('with %s tokens of a real Keystone', (provider) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await setScene(provider);
  }, 240_000);
  afterAll(() => scene.stop());

  const seenBy = async (user: KeystoneUser): Promise<unknown> => {
    const response = await fetch(`${scene.tenure.url}/v1/nodes`, {
      headers: {
        'X-Auth-Token': await scene.keystone.login(user),
        'X-OpenStack-Ironic-API-Version': '1.65',
      },
    });
    const { nodes } = (await response.json()) as { nodes: { name: string }[] };
    return [
      response.status,
      response.headers.get('x-tenure-policy-filter'),
      nodes.map(({ name }) => name),
    ];
  };

  it('everyone sees what the roles that Keystone tells let them see', async () => {
    expect(await seenBy(scene.systemAdmin)).toEqual([200, 'all', ['keystone-node']]);
    expect(await seenBy(scene.systemReader)).toEqual([200, 'all', ['keystone-node']]);
    expect(await seenBy(scene.owner)).toEqual([200, 'owner,lessee', ['keystone-node']]);
    expect(await seenBy(scene.lessee)).toEqual([200, 'owner,lessee', ['keystone-node']]);
    expect(await seenBy(scene.stranger)).toEqual([200, 'owner,lessee', []]);
  });

  it('and does what they let them do', async () => {
    const power = async (user: KeystoneUser): Promise<number> =>
      (
        await fetch(`${scene.tenure.url}/v1/nodes/keystone-node/states/power`, {
          method: 'PUT',
          headers: {
            'X-Auth-Token': await scene.keystone.login(user),
            'Content-Type': 'application/json',
            'X-OpenStack-Ironic-API-Version': '1.65',
          },
          body: '{"target": "power off"}',
        })
      ).status;
    expect(await power(scene.owner)).toBe(202);
    expect(await power(scene.systemReader)).toBe(403);
    expect(await power(scene.stranger)).toBe(404);
  });

  it('an unscoped token is a 403 on a list', async () => {
    const token = await scene.keystone.login({ ...scene.owner, scope: null });
    expect(await statusOf(scene.tenure.url, token)).toBe(403);
  });

  it('a changed token is a 401 that says where Keystone is', async () => {
    const token = await scene.keystone.login(scene.owner);
    const forged = `${token.slice(0, -12)}AAAAAAAAAAAA`;
    const response = await fetch(`${scene.tenure.url}/v1/nodes`, {
      headers: { 'X-Auth-Token': forged },
    });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(`Keystone uri="${scene.keystone.url}"`);
  });

  it('a development token is not taken, unless the operator says so', async () => {
    const persona = { user: 'root', scope: { system: 'all' }, roles: ['admin'] } as const;
    expect(await statusOf(scene.tenure.url, await scene.tenure.token(persona))).toBe(401);
  });

  it('a failure leaves one audit line, without the token', async () => {
    const token = await scene.keystone.login(scene.owner);
    const forged = `${token.slice(0, -12)}BBBBBBBBBBBB`;
    const response = await fetch(`${scene.tenure.url}/v1/nodes`, {
      headers: { 'X-Auth-Token': forged },
    });
    const requestId = response.headers.get('x-openstack-request-id') ?? '';
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const lines = scene.tenure
      .log()
      .split('\n')
      .filter((line) => line.includes('authentication_failed') && line.includes(requestId));
    expect(lines).toHaveLength(1);
    expect(scene.tenure.log()).not.toContain(forged.slice(20, 80));
  });
});
