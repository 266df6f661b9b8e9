import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode } from '../support/fleet.js';
import { basicLogin } from '../support/logins.js';
import { runDirectory } from '../support/paths.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';
import { type Witness, witnessOf } from '../support/witness.js';
import { type Issuer, startIssuer } from './callers/issuer.js';
import { writeUsers } from './callers/users.js';

// Authentication without Keystone: tokens of OIDC issuers, and names with passwords. All on one Tenure without other sources of identity.

const OWNER = 'project-of-the-owner';
const LESSEE = 'project-of-the-lessee';
const NODE = '/v1/nodes/rack1-u01';

/** Seconds after which a key that was withdrawn is refused; a minute unless GATEWAY_JWKS_REFRESH_MS says so. */
const REFRESH_MS = 1000;
const COOLDOWN_MS = 200;

let directory: string;
let city: Issuer;
let college: Issuer;
let absent: Issuer;
let tenure: Tenure;
let clients: Clients;
let witness: Witness;

const metal3 = { name: 'metal3', password: 'metal3-password', roles: ['admin'] };
const USERS = [
  { ...metal3, system_scope: 'all' },
  { name: 'olga', password: 'olgas-password', roles: ['member'], project_id: OWNER },
  { name: 'rita', password: 'ritas-password', roles: ['reader'], project_id: OWNER },
  { name: 'theo', password: 'theos-password', roles: ['admin'], project_id: 'another-project' },
] as const;

/** As Keycloak writes its tokens: roles in a realm, the system's operators in a group. */
const CITY_CLAIMS = {
  user_id: '/preferred_username',
  roles: '/realm_access/roles',
  role_names: { 'bm-users': ['member'], 'bm-guests': ['reader'], 'bm-operators': ['admin'] },
  project_id: '/tenant',
  system_scope: { claim: '/groups', value: 'fleet-operators' },
};
/** One word for the role, which is the role, and everything under a name that is a URL. */
const COLLEGE_CLAIMS = {
  roles: '/https:~1~1college.example~1role',
  project_id: '/https:~1~1college.example~1project/id',
};

const inCity = (project: string, ...roles: string[]): Readonly<Record<string, unknown>> => ({
  sub: 'f3b2',
  preferred_username: `user-of-${project}`,
  realm_access: { roles },
  tenant: project,
});
const inCollege = (project: string, role: string): Readonly<Record<string, unknown>> => ({
  sub: `user-of-${project}`,
  'https://college.example/role': role,
  'https://college.example/project': { id: project },
});

beforeAll(async () => {
  mkdirSync(runDirectory, { recursive: true });
  directory = mkdtempSync(path.join(runDirectory, 'callers-'));
  city = await startIssuer('ES256');
  college = await startIssuer('RS256');
  absent = await startIssuer('ES256');
  city.newKey('city-1');
  college.newKey('college-1');
  absent.newKey('absent-1');
  absent.become('is silent');
  const issuersFile = path.join(directory, 'issuers.json');
  const entry = ({ name, keysUrl }: Issuer, claims: object): object => ({
    issuer: name,
    audience: 'tenure',
    jwks_urls: [keysUrl],
    claims,
  });
  const issuers = [
    entry(city, CITY_CLAIMS),
    entry(college, COLLEGE_CLAIMS),
    entry(absent, CITY_CLAIMS),
  ];
  writeFileSync(issuersFile, JSON.stringify({ issuers }));
  tenure = await startTenure('callers', {
    TOKEN_ISSUERS_FILE: issuersFile,
    GATEWAY_JWKS_REFRESH_MS: String(REFRESH_MS),
    GATEWAY_JWKS_COOLDOWN_MS: String(COOLDOWN_MS),
    GATEWAY_FAILED_LOGINS_PER_MINUTE: '3',
    ...writeUsers(directory, USERS),
  });
  const node = availableNode('rack1-u01', { owner: OWNER, lessee: LESSEE });
  await tenure.importDocument({ nodes: [node, availableNode('rack1-u02')] });
  clients = startClients(tenure);
  witness = witnessOf(tenure);
});

afterAll(async () => {
  clients.stop();
  await tenure.stop();
  for (const issuer of [city, college, absent]) issuer.stop();
});

const statusWith = async (token: string, target = NODE): Promise<number> =>
  (await witness.knock({ path: target, headers: { Authorization: `Bearer ${token}` } })).status;
async function namesWith(token: string): Promise<unknown> {
  const response = await witness.knock({ headers: { 'X-Auth-Token': token } });
  const { nodes } = (await response.json()) as { nodes: { name: string }[] };
  return nodes.map(({ name }) => name);
}

