import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createJsonHttp, createServiceSession, type JsonHttp } from '@tenure/http';
import { type Logger } from '@tenure/process';
import { createSeal } from '@tenure/shared-state';
import { createIssuerTokens } from '@tenure/tokens';
import { createKeyDirectory } from '../../adapters/keystone/key-source-directory.js';
import { createKeystone } from '../../adapters/keystone/keystone-client.js';
import {
  type FakeKeystone,
  fernetToken,
  startFakeKeystone,
  tokenBody,
} from '../../testing/fake-keystone.js';
import { json } from '../../testing/fakes.js';
import { createAuthenticator, type Authenticator } from '../authentication/authenticator.js';
import { createMemoryFailures } from '../authentication/failure-counter-memory.js';
import { createFailureLimit } from '../authentication/failure-limit.js';
import { createTokenAuthority } from '../authentication/token-authority.js';
import { createRevocationList, type RevocationList } from '../revocation/revocation-list.js';
import { createLayeredCache } from '../token-cache/layered-cache.js';
import { createKeystoneTokens, ttlOf } from './keystone-tokens.js';
import { createLookupLimits } from './lookup-limits.js';

const quiet = { warn: () => undefined, info: () => undefined } as unknown as Logger; // only what is called
const DEADLINE_MS = 1000;

interface Settings {
  readonly cacheMs?: number;
  readonly revocationMs?: number;
  readonly isListCurrent?: () => boolean;
  readonly perAddress?: number;
  readonly failedTokens?: number;
  readonly jwsKeysDir?: string;
  readonly deadlineMs?: number;
}

let fake: FakeKeystone;
let http: JsonHttp | undefined;
let revocations: RevocationList;

beforeEach(async () => {
  fake = await startFakeKeystone();
});
afterEach(async () => {
  await http?.close();
  await fake.server.close();
});

function gatewayWith(settings: Settings = {}): Authenticator {
  const cacheMs = settings.cacheMs ?? 300_000;
  http = createJsonHttp({
    service: 'Keystone',
    baseUrl: fake.url,
    deadlineMs: settings.deadlineMs ?? DEADLINE_MS,
  });
  const session = createServiceSession(http, () => ({
    kind: 'application_credential',
    id: 'gateway',
    secret: 'secret',
  }));
  revocations = createRevocationList();
  const keystone = createKeystoneTokens({
    keystone: createKeystone(http, session),
    cache: createLayeredCache({
      shared: undefined,
      seal: createSeal(Buffer.alloc(32, 7)),
      ttlMs: ttlOf(cacheMs),
      logger: quiet,
    }),
    limits: createLookupLimits({
      perAddress: settings.perAddress ?? 1000,
      overall: 1000,
      atOnce: 16,
      // No share fills up again while a busy machine takes its time.
      now: () => 0,
    }),
    failures: createFailureLimit({
      perMinute: settings.failedTokens ?? 1000,
      local: createMemoryFailures(),
      shared: undefined,
    }),
    cacheMs,
    revocationMs: settings.revocationMs ?? 5000,
    isListCurrent: settings.isListCurrent ?? (() => true),
  });
  return createAuthenticator({
    tokens: createTokenAuthority({
      issuers: createIssuerTokens([]),
      keystone,
      jwsKeys:
        settings.jwsKeysDir === undefined
          ? undefined
          : createKeyDirectory({ directory: settings.jwsKeysDir, logger: quiet, cooldownMs: 0 }),
      revocations,
    }),
    basic: undefined,
    serviceRoles: ['service'],
    deadlineMs: 4500,
  });
}

interface RequestOptions {
  readonly serviceToken?: string;
  readonly method?: string;
  readonly path?: string;
  readonly address?: string;
  readonly service?: string;
}

/** The user, or the status of the refusal. */
async function verdict(
  gateway: Authenticator,
  token: string,
  {
    serviceToken,
    service = 'baremetal',
    method = 'GET',
    path: target = '/v1/nodes',
    address = '192.0.2.1',
  }: RequestOptions = {},
): Promise<unknown> {
  try {
    const { subject } = await gateway.authenticate({
      credentials: { kind: 'token', token },
      serviceToken,
      address,
      service,
      method,
      path: target,
    });
    return subject.user_id;
  } catch (error) {
    return typeof error === 'object' && error !== null && 'status' in error ? error.status : error;
  }
}

