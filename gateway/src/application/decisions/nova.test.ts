import { afterEach, describe, expect, it } from '@jest/globals';
import { type Decision, type FilterPredicate, type Question } from '@tenure/contracts';
import { createJsonHttp, createServiceSession } from '@tenure/http';
import { realNova } from '../../open-compute.js';
import { factsOf } from '../../testing/answers.js';
import { type FakeKeystone, startFakeKeystone } from '../../testing/fake-keystone.js';
import {
  ALLOW,
  type Answer,
  decideWith,
  json,
  questionIn,
  type Received,
} from '../../testing/fakes.js';
import {
  startTestGateway,
  type TestGateway,
  type TestOptions,
} from '../../testing/test-gateway.js';

const ID = 'a1948f8b-609d-49e8-8dbe-b5e8cb31dec2';
const OTHER = 'b2948f8b-609d-49e8-8dbe-b5e8cb31dec2';
const SERVER = { id: ID, tenant_id: 'p1', user_id: 'alice', name: 'web', status: 'ACTIVE' };
const DEADLINE_MS = 400;

let keystone: FakeKeystone;
let gateway: TestGateway;
let closeKeystone: () => Promise<void>;

const isOurs = ({ headers }: Received): boolean =>
  String(headers['x-auth-token']).startsWith('ours-');

/** A Nova that returns one server to the gateway's own user, and answers all other requests by `rest`. */
const novaThatServes =
  (rest: Answer): Answer =>
  (request, response) => {
    if (!isOurs(request)) return rest(request, response);
    if (request.target === `/v2.1/servers/${ID}`) json(response, 200, { server: SERVER });
    else json(response, 404, { itemNotFound: { code: 404, message: 'no such' } });
    return undefined;
  };
const served: Answer = (_request, response) => {
  json(
    response,
    202,
    { served: 'by Nova' },
    {
      'X-OpenStack-Nova-API-Version': '2.96',
      'OpenStack-API-Version': 'compute 2.96',
      Vary: 'OpenStack-API-Version',
      'X-Openstack-Request-Id': 'req-of-nova',
      Location: 'http://nova.test/v2.1/servers/x',
      Server: 'nova',
    },
  );
};

async function start(options: TestOptions = {}, suffix = ''): Promise<void> {
  keystone = await startFakeKeystone();
  const http = createJsonHttp({
    service: 'Keystone',
    baseUrl: keystone.url,
    deadlineMs: DEADLINE_MS,
  });
  const session = createServiceSession(http, () => ({
    kind: 'application_credential',
    id: 'c1',
    secret: 's3cret',
  }));
  closeKeystone = async () => {
    await http.close();
    await keystone.server.close();
  };
  gateway = await startTestGateway({
    compute: (url) => realNova({ url: `${url}${suffix}`, session, deadlineMs: DEADLINE_MS }),
    ...options,
  });
  gateway.compute.answer = novaThatServes(served);
}
function decide(answer: (question: Question) => Partial<Decision>): void {
  gateway.pdp.answer = decideWith((question) => ({ ...ALLOW, ...answer(question) }));
}
/** The requests that the gateway forwarded to Nova, without its own look-ups of servers. */
const reached = (): readonly Received[] =>
  gateway.compute.received.filter((request) => !isOurs(request));