describe('tokens of two OIDC issuers', () => {
  it('are read as the mapping of each says: owner and lessee see their node, nobody else does', async () => {
    expect(await namesWith(city.token('city-1', inCity(OWNER, 'bm-users')))).toEqual(['rack1-u01']);
    expect(await namesWith(college.token('college-1', inCollege(LESSEE, 'reader')))).toEqual([
      'rack1-u01',
    ]);
    const strangers = [
      city.token('city-1', inCity('elsewhere', 'bm-operators')),
      college.token('college-1', inCollege('elsewhere', 'admin')),
    ];
    for (const token of strangers) {
      expect(await namesWith(token)).toEqual([]);
      expect(await statusWith(token)).toBe(404);
    }
  });

  it('let their users do what their roles let them do', async () => {
    const power = async (token: string): Promise<number> => {
      const { status } = await witness.knock({
        method: 'PUT',
        path: `${NODE}/states/power`,
        headers: { 'X-Auth-Token': token },
        body: '{"target": "power off"}',
      });
      return status;
    };
    expect(await power(city.token('city-1', inCity(OWNER, 'bm-users')))).toBe(202);
    expect(await power(city.token('city-1', inCity(OWNER, 'bm-guests')))).toBe(403);
    expect(await power(college.token('college-1', inCollege(OWNER, 'reader')))).toBe(403);
  });

  it('reach the whole system only with the value that the mapping names', async () => {
    const operator = { ...inCity(OWNER, 'bm-operators'), groups: ['staff', 'fleet-operators'] };
    expect(await namesWith(city.token('city-1', operator))).toEqual(['rack1-u01', 'rack1-u02']);
    const other = { ...inCity(OWNER, 'bm-operators'), groups: ['Fleet-operators'] };
    expect(await namesWith(city.token('city-1', other))).toEqual(['rack1-u01']);
    // The other issuer has no such mapping, whatever its tokens say.
    const claims = { groups: 'fleet-operators', system_scope: 'all' };
    const pretender = college.token('college-1', { ...inCollege(OWNER, 'admin'), ...claims });
    expect(await namesWith(pretender)).toEqual(['rack1-u01']);
  });

  it('give no role by a word that the mapping does not name', async () => {
    const token = city.token('city-1', inCity(OWNER, 'admin', 'member'));
    expect([await statusWith(token, '/v1/nodes'), await statusWith(token)]).toEqual([403, 404]);
  });

  it.each<[what: string, token: () => string]>([
    [
      'is of one issuer and under a key of the other',
      () => college.token('college-1', { ...inCity(OWNER, 'bm-users'), iss: city.name }),
    ],
    [
      'is under a key of the other and names the key as its own',
      () =>
        college.token(
          'college-1',
          { ...inCity(OWNER, 'bm-users'), iss: city.name },
          { kid: 'city-1' },
        ),
    ],
    [
      'says itself where its key is',
      () =>
        college.token(
          'college-1',
          { ...inCity(OWNER, 'bm-users'), iss: city.name },
          { jku: college.keysUrl },
        ),
    ],
    [
      'is under a MAC with the public key as its secret',
      () => city.forgedToken('city-1', inCity(OWNER, 'bm-users')),
    ],
    [
      'says another algorithm than its key is for',
      () => city.token('city-1', inCity(OWNER, 'bm-users'), { alg: 'RS256' }),
    ],
    [
      'says that it needs no signature',
      () => city.token('city-1', inCity(OWNER, 'bm-users'), { alg: 'none' }),
    ],
    [
      'is for another audience',
      () => city.token('city-1', { ...inCity(OWNER, 'bm-users'), aud: 'another' }),
    ],
    ['has ended', () => city.token('city-1', { ...inCity(OWNER, 'bm-users'), exp: 1_700_000_000 })],
    [
      'is of an issuer that nobody named',
      () => city.token('city-1', { ...inCity(OWNER, 'bm-users'), iss: `${city.name}/` }),
    ],
  ])('are refused when one %s', async (_what, token) => {
    expect(await statusWith(token())).toBe(401);
  });
});