function issue(changes: Readonly<Record<string, unknown>> = {}): string {
  const token = fernetToken();
  fake.tokens.set(token, tokenBody(changes));
  return token;
}
const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();
const SERVICE = {
  user: { id: 'nova', name: 'nova', domain: { id: 'default' } },
  roles: [{ id: 'r-service', name: 'Service' }],
};

describe('the answer of Keystone about a token', () => {
  it.each([
    [
      'of a project',
      {},
      {
        project_id: 'p1',
        project_name: 'project-a',
        project_domain_id: 'default',
        system_scope: null,
        domain_id: null,
        roles: ['member', 'reader'],
      },
    ],
    [
      'of the system',
      { project: undefined, system: { all: true }, roles: [{ id: 'a', name: 'admin' }] },
      { project_id: null, system_scope: 'all', domain_id: null, roles: ['admin'] },
    ],
    [
      'of a domain',
      { project: undefined, domain: { id: 'd1', name: 'D' } },
      { project_id: null, system_scope: null, domain_id: 'd1', roles: ['member', 'reader'] },
    ],
    [
      'without a scope',
      { project: undefined, roles: undefined },
      { project_id: null, system_scope: null, domain_id: null, roles: [] },
    ],
    [
      'of the admin project',
      { is_admin_project: true, roles: [{ id: 'a', name: 'admin' }] },
      {
        project_id: 'p1',
        project_name: 'project-a',
        project_domain_id: 'default',
        system_scope: null,
        domain_id: null,
        roles: ['admin'],
        is_admin_project: true,
      },
    ],
  ])('is the subject: %s', async (_what, changes, subject) => {
    const identity = await gatewayWith().authenticate({
      credentials: { kind: 'token', token: issue(changes) },
      serviceToken: undefined,
      address: '',
      service: 'baremetal',
      method: 'GET',
      path: '/v1/nodes',
    });
    expect(identity.subject).toEqual({ user_id: 'olga', ...subject });
  });

  it('is validated once, also when many requests bring it at once', async () => {
    const gateway = gatewayWith();
    const token = issue();
    const all = await Promise.all(Array.from({ length: 20 }, () => verdict(gateway, token)));
    expect(new Set(all)).toEqual(new Set(['olga']));
    expect(await verdict(gateway, token)).toBe('olga');
    expect(fake.lookups()).toHaveLength(1);
    expect(fake.logins()).toBe(1);
  });

  it('is validated again after TOKEN_CACHE_SECONDS', async () => {
    const gateway = gatewayWith({ cacheMs: 0 });
    const token = issue();
    await verdict(gateway, token);
    fake.tokens.delete(token);
    expect(await verdict(gateway, token)).toBe(401);
  });

  it.each([
    ['a project with a blank after it', { project: { id: 'p1 ', name: 'p' } }],
    ['a user with a character without width', { user: { id: 'u\u200b1' } }],
  ])('is not believed of %s, which is a 401', async (_what, ids) => {
    expect(await verdict(gatewayWith(), issue(ids))).toBe(401);
  });

  it('is not believed past the end of the token', async () => {
    expect(await verdict(gatewayWith(), issue({ expires_at: ago(1) }))).toBe(401);
  });

  it('is not believed of a token that was issued in the future', async () => {
    expect(await verdict(gatewayWith(), issue({ issued_at: ago(-3600) }))).toBe(401);
  });

  it('is cached for a moment when it is negative', async () => {
    const gateway = gatewayWith();
    const token = fernetToken();
    expect([await verdict(gateway, token), await verdict(gateway, token)]).toEqual([401, 401]);
    expect(fake.lookups()).toHaveLength(1);
  });
});

