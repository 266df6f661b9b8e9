import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { UnauthorizedError } from '@tenure/contracts';
import { type LoggedDecision } from '@tenure/decision-log';
import { createClientAddresses } from '@tenure/http';
import { type IssuerTokens } from '@tenure/tokens';
import { type AuditQueries, type DecisionSearch } from '../ports/audit-queries.js';
import { createAdmission } from './admission.js';
import { createConsole } from './console.js';
import { createFailedLogins } from './failed-logins.js';
import { createSessions } from './sessions.js';

const HOSTILE = '"><script>alert(1)</script>';
const START = Date.parse('2026-11-21T06:00:00Z');
const MINUTE = 60_000;
/** Three parts of base64url: it is a token of the stub below, who looks at no signature. */
const TOKEN = `${Buffer.from('{"alg":"ES256"}').toString('base64url')}.e30.AAAA`;

const decision: LoggedDecision = {
  instance: 'one',
  timestamp: '2026-11-21T06:00:00.000Z',
  record: {
    decision_id: 'd1',
    input: {
      action: 'baremetal:node:get',
      subject: { user_id: HOSTILE, project_id: HOSTILE },
      resource: { type: 'node', id: HOSTILE, owner: HOSTILE },
    },
    result: { allow: false, reason: HOSTILE },
  },
};

let now: number;
let revision: string;
let allows: boolean;
let inputs: unknown[];
let askers: unknown[];
let searches: DecisionSearch[];
let server: Server;
let secureServer: Server;
let proxiedServer: Server;

const tokens: IssuerTokens = {
  recall: () => undefined,
  verify: ({ text }) =>
    text === TOKEN
      ? Promise.resolve({
          subject: {
            user_id: 'auditor',
            project_id: null,
            domain_id: null,
            system_scope: 'all',
            roles: ['reader'],
          },
          expiresAt: (now + 20 * MINUTE) / 1000,
          issuedAt: START / 1000,
          auditIds: ['t1'],
          accessRules: null,
          keystone: null,
        })
      : Promise.reject(new UnauthorizedError()),
};

function unexpected(): never {
  throw new Error('nobody asks for this here');
}
const auditQueries: AuditQueries = {
  search: (search) => {
    searches.push(search);
    return Promise.resolve({ decisions: [decision], hasMore: true, isComplete: true });
  },
  find: (id) => Promise.resolve(id === 'd1' ? decision : undefined),
  explain: () =>
    Promise.resolve({
      isSamePolicy: false,
      whys: [
        {
          action: 'baremetal:node:get',
          allow: false,
          reason: HOSTILE,
          grants: [],
          nearest_misses: [
            {
              grant: 'owner_reader',
              about: 'reader in the project that owns the node',
              missing: [{ fact: 'project', has: HOSTILE, needs: 'p1', of: 'owner' }],
            },
          ],
          places: [{ file: 'grants.rego', line: 3, text: 'a <b>' }],
        },
      ],
    }),
  matrix: unexpected,
  attempt: unexpected,
  follow: unexpected,
};

async function start(isSecure: boolean, trustedProxies: readonly string[] = []): Promise<Server> {
  const clock = (): number => now;
  const serve = createConsole({
    auditQueries,
    status: unexpected,
    now: clock,
    isSecure,
    assets: { style: 'body{}', script: 'let x;' },
    logger: { info: () => undefined, error: () => undefined },
    admission: createAdmission({
      tokens,
      point: {
        revision: () => revision,
        answer: ({ input, requestedBy }) => {
          inputs.push(input);
          askers.push(requestedBy);
          const result = JSON.stringify({ allow: allows });
          return { body: `{"decision_id":"d","result":${result}}`, logged: undefined };
        },
      },
      sessions: createSessions(clock),
      clientAddressOf: createClientAddresses(trustedProxies),
      failures: createFailedLogins(clock),
      now: clock,
    }),
  });
  const made = createServer(serve);
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return made;
}

