import { afterEach, describe, expect, it } from '@jest/globals';
import { type Decision, type Question } from '@tenure/contracts';
import { factsOf } from './testing/answers.js';
import { ALLOW, decideWith, json, questionIn, tenancyOf } from './testing/fakes.js';
import {
  startTestGateway,
  type TestGateway,
  type TestOptions,
  type TestRequest,
} from './testing/test-gateway.js';

const ID = 'a1948f8b-609d-49e8-8dbe-b5e8cb31dec2';
const OTHER = 'b2948f8b-609d-49e8-8dbe-b5e8cb31dec2';
const SERVER = { uuid: ID, owner: 'p1', creator: 'alice', tenancy_revision: 1 };

let gateway: TestGateway;
async function start(options: TestOptions = {}): Promise<void> {
  gateway = await startTestGateway(options);
  gateway.inventory.answer = tenancyOf({ [ID]: SERVER }, (_request, response) => {
    json(response, 404, {});
  });
}
function decide(answer: (question: Question) => Partial<Decision>): void {
  gateway.pdp.answer = decideWith((question) => ({ ...ALLOW, ...answer(question) }));
}
const withBody = (method: string, body: unknown, headers = {}): TestRequest => ({
  method,
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const act = (body: unknown, ident = ID): Promise<Response> =>
  gateway.fetch(`/v2.1/servers/${ident}/action`, withBody('POST', body));
const questions = (): readonly Question[] => gateway.pdp.received.map(questionIn);
function statement(): ReturnType<TestGateway['contextOf']> {
  const [only] = gateway.compute.received;
  if (only === undefined) throw new Error('nothing was forwarded');
  return gateway.contextOf('compute', only);
}

afterEach(() => gateway.stop());

describe('an action on a server', () => {
  it('is decided under the action in its body, with project and creator of the server', async () => {
    await start();
    const conditions = [
      {
        field: 'locked_by',
        op: 'ne',
        value: 'owner',
        action: 'os_compute_api:os-lock-server:unlock:unlock_override',
      },
    ] as const;
    decide(() => ({ conditions: [...conditions] }));
    expect((await act({ 'os-stop': null })).status).toBe(200);
    expect(questions()).toMatchObject([
      {
        action: 'os_compute_api:servers:stop',
        resource: { type: 'server', id: ID, owner: 'p1', creator: 'alice', tenancy_revision: 1 },
      },
    ]);
    expect(statement()).toMatchObject({
      aud: 'compute',
      action: 'os_compute_api:servers:stop',
      api_version: '2.1',
      resources: [{ type: 'server', uuid: ID, tenancy_revision: 1 }],
      obligations: { conditions },
    });
    expect(gateway.compute.received[0]?.body).toBe('{"os-stop":null}');
  });

  it('keeps what the caller sent from the compute service, but for the body and its type', async () => {
    await start();
    await act({ lock: null });
    const headers = gateway.compute.received[0]?.headers;
    expect(headers).toHaveProperty('content-type', 'application/json');
    expect(headers).not.toHaveProperty('x-auth-token');
    expect(headers).not.toHaveProperty('x-openstack-nova-api-version');
  });

  it.each([
    [{ explode: null }, /^There is no such action: explode\. /u],
    [{ 'os-stop': null, 'os-start': null }, /^Malformed request body$/u],
    [{}, /^Malformed request body$/u],
    [[], /^Malformed request body$/u],
    ['null', /^Malformed request body$/u],
  ])('that is invalid is refused before any look-up: %j', async (body, message) => {
    await start();
    const response = await act(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      badRequest: { code: 400, message: expect.stringMatching(message) as unknown },
    });
    expect(gateway.inventory.received).toHaveLength(0);
    expect(gateway.pdp.received).toHaveLength(0);
  });

  it('is logged under its own name', async () => {
    await start();
    await (await act({ pause: null })).text();
    expect(gateway.log[0]).toMatchObject({
      action: 'os_compute_api:os-pause-server:pause',
      route: '/v2.1/servers/{ident}/action',
    });
  });
});

describe('a server', () => {
  it('that the caller may not change is a 403 that names the rule, with the message of Nova', async () => {
    await start();
    decide(() => ({ allow: false, denied: ['os_compute_api:servers:delete'] }));
    const response = await gateway.fetch(`/v2.1/servers/${ID}`, { method: 'DELETE' });
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({
      forbidden: {
        code: 403,
        message: "Policy doesn't allow os_compute_api:servers:delete to be performed.",
      },
    });
    expect(gateway.compute.received).toHaveLength(0);
  });

  it('is the same answer, after the same steps, whether it is missing, invisible or deleted', async () => {
    await start();
    decide(({ resource }) => ({ allow: false, visible: resource.owner === 'p9' }));
    const facts = async (ident: string): Promise<unknown> =>
      factsOf(await gateway.fetch(`/v2.1/servers/${ident}`), ident);
    const invisible = await facts(ID);
    expect(invisible).toMatchObject({
      status: 404,
      text: '{"itemNotFound":{"code":404,"message":"Instance IDENT could not be found."}}',
    });
    expect(await facts(OTHER)).toEqual(invisible);
    expect(await facts('web-1')).toEqual(invisible);
    expect(gateway.inventory.received).toHaveLength(3);
    expect(gateway.pdp.received).toHaveLength(3);
    decide(() => ({}));
    gateway.compute.answer = (_request, response) => {
      json(response, 404, { itemNotFound: { code: 404, message: 'another message' } });
    };
    expect(await facts(ID)).toEqual(invisible);
  });

  it('without a recorded creator has the creator null in the question, never none', async () => {
    await start();
    gateway.inventory.answer = tenancyOf(
      { [ID]: { uuid: ID, owner: 'p1', tenancy_revision: 1 } },
      () => undefined,
    );
    await gateway.fetch(`/v2.1/servers/${ID}`);
    expect(questions()[0]?.resource).toHaveProperty('creator', null);
  });

  it('whose tenancy cannot be loaded is a 503 with the error body of Nova, and never forwarded', async () => {
    await start();
    gateway.inventory.answer = (_request, response) => {
      json(response, 500, {});
    };
    const response = await gateway.fetch(`/v2.1/servers/${ID}`);
    expect(response.status).toBe(503);
    expect(await response.json()).toHaveProperty('serviceUnavailable.code', 503);
    expect(gateway.compute.received).toHaveLength(0);
  });

  it('is decided again when its tenancy changed meanwhile', async () => {
    await start();
    let answers = 0;
    gateway.compute.answer = (_request, response) => {
      answers += 1;
      if (answers === 1) json(response, 412, {}, { 'X-Tenure-Stale': 'tenancy' });
      else json(response, 202, {});
    };
    expect((await act({ reboot: { type: 'HARD' } })).status).toBe(202);
    expect(gateway.pdp.received).toHaveLength(2);
  });

  it.each([
    [{ server: { name: 'a' } }, 200],
    [{ server: 'a' }, 400],
    [{ name: 'a' }, 400],
    [undefined, 400],
  ])('is created from a body that describes one: %j, %d', async (body, status) => {
    await start();
    const request = body === undefined ? { method: 'POST' } : withBody('POST', body);
    expect((await gateway.fetch('/v2.1/servers', request)).status).toBe(status);
    expect(questions().map(({ action }) => action)).toEqual(
      status === 200 ? ['os_compute_api:servers:create'] : [],
    );
  });

  it('may bring 64 KiB of user data, and no more than 112 KiB at all', async () => {
    await start();
    const created = (bytes: number): Promise<Response> =>
      gateway.fetch(
        '/v2.1/servers',
        withBody('POST', { server: { user_data: 'x'.repeat(bytes) } }),
      );
    expect((await created(65_535)).status).toBe(200);
    const tooLarge = await created(112 * 1024);
    expect(tooLarge.status).toBe(413);
    expect(await tooLarge.json()).toHaveProperty('overLimit.code', 413);
  });
});

describe('a list of servers', () => {
  const INDEX = 'os_compute_api:servers:index';
  const DETAIL = 'os_compute_api:servers:detail';

  it.each([
    ['', INDEX],
    ['?name=web&limit=5&changes-since=2026-11-21T00:00:00Z', INDEX],
    ['?all_tenants=1', `${INDEX}:get_all_tenants`],
    ['?all_tenants=True', `${INDEX}:get_all_tenants`],
    ['?all_tenants', `${INDEX}:get_all_tenants`],
    ['?all_tenants=0', INDEX],
    ['?all_tenants=False', INDEX],
    ['/detail', DETAIL],
    ['/detail?deleted=False&all_tenants=true', `${DETAIL}:get_all_tenants`],
    ['/detail?all%5Ftenants=1', `${DETAIL}:get_all_tenants`],
  ])('is requested by %s as %s', async (query, action) => {
    await start();
    expect((await gateway.fetch(`/v2.1/servers${query}`)).status).toBe(200);
    expect(questions()).toMatchObject([{ action, resource: { type: 'none' } }]);
    expect(statement().action).toBe(action);
  });

  it.each([
    '?all_tenants=maybe',
    '?all_tenants=1&all_tenants=0',
    '?owner[$ne]=p1',
    '?colour=red',
    '?is_public=None',
  ])('is refused with an unknown query: %s', async (query) => {
    await start();
    const response = await gateway.fetch(`/v2.1/servers${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toHaveProperty('badRequest.code', 400);
    expect(gateway.pdp.received).toHaveLength(0);
  });

  it('reports the filter none to a caller who may list nothing', async () => {
    await start();
    decide(() => ({ allow: false, denied: [INDEX] }));
    const response = await gateway.fetch('/v2.1/servers');
    expect([response.status, response.headers.get('x-tenure-policy-filter')]).toEqual([
      403,
      'none',
    ]);
  });
});

describe('key pairs', () => {
  it.each([
    ['GET', '/v2.1/os-keypairs', undefined, 'index', 'alice'],
    ['GET', '/v2.1/os-keypairs?user_id=bob', undefined, 'index', 'bob'],
    ['GET', '/v2.1/os-keypairs?user_id=', undefined, 'index', 'alice'],
    ['GET', '/v2.1/os-keypairs/k1?user_id=bob', undefined, 'show', 'bob'],
    ['DELETE', '/v2.1/os-keypairs/k1', undefined, 'delete', 'alice'],
    ['DELETE', '/v2.1/os-keypairs/k1?user_id=bob', undefined, 'delete', 'bob'],
    ['POST', '/v2.1/os-keypairs', { keypair: { name: 'k1' } }, 'create', 'alice'],
    ['POST', '/v2.1/os-keypairs', { keypair: { name: 'k1', user_id: 'bob' } }, 'create', 'bob'],
  ])('are decided with their user: %s %s %j: %s of %s', async (...line) => {
    await start();
    const [method, target, body, verb, user] = line;
    const request = body === undefined ? { method } : withBody(method, body);
    expect((await gateway.fetch(target, request)).status).toBe(200);
    expect(questions()).toMatchObject([
      {
        action: `os_compute_api:os-keypairs:${verb}`,
        resource: { type: 'keypair', owner: null, creator: user },
      },
    ]);
    expect(gateway.inventory.received).toHaveLength(0);
    expect(statement().resources).toEqual([]);
  });

  it.each([
    ['POST', '/v2.1/os-keypairs', { keypair: { name: 'k1', user_id: 7 } }],
    ['POST', '/v2.1/os-keypairs', { keypair: 'k1' }],
    ['POST', '/v2.1/os-keypairs?user_id=bob', { keypair: { name: 'k1' } }],
    ['GET', `/v2.1/os-keypairs?user_id=${'u'.repeat(256)}`, undefined],
  ])('of nobody are a bad request: %s %s %j', async (method, target, body) => {
    await start();
    const request = body === undefined ? { method } : withBody(method, body);
    expect((await gateway.fetch(target, request)).status).toBe(400);
    expect(gateway.pdp.received).toHaveLength(0);
  });
});

describe('an answer of the compute API', () => {
  const headersOf = async (
    target: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Headers> => (await gateway.fetch(target, { headers })).headers;

  it.each([
    [{}, '2.1'],
    [{ 'openstack-api-version': 'compute 2.60' }, '2.60'],
    [{ 'x-openstack-nova-api-version': '2.60' }, '2.60'],
    [{ 'openstack-api-version': 'compute latest' }, '2.93'],
  ])(
    'to %j has the version %s in both headers, and the service gets it',
    async (given, version) => {
      await start();
      gateway.compute.answer = (_request, response) => {
        json(response, 200, {}, { 'OpenStack-API-Version': 'compute 2.7', Vary: 'Accept' });
      };
      const headers = await headersOf(`/v2.1/servers/${ID}`, given);
      expect(headers.get('openstack-api-version')).toBe(`compute ${version}`);
      expect(headers.get('x-openstack-nova-api-version')).toBe(version);
      expect(headers.get('vary')).toBe('OpenStack-API-Version, X-OpenStack-Nova-API-Version');
      expect(headers.get('x-openstack-ironic-api-version')).toBeNull();
      expect(statement().api_version).toBe(version);
    },
  );

  it.each([
    ['compute 2.999', 406, 'computeFault'],
    ['compute two', 400, 'badRequest'],
  ])('to the version %s is a %d, a %s', async (version, status, member) => {
    await start();
    const response = await gateway.fetch('/v2.1/servers', {
      headers: { 'openstack-api-version': version },
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty(`${member}.code`, status);
  });

  it('has one request id, under both names of Nova', async () => {
    await start();
    const headers = await headersOf('/v2.1/servers');
    expect(headers.get('x-openstack-request-id')).toMatch(/^req-[0-9a-f-]{36}$/u);
    expect(headers.get('x-compute-request-id')).toBe(headers.get('x-openstack-request-id'));
  });

  it.each([
    ['GET', '/v2.1/nothing', 404, 'itemNotFound'],
    ['GET', '/v2.1/p1/servers', 404, 'itemNotFound'],
    ['PATCH', `/v2.1/servers/${ID}`, 405, 'badMethod'],
    ['GET', '/v2.1/servers/a%2fb', 400, 'badRequest'],
    ['GET', '/v2.1//servers', 400, 'badRequest'],
  ])('to %s %s is a %d with the error body of Nova', async (method, target, status, member) => {
    await start();
    const response = await gateway.fetch(target, { method });
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty(`${member}.code`, status);
    expect(gateway.compute.received).toHaveLength(0);
  });

  it('without a token is a 401 with the error body of Nova, also for an unknown path', async () => {
    await start();
    for (const target of ['/v2.1/servers', '/v2.1/nothing']) {
      const response = await fetch(`${gateway.url}${target}`);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="tenure"');
      expect(await response.json()).toEqual({
        unauthorized: {
          code: 401,
          message: 'The request you have made requires authentication.',
        },
      });
    }
  });

  it('about the API itself needs no token', async () => {
    await start();
    for (const target of ['/v2.1', '/v2.1/'])
      expect((await fetch(`${gateway.url}${target}`)).status).toBe(200);
    expect(gateway.compute.received.map(({ target }) => target)).toEqual(['/v2.1', '/v2.1/']);
  });

  it('has the error body of Ironic only on its paths', async () => {
    await start();
    const response = await gateway.fetch('/v2.10/servers');
    expect(response.status).toBe(404);
    expect(await response.json()).toHaveProperty('error_message');
  });
});