const act = (body: unknown, headers = {}): Promise<Response> =>
  gateway.fetch(`/v2.1/servers/${ID}/action`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

afterEach(async () => {
  await gateway.stop();
  await closeKeystone();
});

describe('a real Nova', () => {
  it('is queried by our own user for project and creator of a server, before the policy', async () => {
    await start();
    expect((await act({ 'os-stop': null })).status).toBe(202);
    expect(gateway.pdp.received.map(questionIn)).toMatchObject([
      {
        action: 'os_compute_api:servers:stop',
        resource: { type: 'server', owner: 'p1', creator: 'alice', tenancy_revision: 0 },
      },
    ]);
    expect(gateway.inventory.received).toHaveLength(0);
    expect(keystone.logins()).toBe(1);
  });

  it.each([
    ['', ''],
    ['/', ''],
    ['/v2.1', ''],
    ['/v2.1/', ''],
    ['/compute', '/compute'],
    ['/compute/v2.1', '/compute'],
  ])('may be configured with %j at its end', async (suffix, prefix) => {
    await start({}, suffix);
    const nova = gateway.compute.answer;
    gateway.compute.answer = (request, response) =>
      nova({ ...request, target: request.target.slice(prefix.length) }, response);
    expect((await act({ 'os-stop': null })).status).toBe(202);
    expect(gateway.compute.received.map(({ target }) => target)).toEqual([
      `${prefix}/v2.1/servers/${ID}`,
      `${prefix}/v2.1/servers/${ID}/action`,
    ]);
  });

  it('gets the request as it was sent, with the token of the caller and nothing of ours', async () => {
    await start();
    const response = await act(
      { reboot: { type: 'HARD' } },
      { 'openstack-api-version': 'compute 2.96', 'x-user-id': 'root' },
    );
    const [request] = reached();
    expect(request).toMatchObject({ method: 'POST', body: '{"reboot":{"type":"HARD"}}' });
    expect(request?.headers).toMatchObject({
      'x-auth-token': gateway.token,
      'openstack-api-version': 'compute 2.96',
      'x-openstack-request-id': response.headers.get('x-openstack-request-id'),
    });
    expect(request?.headers).not.toHaveProperty('x-tenure-context');
    expect(request?.headers).not.toHaveProperty('x-user-id');
  });

  it('gets the token of a caller who sent it as a bearer', async () => {
    await start();
    await fetch(`${gateway.url}/v2.1/flavors`, {
      headers: { authorization: `Bearer ${gateway.token}` },
    });
    expect(reached()[0]?.headers['x-auth-token']).toBe(gateway.token);
    expect(reached()[0]?.headers.authorization).toBeUndefined();
  });

  it('answers untouched, but for what the logs call the request', async () => {
    await start();
    const response = await act({ 'os-start': null });
    expect(await response.json()).toEqual({ served: 'by Nova' });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-openstack-nova-api-version': '2.96',
      'openstack-api-version': 'compute 2.96',
      vary: 'OpenStack-API-Version',
      location: 'http://nova.test/v2.1/servers/x',
      'x-openstack-request-id': expect.stringMatching(/^req-[0-9a-f-]{36}$/u) as unknown,
    });
    expect(response.headers.get('server')).toBeNull();
  });

  it.each([
    [401, { error: { code: 401 } }],
    [403, { forbidden: { code: 403, message: 'of Nova' } }],
    [409, { conflictingRequest: { code: 409, message: 'locked' } }],
    [412, {}],
    [503, { serviceUnavailable: { code: 503 } }],
  ])('has its own %d relayed', async (status, body) => {
    await start();
    gateway.compute.answer = novaThatServes((_request, response) => {
      json(response, status, body, { 'X-Tenure-Stale': 'tenancy' });
    });
    const response = await act({ 'os-start': null });
    expect([response.status, await response.json()]).toEqual([status, body]);
    expect(reached()).toHaveLength(1);
  });

  it('is not reached by what the policy refuses', async () => {
    await start();
    decide(() => ({ allow: false, denied: ['os_compute_api:servers:delete'] }));
    const response = await gateway.fetch(`/v2.1/servers/${ID}`, { method: 'DELETE' });
    expect(response.status).toBe(403);
    expect(reached()).toHaveLength(0);
  });

  it('serves whatever version it has, and malformed ones do not reach it', async () => {
    await start();
    const statusOf = async (version: string): Promise<number> =>
      (
        await gateway.fetch('/v2.1/flavors', {
          headers: { 'x-openstack-nova-api-version': version },
        })
      ).status;
    expect([await statusOf('2.100'), await statusOf('latest'), await statusOf('two')]).toEqual([
      202, 202, 400,
    ]);
    expect(reached().map(({ headers }) => headers['x-openstack-nova-api-version'])).toEqual([
      '2.100',
      'latest',
    ]);
  });

  it('gets no request without a token, because it could not authenticate it', async () => {
    const subject = {
      user_id: 'basil',
      project_id: 'p1',
      system_scope: null,
      domain_id: null,
      roles: ['member'],
    };
    const identity = {
      subject,
      issuedAt: 0,
      expiresAt: 0,
      auditIds: [],
      accessRules: null,
      keystone: null,
    };
    await start({ authenticator: { authenticate: () => identity } });
    const response = await fetch(`${gateway.url}/v2.1/flavors`, {
      headers: { authorization: `Basic ${Buffer.from('basil:pass').toString('base64')}` },
    });
    expect(response.status).toBe(401);
    expect(reached()).toHaveLength(0);
  });
});