beforeAll(async () => {
  now = START;
  server = await start(false);
  secureServer = await start(true);
  proxiedServer = await start(false, ['127.0.0.0/8']);
});
afterAll(() => {
  server.close();
  secureServer.close();
  proxiedServer.close();
});
beforeEach(() => {
  // Beyond everything that a test before has counted.
  now += 2 * MINUTE;
  revision = 'sha256:one';
  allows = true;
  inputs = [];
  askers = [];
  searches = [];
});

function ask(path: string, init: RequestInit = {}, on: Server = server): Promise<Response> {
  const { port } = on.address() as AddressInfo; // listening on TCP
  return fetch(`http://127.0.0.1:${port}/console${path}`, { redirect: 'manual', ...init });
}

const login = (token = TOKEN, on: Server = server, headers = {}): Promise<Response> =>
  ask('/login', { method: 'POST', body: new URLSearchParams({ token }), headers }, on);

async function session(): Promise<Record<string, string>> {
  const cookie = (await login()).headers.get('set-cookie') ?? '';
  return { Cookie: cookie.split(';')[0] ?? '' };
}

describe('a login', () => {
  it('is a token in a form, for a cookie that is HttpOnly, Secure and of this site only', async () => {
    const answer = await login();
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/console/decisions');
    expect(answer.headers.get('set-cookie')).toMatch(
      /^tenure_console=[\w-]{43}; Path=\/console; Max-Age=\d+; HttpOnly; SameSite=Strict$/u,
    );
    const secure = (await login(TOKEN, secureServer)).headers.get('set-cookie');
    expect(secure).toMatch(/; SameSite=Strict; Secure$/u);
  });

  it('is decided by the policy, with the action of the console', async () => {
    await login();
    expect(inputs).toMatchObject([
      { action: 'tenure:audit:read', subject: { user_id: 'auditor' }, resource: { type: 'none' } },
    ]);
    allows = false;
    const refused = await login();
    expect(refused.status).toBe(403);
    expect(refused.headers.get('set-cookie')).toBeNull();
  });

  it.each([
    ['another site', { Origin: 'https://elsewhere.test' }],
    ['a page that hides where it is from', { Origin: 'null' }],
    ['another site, as the browser says', { 'Sec-Fetch-Site': 'same-site' }],
  ])('is refused for a form of %s', async (_what, headers) => {
    expect((await login(TOKEN, server, headers)).status).toBe(403);
    expect(inputs).toEqual([]);
  });

  it('is refused for a while after ten bad tokens from an address', async () => {
    for (let tries = 0; tries < 10; tries += 1) expect((await login(`${TOKEN}x`)).status).toBe(401);
    const late = await login();
    expect(late.status).toBe(429);
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
    now += MINUTE;
    expect((await login()).status).toBe(303);
  });

  it('behind a trusted proxy is refused to the client that failed, and to no other', async () => {
    const client = (address: string, token: string, on = proxiedServer): Promise<Response> =>
      login(token, on, { 'X-Forwarded-For': `192.0.2.1, ${address}` });
    for (let tries = 0; tries < 10; tries += 1)
      expect((await client('203.0.113.9', `${TOKEN}x`)).status).toBe(401);
    expect((await client('203.0.113.9', TOKEN)).status).toBe(429);
    expect((await client('127.0.0.1, 203.0.113.9', TOKEN)).status).toBe(429);
    expect((await client('203.0.113.8', TOKEN)).status).toBe(303);
    expect(askers).toEqual(['console 203.0.113.8']);
  });

  it('behind no trusted proxy is refused whatever address the client claims, and records the real one', async () => {
    const client = (last: number, token: string): Promise<Response> =>
      login(token, server, { 'X-Forwarded-For': `203.0.113.${last}` });
    expect((await client(1, TOKEN)).status).toBe(303);
    expect(askers).toEqual([expect.stringMatching(/^console 127\.0\.0\.1:[0-9]+$/u)]);
    for (let tries = 0; tries < 10; tries += 1)
      expect((await client(tries, `${TOKEN}x`)).status).toBe(401);
    expect((await client(99, TOKEN)).status).toBe(429);
  });

  it('takes a token in a header, and never one in an address', async () => {
    expect((await ask('/decisions', { headers: { 'X-Auth-Token': TOKEN } })).status).toBe(200);
    const bearer = { Authorization: `Bearer ${TOKEN}` };
    expect((await ask('/decisions', { headers: bearer })).status).toBe(200);
    expect((await ask(`/login?token=${TOKEN}`)).headers.get('set-cookie')).toBeNull();
    expect((await ask(`/decisions?token=${TOKEN}`)).status).toBe(401);
  });
});

