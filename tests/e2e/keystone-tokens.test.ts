import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Clients, startClients } from '../support/clients.js';
import { type TokenProvider } from '../support/keystone-process.js';
import { type KeystoneUser } from '../support/keystone.js';
import { keystoneLogin } from '../support/logins.js';
import { eventually } from '../support/wait.js';
import { type Witness, witnessOf } from '../support/witness.js';
import { issueTokens, type Scene, setScene } from './keystone/cast.js';
import { mintedToken } from './keystone/minted-token.js';

// One Keystone and one Tenure for all of it: Keystone is reconfigured on the way to issue JWS tokens in place of Fernet tokens.

let scene: Scene;
let clients: Clients;
let witness: Witness;
beforeAll(async () => {
  scene = await setScene('fernet');
  clients = startClients(scene.tenure);
  witness = witnessOf(scene.tenure);
}, 240_000);
afterAll(async () => {
  clients.stop();
  await scene.stop();
});

const issue = (provider: TokenProvider): Promise<void> =>
  issueTokens(provider, { keystone: scene.keystone, url: scene.tenure.url, user: scene.owner });
const login = (user: KeystoneUser): Promise<string> => scene.keystone.login(user);
const listWith = (token: string, serviceToken?: string): Promise<Response> =>
  witness.knock({
    headers: {
      'X-Auth-Token': token,
      ...(serviceToken !== undefined && { 'X-Service-Token': serviceToken }),
    },
  });
const statusWith = async (token: string, serviceToken?: string): Promise<number> =>
  (await listWith(token, serviceToken)).status;
/** The same token under a signature, or a MAC, that is not right. */
const forged = (token: string): string => `${token.slice(0, -12)}AAAAAAAAAAAA`;

describe.each(['fernet', 'jws'] as const)('with %s tokens of a real Keystone', (provider) => {
  beforeAll(() => issue(provider));

  const seenBy = async (user: KeystoneUser): Promise<unknown> => {
    const response = await listWith(await login(user));
    const { nodes } = (await response.json()) as { nodes: { name: string }[] };
    return [
      response.status,
      response.headers.get('x-tenure-policy-filter'),
      nodes.map(({ name }) => name),
    ];
  };

  it('everyone sees what their roles at Keystone let them see', async () => {
    expect(await seenBy(scene.systemAdmin)).toEqual([200, 'all', ['keystone-node']]);
    expect(await seenBy(scene.systemReader)).toEqual([200, 'all', ['keystone-node']]);
    expect(await seenBy(scene.owner)).toEqual([200, 'owner,lessee', ['keystone-node']]);
    expect(await seenBy(scene.lessee)).toEqual([200, 'owner,lessee', ['keystone-node']]);
    expect(await seenBy(scene.stranger)).toEqual([200, 'owner,lessee', []]);
  });

  it('and does what they let them do', async () => {
    const power = async (user: KeystoneUser): Promise<number> => {
      const { status } = await witness.knock({
        method: 'PUT',
        path: '/v1/nodes/keystone-node/states/power',
        headers: { 'X-Auth-Token': await login(user) },
        body: '{"target": "power off"}',
      });
      return status;
    };
    expect(await power(scene.owner)).toBe(202);
    expect(await power(scene.systemReader)).toBe(403);
    expect(await power(scene.stranger)).toBe(404);
  });

  it('an unscoped token is a 403 on a list', async () => {
    expect(await statusWith(await login({ ...scene.owner, scope: null }))).toBe(403);
  });

  it('a changed token is a 401 that says where Keystone is', async () => {
    const response = await listWith(forged(await login(scene.owner)));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(`Keystone uri="${scene.keystone.url}"`);
  });

  it('a development token is not taken, unless the operator says so', async () => {
    const persona = { user: 'root', scope: { system: 'all' }, roles: ['admin'] } as const;
    expect(await statusWith(await scene.tenure.token(persona))).toBe(401);
  });

  it('openstack baremetal finds the gateway in the catalog and lists what its user may see', async () => {
    const list = async (user: KeystoneUser): Promise<unknown> => {
      const { stdout } = await clients.osc(
        keystoneLogin(scene.keystone.url, user),
        ...'baremetal node list --fields name owner lessee -f json'.split(' '),
      );
      return JSON.parse(stdout);
    };
    const row = { name: 'keystone-node', owner: scene.projectA, lessee: scene.projectB };
    expect(await list(scene.owner)).toEqual([row]);
    expect(await list(scene.systemReader)).toEqual([row]);
    expect(await list(scene.stranger)).toEqual([]);
  });

  it('openstacksdk does the same', async () => {
    const { result } = await clients.sdk(
      keystoneLogin(scene.keystone.url, scene.lessee),
      'result = [n.name for n in conn.baremetal.nodes()]',
    );
    expect(result).toEqual(['keystone-node']);
  });
});

