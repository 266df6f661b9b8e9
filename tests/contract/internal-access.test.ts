import { beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode } from '../support/fleet.js';
import { newProject } from '../support/personas.js';
import { type Claims, claimsOf, contextKey, sign, unknownKey } from '../support/signed-context.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';

// The services behind the gateway, called directly: each request is refused without a signed context that says exactly this
// request (docs/contracts/signed-context.md).

const parts = ['inventory', 'conductor', 'allocation', 'compute'] as const;
type Audience = (typeof parts)[number];

const target: Readonly<Record<Audience, string>> = {
  inventory: '/v1/nodes',
  conductor: '/v1/nodes/validate?node=none',
  allocation: '/v1/allocations',
  compute: '/v2.1/servers',
};

const project = newProject('internal-access');
const node = availableNode(`${project}-node`, { owner: project });
let tenure: Tenure;

beforeAll(async () => {
  tenure = await sharedTenure();
  await tenure.importDocument({ nodes: [node] });
});

async function knock(
  part: Audience,
  path: string,
  options: RequestInit = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(`http://127.0.0.1:${String(tenure.ports[part])}${path}`, {
    ...options,
    signal: AbortSignal.timeout(5000),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const withContext = (token: string): RequestInit => ({ headers: { 'X-Tenure-Context': token } });

describe.each(parts)('%s', (part) => {
  const honest = (): Claims =>
    claimsOf({ caller: 'gateway', audience: part, method: 'GET', target: target[part] });
  const key = (): Buffer => contextKey(tenure, 'gateway', part);

  it.each([
    '/',
    '/v1',
    '/v1/nodes',
    '/v1/allocations',
    '/v2.1',
    '/v2.1/servers',
    '/internal/nodes',
    '/internal/export?section=nodes',
    '/nothing/of/the/kind',
  ])('answers 401 at %s without a context', async (path) => {
    expect((await knock(part, path)).status).toBe(401);
  });

  it('opens to the gateway', async () => {
    expect((await knock(part, target[part], withContext(sign(honest(), key())))).status).not.toBe(
      401,
    );
  });

  it.each<readonly [string, (claims: Claims) => string]>([
    ['under a key that nobody holds', (claims) => sign(claims, unknownKey())],
    ['under no key', (claims) => sign(claims, key(), 'none')],
    [
      'of another audience',
      (claims) => sign({ ...claims, aud: part === 'compute' ? 'allocation' : 'compute' }, key()),
    ],
    ['of a caller that is somebody else', (claims) => sign({ ...claims, iss: 'compute' }, key())],
    ['for another method', (claims) => sign({ ...claims, method: 'DELETE' }, key())],
    ['for another path', (claims) => sign({ ...claims, target: '/v1/nodes/other' }, key())],
    [
      'for another query',
      (claims) =>
        sign(
          { ...claims, target: `${target[part]}${target[part].includes('?') ? '&' : '?'}limit=1` },
          key(),
        ),
    ],
    ['for another body', (claims) => sign({ ...claims, body_sha256: 'A'.repeat(43) }, key())],
    [
      'that is over',
      (claims) =>
        sign(
          { ...claims, iat: Number(claims['iat']) - 60, exp: Number(claims['exp']) - 60 },
          key(),
        ),
    ],
    [
      'that lives an hour',
      (claims) => sign({ ...claims, exp: Number(claims['exp']) + 3600 }, key()),
    ],
    [
      'from the future',
      (claims) =>
        sign(
          { ...claims, iat: Number(claims['iat']) + 600, exp: Number(claims['exp']) + 600 },
          key(),
        ),
    ],
    ['without an end', (claims) => sign({ ...claims, exp: undefined }, key())],
    ['with a claim of its own', (claims) => sign({ ...claims, is_admin: true }, key())],
    ['that is nonsense', () => 'nonsense'],
    [
      'whose payload is no JSON',
      (claims) => {
        const [head = '', , mac = ''] = sign(claims, key()).split('.');
        return `${head}.${Buffer.from('{"iss":').toString('base64url')}.${mac}`;
      },
    ],
    ['without an id', (claims) => sign({ ...claims, jti: undefined }, key())],
  ])('answers 401 to a context %s', async (_, make) => {
    const { status, text } = await knock(part, target[part], withContext(make(honest())));
    expect(status).toBe(401);
    expect(text).not.toContain(project);
  });

  it('answers 401 to a second change with one context, and permits one of several simultaneous ones', async () => {
    const path = '/nothing/of/the/kind';
    const context = (): string =>
      sign(claimsOf({ caller: 'gateway', audience: part, method: 'DELETE', target: path }), key());
    const change = (token: string): ReturnType<typeof knock> =>
      knock(part, path, { method: 'DELETE', ...withContext(token) });
    const once = context();
    expect([(await change(once)).status, (await change(once)).status]).toEqual([404, 401]);
    const raced = context();
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => change(raced)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      401, 401, 401, 401, 404,
    ]);
  });

  it('answers a second read with one context', async () => {
    const token = sign(honest(), key());
    const first = await knock(part, target[part], withContext(token));
    expect((await knock(part, target[part], withContext(token))).status).toBe(first.status);
    expect(first.status).not.toBe(401);
  });

  it('answers 401 to a body that is not the one that was signed', async () => {
    const claims = claimsOf({
      caller: 'gateway',
      audience: part,
      method: 'POST',
      target: '/v1/nodes',
      body: '{}',
    });
    const { status } = await knock(part, '/v1/nodes', {
      method: 'POST',
      body: '{ }',
      headers: { 'X-Tenure-Context': sign(claims, key()), 'Content-Type': 'application/json' },
    });
    expect(status).toBe(401);
  });
});

describe('the inventory', () => {
  it.each([
    '/internal/nodes?limit=1',
    `/internal/nodes/${'0'.repeat(8)}-0000-4000-8000-000000000000`,
    '/internal/export?section=nodes',
  ])('does not open %s to the gateway, which has no business there', async (path) => {
    const claims = claimsOf({
      caller: 'gateway',
      audience: 'inventory',
      method: 'GET',
      target: path,
    });
    const { status, text } = await knock(
      'inventory',
      path,
      withContext(sign(claims, contextKey(tenure, 'gateway', 'inventory'))),
    );
    expect([401, 403]).toContain(status);
    expect(text).not.toContain('driver_info');
  });

  it.each(['conductor', 'allocation', 'compute'])(
    'does not open its public routes to %s',
    async (caller) => {
      const claims = claimsOf({
        caller,
        audience: 'inventory',
        method: 'GET',
        target: '/v1/nodes',
      });
      const { status } = await knock(
        'inventory',
        '/v1/nodes',
        withContext(sign(claims, contextKey(tenure, caller, 'inventory'))),
      );
      expect([401, 403]).toContain(status);
    },
  );

  it('refuses a decision that was made on another tenancy of the node, and says so', async () => {
    const path = `/v1/nodes/${node.uuid}`;
    const tenancyPath = `/internal/tenancy/nodes/${node.uuid}`;
    const key = contextKey(tenure, 'gateway', 'inventory');
    const tenancy = await knock(
      'inventory',
      tenancyPath,
      withContext(
        sign(
          claimsOf({
            caller: 'gateway',
            audience: 'inventory',
            method: 'GET',
            target: tenancyPath,
          }),
          key,
        ),
      ),
    );
    expect(tenancy.status).toBe(200);
    const current = JSON.parse(tenancy.text) as { readonly tenancy_revision: number };
    expect(current).toEqual({
      uuid: node.uuid,
      name: node.name,
      owner: project,
      lessee: null,
      tenancy_revision: expect.any(Number),
    });

    const reading = (
      revision: number,
    ): Promise<{ status: number; headers: Headers; text: string }> =>
      knock(
        'inventory',
        path,
        withContext(
          sign(
            {
              ...claimsOf({
                caller: 'gateway',
                audience: 'inventory',
                method: 'GET',
                target: path,
              }),
              action: 'baremetal:node:get',
              resources: [{ type: 'node', uuid: node.uuid, tenancy_revision: revision }],
            },
            key,
          ),
        ),
      );
    expect((await reading(current.tenancy_revision)).status).toBe(200);
    const stale = await reading(current.tenancy_revision + 1);
    expect(stale.status).toBe(412);
    expect(stale.headers.get('x-tenure-stale')).toBe('tenancy');
    expect(stale.text).not.toContain(project);
  });
});

describe('the compute service', () => {
  const ident = node.uuid;
  const open: readonly (readonly [audience: Audience, method: string, path: string])[] = [
    ['conductor', 'PUT', `/v1/nodes/${ident}/states/provision`],
    ['conductor', 'PUT', `/v1/nodes/${ident}/states/power`],
    ['conductor', 'PUT', `/v1/nodes/${ident}/management/inject_nmi`],
    ['conductor', 'POST', `/v1/nodes/${ident}/vifs`],
    ['conductor', 'DELETE', `/v1/nodes/${ident}/vifs/vif-1`],
    ['allocation', 'POST', '/v1/allocations'],
    ['allocation', 'DELETE', `/v1/allocations/${ident}`],
    ['inventory', 'GET', '/internal/servers'],
    ['inventory', 'GET', `/internal/servers/${ident}/placement`],
    ['inventory', 'GET', '/internal/keypairs?user_id=u'],
  ];
  const shut: readonly (readonly [audience: Audience, method: string, path: string])[] = [
    ['conductor', 'PUT', `/v1/nodes/${ident}/maintenance`],
    ['conductor', 'PUT', `/v1/nodes/${ident}/states/raid`],
    ['conductor', 'PUT', `/v1/nodes/${ident}/management/boot_device`],
    ['conductor', 'GET', `/v1/nodes/${ident}/vifs`],
    ['conductor', 'GET', `/v1/nodes/${ident}/states/console`],
    ['conductor', 'POST', `/v1/nodes/${ident}/vmedia`],
    ['conductor', 'GET', target.conductor],
    ['allocation', 'GET', '/v1/allocations'],
    ['allocation', 'GET', `/v1/allocations/${ident}`],
    ['allocation', 'PATCH', `/v1/allocations/${ident}`],
    ['allocation', 'GET', `/v1/nodes/${ident}/allocation`],
    ['allocation', 'DELETE', `/v1/nodes/${ident}/allocation`],
    ['inventory', 'GET', '/v1/nodes'],
    ['inventory', 'PATCH', `/v1/nodes/${ident}`],
    ['inventory', 'GET', '/internal/nodes'],
    ['inventory', 'GET', `/internal/nodes/${ident}`],
    ['inventory', 'PATCH', `/internal/nodes/${ident}`],
    ['inventory', 'POST', `/internal/nodes/${ident}/reservation`],
    ['inventory', 'GET', '/internal/allocations'],
    ['inventory', 'GET', `/internal/tenancy/servers/${ident}`],
    ['inventory', 'GET', '/internal/export?section=servers'],
  ];
  const as = (audience: Audience, method: string, path: string) => {
    const claims = claimsOf({ caller: 'compute', audience, method, target: path });
    const token = sign(claims, contextKey(tenure, 'compute', audience));
    return knock(audience, path, { method, ...withContext(token) });
  };

  it.each(open)('is accepted at the %s: %s %s', async (audience, method, path) => {
    // Without a body and a resource it is refused, but not for who it is.
    expect([401, 403]).not.toContain((await as(audience, method, path)).status);
  });

  it.each(shut)('has no other at the %s: %s %s', async (audience, method, path) => {
    expect((await as(audience, method, path)).status).toBe(403);
  });
});

describe('keys', () => {
  it('that a part holds are those of its own pairs', async () => {
    expect(() => contextKey(tenure, 'gateway', 'inventory')).not.toThrow();
    expect(
      contextKey(tenure, 'gateway', 'inventory').equals(contextKey(tenure, 'gateway', 'conductor')),
    ).toBe(false);
    // The conductor cannot speak as the gateway: a context under its own key in the gateway's name opens nothing.
    const claims = claimsOf({
      caller: 'gateway',
      audience: 'inventory',
      method: 'GET',
      target: '/v1/nodes',
    });
    const forged = sign(claims, contextKey(tenure, 'conductor', 'inventory'));
    expect((await knock('inventory', '/v1/nodes', withContext(forged))).status).toBe(401);
  });
});