describe('a session', () => {
  it('ends when it is logged out of', async () => {
    const headers = await session();
    expect((await ask('/decisions', { headers })).status).toBe(200);
    const form = { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' };
    expect((await ask('/logout', { method: 'POST', headers: form })).status).toBe(303);
    expect((await ask('/decisions', { headers })).status).toBe(401);
  });

  it('is decided again when the policy changes, and once a minute', async () => {
    const headers = await session();
    await ask('/decisions', { headers });
    expect(inputs).toHaveLength(1);
    now += MINUTE;
    await ask('/decisions', { headers });
    expect(inputs).toHaveLength(2);
    revision = 'sha256:two';
    allows = false;
    expect((await ask('/decisions', { headers })).status).toBe(403);
  });

  it('ends with the token that began it', async () => {
    const headers = await session();
    now += 20 * MINUTE;
    expect((await ask('/decisions', { headers })).status).toBe(401);
  });
});

describe('a page', () => {
  it('shows foreign text as text only', async () => {
    const headers = await session();
    for (const path of ['/decisions', '/decisions/d1', '/live']) {
      const text = await (await ask(path, { headers })).text();
      expect(text).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
      expect(text).not.toContain('<script>');
      expect(text).not.toContain('a <b>');
    }
  });

  it('repeats the search as text, and links to older decisions', async () => {
    const headers = await session();
    const query = new URLSearchParams({ user: HOSTILE, outcome: 'denied', since: '1h' });
    const text = await (await ask(`/decisions?${query.toString()}`, { headers })).text();
    expect(text).not.toContain('<script>');
    expect(text).toContain('until=2026-11-21T06%3A00%3A00.000Z&amp;skip=1');
    expect(searches).toEqual([
      {
        user: HOSTILE,
        denied: true,
        since: new Date(now - 60 * MINUTE).toISOString(),
        limit: 50,
        skip: 0,
      },
    ]);
  });

  it('loads nothing of other origins, and is not cached', async () => {
    const { headers } = await ask('/decisions', { headers: await session() });
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('is JSON for programs that accept it, failures too', async () => {
    const headers = { 'X-Auth-Token': TOKEN, Accept: 'application/json' };
    expect(await (await ask('/decisions/d1', { headers })).json()).toMatchObject({
      record: { decision_id: 'd1' },
      same_policy: false,
      answers: [{ allow: false, nearest_misses: [{ grant: 'owner_reader' }] }],
    });
    const missing = await ask('/decisions/d2', { headers });
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ status: 404, code: 'not_found' });
  });

  it.each([
    ['/decisions?color=red', 400],
    ['/decisions?user=a&user=b', 400],
    ['/decisions?since=yesterday', 400],
    ['/decisions?skip=1e3', 400],
    [`/decisions?user=${'x'.repeat(256)}`, 400],
    [`/decisions?user=${'x'.repeat(5000)}`, 400],
    ['/decisions/..%2fkeys', 404],
    ['/nothing', 404],
  ])('%s is %d', async (path, status) => {
    expect((await ask(path, { headers: await session() })).status).toBe(status);
  });

  it('is read-only', async () => {
    const headers = await session();
    expect((await ask('/decisions', { method: 'DELETE', headers })).status).toBe(405);
    expect((await ask('/logout', { headers })).status).toBe(405);
  });
});