// Keystone takes a token for 48 hours after its end when a service vouches for the request; nobody can wait for that,
// and so the tokens are minted with Keystone's own key.
describe('a user token that ended while a service was at work for its user', () => {
  const TWO_DAYS = 48 * 3600;
  let owner: string;
  let nova: string;
  beforeAll(async () => {
    await issue('jws');
    owner = await login(scene.owner);
    nova = await login(scene.nova);
  });

  it('is refused alone and taken with the token of a service', async () => {
    const ended = mintedToken(scene.keystone, owner, -60);
    expect(await statusWith(ended)).toBe(401);
    expect(await statusWith(ended, nova)).toBe(200);
    // That it was taken for a service does not make it good for others.
    expect(await statusWith(ended)).toBe(401);
  });

  it('is the same user still, with no more rights than before', async () => {
    const stranger = mintedToken(scene.keystone, await login(scene.stranger), -60);
    const node = { path: '/v1/nodes/keystone-node', headers: { 'X-Service-Token': nova } };
    const as = async (token: string): Promise<number> =>
      (await witness.knock({ ...node, headers: { ...node.headers, 'X-Auth-Token': token } }))
        .status;
    expect(await as(mintedToken(scene.keystone, owner, -60))).toBe(200);
    expect(await as(stranger)).toBe(404);
  });

  it('is refused with the token of somebody who is no service', async () => {
    const ended = mintedToken(scene.keystone, owner, -60);
    expect(await statusWith(ended, await login(scene.lessee))).toBe(401);
    expect(await statusWith(ended, await login(scene.systemAdmin))).toBe(401);
    expect(await statusWith(ended, owner)).toBe(401);
  });

  it('is refused with a service token that is forged or has ended itself', async () => {
    const ended = mintedToken(scene.keystone, owner, -60);
    expect(await statusWith(ended, forged(nova))).toBe(401);
    expect(await statusWith(ended, mintedToken(scene.keystone, nova, -60))).toBe(401);
    expect(await statusWith(ended, 'no token at all')).toBe(401);
  });

  it('makes a good user token worthless when the service token is not good', async () => {
    expect(await statusWith(owner, nova)).toBe(200);
    expect(await statusWith(owner, forged(nova))).toBe(401);
  });

  it('is refused after the time that Keystone allows', async () => {
    expect(await statusWith(mintedToken(scene.keystone, owner, 60 - TWO_DAYS), nova)).toBe(200);
    expect(await statusWith(mintedToken(scene.keystone, owner, -60 - TWO_DAYS), nova)).toBe(401);
  });

  it('is refused when it was revoked before it ended', async () => {
    const [kept, revoked] = [5, 5].map((life) => mintedToken(scene.keystone, owner, life));
    if (kept === undefined || revoked === undefined) throw new Error('two tokens were minted');
    expect([await statusWith(kept), await statusWith(revoked)]).toEqual([200, 200]);
    await scene.keystone.revoke(revoked);
    await eventually(
      () => statusWith(kept),
      (status) => status === 401,
      { within: 20_000, every: 500, what: 'end of the token' },
    );
    expect(await statusWith(kept, nova)).toBe(200);
    expect(await statusWith(revoked, nova)).toBe(401);
  });
});

describe('of all that was refused', () => {
  it('there is one audit line each, and no token in any line', async () => {
    expect(await witness.unrecorded()).toEqual([]);
    witness.remember(scene.owner.password, scene.nova.password, 'password-of-gateway');
    expect(witness.betrayed()).toEqual([]);
  });
});