describe('the keys of an issuer', () => {
  const tokenOf = (kid: string): string => city.token(kid, inCity(OWNER, 'bm-users'));
  const soon = (token: string, expected: number, what: string): Promise<unknown> =>
    eventually(
      () => statusWith(token),
      (status) => status === expected,
      { within: REFRESH_MS + 4000, what },
    );

  it('count once they are published, and no more when they are withdrawn, without a restart', async () => {
    city.newKey('city-2', { published: false });
    const token = tokenOf('city-2');
    expect(await statusWith(token)).toBe(401);
    city.publish('city-2');
    await soon(token, 200, 'use of the new key');
    city.withdraw('city-2');
    await soon(token, 401, 'end of the withdrawn key');
    expect(await statusWith(tokenOf('city-1'))).toBe(200);
  });

  it.each(['is silent', 'fails'] as const)(
    'go on counting while the issuer %s, and a key that nobody knows is a 401 in time',
    async (mood) => {
      city.become(mood);
      try {
        city.newKey('city-3');
        // The gateway is waiting for an answer, or has one that is none.
        await city.requested();
        expect(await statusWith(tokenOf('city-1'))).toBe(200);
        expect(await statusWith(tokenOf('city-3'))).toBe(401);
      } finally {
        city.become('answers');
      }
      await soon(tokenOf('city-3'), 200, 'use of the key that was published meanwhile');
    },
  );

  it('that were never fetched make it a 503 in time, and good tokens are taken once they were', async () => {
    const token = absent.token('absent-1', inCity(OWNER, 'bm-users'));
    expect(await statusWith(token)).toBe(503);
    absent.become('answers');
    await soon(token, 200, 'use of the keys that came late');
  });
});

describe('name and password', () => {
  const listed = 'baremetal node list --fields name -f json'.split(' ');
  const loginOf = ({ name, password }: { name: string; password: string }) =>
    basicLogin(tenure, name, password);
  const headersOf = (name: string, password: string): Readonly<Record<string, string>> => ({
    Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
  });
  const knockAs = (name: string, password: string): Promise<Response> =>
    witness.knock({ path: NODE, headers: headersOf(name, password) });

  it.each([
    ['metal3', [{ name: 'rack1-u01' }, { name: 'rack1-u02' }]],
    ['olga', [{ name: 'rack1-u01' }]],
    ['theo', []],
  ])(
    'are enough for openstack baremetal: %s sees what the policy lets them see',
    async (name, rows) => {
      const user = USERS.find((found) => found.name === name) ?? metal3;
      const { stdout } = await clients.osc(loginOf(user), ...listed);
      expect(JSON.parse(stdout)).toEqual(rows);
    },
  );

  it('are enough for openstacksdk, and a reader may read and no more', async () => {
    const [, olga, rita] = USERS;
    const off = "result = conn.baremetal.set_node_power_state('rack1-u01', 'power off')";
    expect(await clients.sdk(loginOf(olga), off)).toEqual({ result: null, error: null });
    const read = "result = conn.baremetal.get_node('rack1-u01').owner";
    expect(await clients.sdk(loginOf(rita), read)).toEqual({ result: OWNER, error: null });
    expect((await clients.sdk(loginOf(rita), off)).error?.status).toBe(403);
  });

  it('that are wrong are a 401 which names the scheme, and a 429 after too many; others still get in', async () => {
    const wrong = await knockAs('olga', 'a-wrong-password');
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get('www-authenticate')).toBe('Basic realm="tenure", charset="UTF-8"');
    const statuses = [];
    for (const guess of ['guess-number-one', 'guess-number-two', 'guess-number-three'])
      statuses.push((await knockAs('theo', guess)).status);
    const shutOut = await knockAs('theo', 'guess-number-four');
    expect([statuses, shutOut.status]).toEqual([[401, 401, 401], 429]);
    expect(shutOut.headers.get('retry-after')).toBe('60');
    expect((await knockAs('rita', 'ritas-password')).status).toBe(200);
    // Theo's own client knew the password before: nobody can shut it out.
    expect((await knockAs('theo', 'theos-password')).status).toBe(404);
    expect((await knockAs('nobody', 'theos-password')).status).toBe(401);
  });

  it('count from the moment that the file has them, until it has them no longer', async () => {
    const anna = { name: 'anna', password: 'annas-password', roles: ['reader'], project_id: OWNER };
    expect((await knockAs('anna', 'annas-password')).status).toBe(401);
    expect((await knockAs('rita', 'ritas-password')).status).toBe(200);
    writeUsers(directory, [anna, ...USERS.filter(({ name }) => name !== 'rita')]);
    const soon = (name: string, password: string, expected: number): Promise<unknown> =>
      eventually(
        async () => (await knockAs(name, password)).status,
        (status) => status === expected,
        { within: 6000, every: 250, what: `${expected} for ${name}` },
      );
    await soon('rita', 'ritas-password', 401);
    await soon('anna', 'annas-password', 200);
  });
});

describe('of all that was refused', () => {
  it('there is one audit line each, and no token or password in any line', async () => {
    expect(await witness.unrecorded()).toEqual([]);
    expect(witness.betrayed()).toEqual([]);
  });
});