describe('never reaches Keystone', () => {
  it.each([
    ['a text of another shape', 'nonsense'],
    ['a Fernet token cut short', () => fernetToken().slice(0, -3)],
    ['one with padding', () => `${fernetToken()}=`],
    ['one of another version', () => `hAAAAA${fernetToken().slice(6)}`],
    ['one that is very long', () => fernetToken().repeat(20)],
    ['one from the far future', () => `gAAAAf${fernetToken().slice(6)}`],
  ])('%s', async (_what, text) => {
    const token = typeof text === 'string' ? text : text();
    expect(await verdict(gatewayWith(), token)).toBe(401);
    expect(fake.server.received).toHaveLength(0);
  });

  it('what one address sends beyond its share of new tokens', async () => {
    const gateway = gatewayWith({ perAddress: 3 });
    const verdicts = [];
    for (let count = 0; count < 5; count += 1) verdicts.push(await verdict(gateway, fernetToken()));
    expect(verdicts).toEqual([401, 401, 401, 429, 429]);
    expect(await verdict(gateway, issue(), { address: '192.0.2.2' })).toBe('olga');
  });

  it('requests of an address with repeated unknown tokens; cached tokens still pass', async () => {
    const gateway = gatewayWith({ failedTokens: 2 });
    const cachedToken = issue();
    expect(await verdict(gateway, cachedToken)).toBe('olga');
    const verdicts = [];
    for (let count = 0; count < 3; count += 1) verdicts.push(await verdict(gateway, fernetToken()));
    expect(verdicts).toEqual([401, 401, 429]);
    expect(await verdict(gateway, cachedToken)).toBe('olga');
  });
});

describe('when Keystone', () => {
  it("refuses the gateway's own token, the call is repeated after one login", async () => {
    const gateway = gatewayWith();
    await verdict(gateway, issue());
    fake.expireOurs();
    expect(await verdict(gateway, issue())).toBe('olga');
    expect(fake.logins()).toBe(2);
  });

  it.each([
    ['never lets the gateway in', 401],
    ["does not let the gateway's user ask", 403],
    ['is broken', 500],
    ['answers in another way', 302],
  ])('%s, a new token is a 503', async (_what, status) => {
    const gateway = gatewayWith();
    fake.server.answer = (_request, response): void => {
      json(response, status, { error: { code: status } });
    };
    expect(await verdict(gateway, issue())).toBe(503);
  });

  it.each([
    ['a token without a user', { user: undefined }],
    ['a token without audit ids', { audit_ids: [] }],
    ['two scopes', { system: { all: true } }],
    ['a time that is none', { expires_at: 'soon' }],
    ['65 roles', { roles: Array.from({ length: 65 }, (_r, i) => ({ id: `${i}`, name: `r${i}` })) }],
  ])('answers with %s, it is a 503', async (_what, changes) => {
    expect(await verdict(gatewayWith(), issue(changes))).toBe(503);
  });

  it('answers about another token, it is a 503', async () => {
    const gateway = gatewayWith();
    const token = issue();
    const answer = fake.server.answer;
    fake.server.answer = (request, response) => {
      if (request.method === 'POST') return answer(request, response);
      json(response, 200, { token: tokenBody() }, { 'X-Subject-Token': fernetToken() });
      return undefined;
    };
    expect(await verdict(gateway, token)).toBe(503);
  });

  it('does not answer or is down, cached tokens work; new ones get a 503, at once after some failures', async () => {
    const gateway = gatewayWith({ deadlineMs: 200 });
    const cachedToken = issue();
    await verdict(gateway, cachedToken);
    fake.server.answer = (): void => undefined;
    for (let count = 0; count < 3; count += 1) expect(await verdict(gateway, issue())).toBe(503);
    const before = fake.server.received.length;
    const credentials = { kind: 'token', token: issue() } as const;
    const request = {
      address: '192.0.2.1',
      service: 'baremetal',
      method: 'GET',
      path: '/v1/nodes',
    };
    await expect(
      gateway.authenticate({ credentials, serviceToken: undefined, ...request }),
    ).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
    expect(fake.server.received).toHaveLength(before);
    expect(await verdict(gateway, cachedToken)).toBe('olga');
  });
});

describe('while revocations cannot be read', () => {
  it('a cached token is validated again, and refused when Keystone refuses it', async () => {
    const gateway = gatewayWith({ revocationMs: 0, isListCurrent: () => false });
    const token = issue();
    expect(await verdict(gateway, token)).toBe('olga');
    await new Promise((resolve) => setTimeout(resolve, 5));
    fake.tokens.delete(token);
    expect(await verdict(gateway, token)).toBe(401);
  });

  it('a cached token stays valid until it expires when Keystone does not answer', async () => {
    const gateway = gatewayWith({ revocationMs: 0, isListCurrent: () => false });
    const token = issue();
    await verdict(gateway, token);
    await new Promise((resolve) => setTimeout(resolve, 5));
    fake.server.answer = (_request, response): void => {
      json(response, 500, {});
    };
    expect(await verdict(gateway, token)).toBe('olga');
  });
});