describe('a server of a real Nova', () => {
  it('is the same answer whether it is missing, invisible or deleted', async () => {
    await start();
    const facts = async (ident: string): Promise<unknown> =>
      factsOf(await gateway.fetch(`/v2.1/servers/${ident}`), ident);
    decide(({ resource }) => ({ allow: false, visible: resource.owner === 'p9' }));
    const invisible = await facts(ID);
    expect(invisible).toMatchObject({
      status: 404,
      text: '{"itemNotFound":{"code":404,"message":"Instance IDENT could not be found."}}',
    });
    expect(await facts(OTHER)).toEqual(invisible);
    expect(await facts('web')).toEqual(invisible);
    expect(reached()).toHaveLength(0);
    decide(() => ({}));
    gateway.compute.answer = novaThatServes((_request, response) => {
      json(
        response,
        404,
        { itemNotFound: { code: 404, message: 'another message' } },
        { Vary: 'x' },
      );
    });
    expect(await facts(ID)).toEqual(invisible);
  });

  it('is looked up by its uuid alone', async () => {
    await start();
    await gateway.fetch('/v2.1/servers/detail%20');
    expect(gateway.compute.received).toHaveLength(0);
  });

  const lookups: readonly (readonly [string, Answer])[] = [
    [
      'fails',
      (_request, response) => {
        json(response, 500, {});
      },
    ],
    [
      'refuses our user',
      (_request, response) => {
        json(response, 403, {});
      },
    ],
    [
      'does not take our token',
      (_request, response) => {
        json(response, 401, {});
      },
    ],
    [
      'gives no server',
      (_request, response) => {
        json(response, 200, { server: { id: ID } });
      },
    ],
    [
      'gives another server',
      (_request, response) => {
        json(response, 200, { server: { ...SERVER, id: OTHER } });
      },
    ],
    ['gives no JSON', (_request, response) => void response.writeHead(404).end('<html>')],
    [
      'gives no end',
      (_request, response) =>
        void response.end(`{"server": {"x": "${'x'.repeat(5 * 1024 * 1024)}"}}`),
    ],
    ['is silent', () => undefined],
  ];

  it.each(lookups)('is a 503, and is not reached, when Nova %s', async (_, answer) => {
    await start();
    gateway.compute.answer = (request, response) =>
      isOurs(request) ? answer(request, response) : served(request, response);
    const response = await act({ 'os-stop': null });
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      serviceUnavailable: {
        code: 503,
        message: 'The compute service is temporarily unavailable.',
      },
    });
    expect(gateway.pdp.received).toHaveLength(0);
    expect(reached()).toHaveLength(0);
  });

  it('is a 503 when our own user cannot log in', async () => {
    await start();
    keystone.server.answer = (_request, response) => {
      json(response, 401, {});
    };
    expect((await act({ 'os-stop': null })).status).toBe(503);
    expect(gateway.compute.received).toHaveLength(0);
  });

  it('is looked up with a new token when ours has been revoked', async () => {
    await start();
    let refusals = 0;
    gateway.compute.answer = novaThatServes(served);
    const nova = gateway.compute.answer;
    gateway.compute.answer = (request, response) => {
      if (isOurs(request) && refusals === 0) {
        refusals += 1;
        json(response, 401, {});
        return undefined;
      }
      return nova(request, response);
    };
    expect((await act({ 'os-stop': null })).status).toBe(202);
    expect(keystone.logins()).toBe(2);
  });

  it('without a creator has the creator null in the question', async () => {
    await start();
    gateway.compute.answer = (request, response) => {
      if (isOurs(request)) json(response, 200, { server: { ...SERVER, user_id: null } });
      else void served(request, response);
    };
    await act({ 'os-stop': null });
    expect(gateway.pdp.received.map(questionIn)[0]?.resource).toHaveProperty('creator', null);
  });
});

describe('an obligation that Nova would not enforce', () => {
  const OWN: FilterPredicate = { field: 'project_id', op: 'eq', value: 'p1', masked: [] };
  const filtered = (mode: Decision['filter']['mode'], ...predicates: FilterPredicate[]) => ({
    filter: { mode, predicates },
  });

  const kept: readonly (readonly [string, Partial<Decision>, number])[] = [
    ['every row', filtered('all'), 202],
    ['the rows of the project of the caller', filtered('any_of', OWN), 202],
    ['no rows', filtered('none'), 403],
    ['rows of none of several', filtered('any_of'), 403],
    [
      'rows of another project',
      { filter: { mode: 'any_of', predicates: [{ ...OWN, value: 'p2' }] } },
      403,
    ],
    ['rows of two kinds', filtered('any_of', OWN, OWN), 403],
    ['masked members', { fields: { masked: ['name'], read_only: [] }, ...filtered('all') }, 403],
  ];

  it.each(kept)('is none, or a refusal: %s', async (_, decision, status) => {
    await start();
    decide(() => decision);
    const response = await gateway.fetch('/v2.1/servers');
    expect(response.status).toBe(status);
    expect(reached()).toHaveLength(status === 403 ? 0 : 1);
  });

  it('is no obligation about the nodes for a new server, but the project must be the caller’s', async () => {
    await start();
    const create = (): Promise<Response> =>
      gateway.fetch('/v2.1/servers', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"server":{}}',
      });
    decide(() => ({ set: { owner: 'p1' }, ...filtered('any_of') }));
    expect((await create()).status).toBe(202);
    decide(() => ({ set: { owner: 'p2' } }));
    expect((await create()).status).toBe(403);
  });

  it('reports the filter of a list', async () => {
    await start();
    decide(() => filtered('all'));
    const rows = async (query: string): Promise<string | null> =>
      (await gateway.fetch(`/v2.1/servers${query}`)).headers.get('x-tenure-policy-filter');
    expect([await rows(''), await rows('?all_tenants=1')]).toEqual(['project_id', 'all']);
  });
});