describe('a revocation', () => {
  const now = (): number => Math.floor(Date.now() / 1000);
  it.each([
    ['of its audit id', { audit_id: 'a1' }, 401],
    ['of another audit id', { audit_id: 'a2' }, 'olga'],
    ['of its user', { user_id: 'olga' }, 401],
    ['of its user in another project', { user_id: 'olga', project_id: 'p2' }, 'olga'],
    ['of its project', { project_id: 'p1' }, 401],
    ['of its domain', { domain_id: 'default' }, 401],
    ['of a role that it has', { role_id: 'r-member' }, 401],
    ['of a role that it has not', { role_id: 'r-admin' }, 'olga'],
    ['of a trust', { trust_id: 't1' }, 'olga'],
  ])('%s takes effect at once for a cached token', async (_what, event, expected) => {
    const gateway = gatewayWith();
    const token = issue({ audit_ids: ['a1'] });
    await verdict(gateway, token);
    revocations.add([{ issuedBefore: now(), ...event }], Date.now() + 60_000);
    expect(await verdict(gateway, token)).toBe(expected);
  });

  it('does not revoke a token that was issued later', async () => {
    const gateway = gatewayWith();
    const token = issue();
    revocations.add([{ issuedBefore: now() - 3600, user_id: 'olga' }], Date.now() + 60_000);
    expect(await verdict(gateway, token)).toBe('olga');
  });
});

describe('a service token', () => {
  const expired = { issued_at: ago(7200), expires_at: ago(3600) };

  it('lets an expired user token through, which Keystone validates with allow_expired', async () => {
    const gateway = gatewayWith();
    const serviceToken = issue(SERVICE);
    const token = issue(expired);
    expect(await verdict(gateway, token)).toBe(401);
    expect(await verdict(gateway, token, { serviceToken })).toBe('olga');
    expect(fake.lookups().at(-1)?.target).toContain('allow_expired=1');
    expect(await verdict(gateway, token)).toBe(401);
  });

  it('accepts it for a moment from the cache, and no longer than Keystone does', async () => {
    const serviceToken = issue(SERVICE);
    const token = issue(expired);
    const relaxed = gatewayWith({ revocationMs: 60_000 });
    expect(await verdict(relaxed, token, { serviceToken })).toBe('olga');
    fake.tokens.delete(token);
    expect(await verdict(relaxed, token, { serviceToken })).toBe('olga');
    await http?.close();

    fake.tokens.set(token, tokenBody({ ...expired }));
    const hasty = gatewayWith({ revocationMs: 0 });
    expect(await verdict(hasty, token, { serviceToken })).toBe('olga');
    await new Promise((resolve) => setTimeout(resolve, 5));
    fake.tokens.delete(token);
    expect(await verdict(hasty, token, { serviceToken })).toBe(401);
  });

  it.each([
    ['of a user without the role', () => issue()],
    ['that has expired', () => issue({ ...SERVICE, ...expired })],
    ['that is unknown', () => fernetToken()],
    ['of nonsense', () => 'x'],
  ])('%s makes it a 401, whatever the user token is', async (_what, serviceToken) => {
    const gateway = gatewayWith();
    expect(await verdict(gateway, issue(), { serviceToken: serviceToken() })).toBe(401);
    expect(await verdict(gateway, issue(expired), { serviceToken: serviceToken() })).toBe(401);
  });
});

describe('an application credential with access rules', () => {
  const rules = [
    { id: '1', method: 'GET', path: '/v1/nodes', service: 'baremetal' },
    { id: '2', method: 'GET', path: '/v1/nodes/*', service: 'baremetal' },
    { id: '3', method: 'PUT', path: '/v1/nodes/{id}/states/power', service: 'baremetal' },
    { id: '4', method: 'GET', path: '/v1/allocations/**', service: 'baremetal' },
    { id: '5', method: 'GET', path: '/v1/drivers', service: 'compute' },
    { id: '6', method: 'GET', path: '/v1.conductors', service: 'baremetal' },
    { id: '7', method: 'GET', path: '/v2.1/servers', service: 'compute' },
    { id: '8', method: 'GET', path: '/v2.1/flavors', service: 'baremetal' },
  ];
  const restricted = {
    application_credential: { id: 'c1', restricted: true, access_rules: rules },
  };

  it.each([
    ['GET', '/v1/nodes', 'olga'],
    ['GET', '/v1/nodes/', 'olga'],
    ['POST', '/v1/nodes', 401],
    ['GET', '/v1/nodes/n1', 'olga'],
    ['GET', '/v1/nodes/n1/states', 401],
    ['PUT', '/v1/nodes/n1/states/power', 'olga'],
    ['PUT', '/v1/nodes/n1/states/provision', 401],
    ['GET', '/v1/allocations/a/b/c', 'olga'],
    ['GET', '/v1/allocations', 401],
    ['GET', '/v1/drivers', 401],
    ['GET', '/v1/conductors', 401],
  ])('may %s %s: %s', async (method, target, expected) => {
    expect(await verdict(gatewayWith(), issue(restricted), { method, path: target })).toBe(
      expected,
    );
  });

  it.each([
    ['/v2.1/servers', 'olga'],
    ['/v2.1/flavors', 401],
    ['/v1/nodes', 401],
  ])(
    'is limited at the compute API by the rules for that service: %s %s',
    async (target, expected) => {
      const request = { service: 'compute', path: target };
      expect(await verdict(gatewayWith(), issue(restricted), request)).toBe(expected);
    },
  );

  it('without any may do nothing, and a service may act for it all the same', async () => {
    const gateway = gatewayWith();
    const token = issue({
      application_credential: { id: 'c1', restricted: true, access_rules: [] },
    });
    expect(await verdict(gateway, token)).toBe(401);
    expect(await verdict(gateway, token, { serviceToken: issue(SERVICE) })).toBe('olga');
  });

  it('is validated with the header that Keystone requires', async () => {
    await verdict(gatewayWith(), issue(restricted));
    expect(fake.lookups()[0]?.headers['openstack-identity-access-rules']).toBe('1.0');
  });

  it('is refused when its patterns would make the gateway work long', async () => {
    const greedy = { method: 'GET', path: '**a'.repeat(300), service: 'baremetal' };
    const token = issue({
      application_credential: { id: 'c1', restricted: true, access_rules: Array(10).fill(greedy) },
    });
    expect(await verdict(gatewayWith(), token, { path: `/v1/${'a'.repeat(1000)}` })).toBe(401);
  });
});

describe('a token that Keystone signed', () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const encode = (value: object): string =>
    Buffer.from(JSON.stringify(value)).toString('base64url');
  const jws = (key: KeyObject, claims: object = {}): string => {
    const now = Math.floor(Date.now() / 1000);
    const input = `${encode({ alg: 'ES256', typ: 'JWT' })}.${encode({
      sub: 'olga',
      iat: now,
      exp: now + 600,
      openstack_methods: ['password'],
      openstack_audit_ids: ['a1'],
      ...claims,
    })}`;
    return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  };
  const keysDir = (): string => {
    const directory = mkdtempSync(path.join(tmpdir(), 'tenure-jws-'));
    writeFileSync(
      path.join(directory, 'public.pem'),
      pair.publicKey.export({ type: 'spki', format: 'pem' }),
    );
    writeFileSync(path.join(directory, 'broken.pem'), 'nothing');
    return directory;
  };

  it('is validated by Keystone, because it contains no roles', async () => {
    const gateway = gatewayWith({ jwsKeysDir: keysDir() });
    const token = jws(pair.privateKey);
    expect(await verdict(gateway, token)).toBe(401);
    expect(fake.lookups()).toHaveLength(1);
    const cachedToken = jws(pair.privateKey, { sub: 'olga', iat: 1 });
    fake.tokens.set(cachedToken, tokenBody());
    expect(await verdict(gateway, cachedToken)).toBe('olga');
  });

  it.each([
    ['forged', () => jws(other.privateKey)],
    ['expired', () => jws(pair.privateKey, { exp: 1 })],
    ['of another form', () => jws(pair.privateKey, { iss: 'x' })],
  ])('that is %s never reaches Keystone', async (_what, token) => {
    expect(await verdict(gatewayWith({ jwsKeysDir: keysDir() }), token())).toBe(401);
    expect(fake.server.received).toHaveLength(0);
  });

  it('of a key that Keystone got since is verified', async () => {
    const directory = keysDir();
    const gateway = gatewayWith({ jwsKeysDir: directory });
    const token = jws(other.privateKey);
    fake.tokens.set(token, tokenBody());
    expect(await verdict(gateway, token)).toBe(401);
    writeFileSync(
      path.join(directory, 'new.pem'),
      other.publicKey.export({ type: 'spki', format: 'pem' }),
    );
    expect(await verdict(gateway, token)).toBe('olga');
  });
});
