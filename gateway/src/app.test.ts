import { afterEach, describe, expect, it } from '@jest/globals';
import { type Decision } from '@tenure/contracts';
import { tooManyRequests } from './application/rate-limit/key-limit.js';
import { faultIn as fault } from './testing/answers.js';
import { ALLOW, decideWith, json, questionIn, sendRaw, tenancyOf } from './testing/fakes.js';
import {
  startTestGateway,
  type TestGateway,
  type TestOptions,
  type TestRequest,
} from './testing/test-gateway.js';

const UUID = 'ed836491-07b5-49e8-95fc-6a53acab893b';
const NODE = { uuid: UUID, owner: 'p1', lessee: null, tenancy_revision: 7 };

let gateway: TestGateway;
async function start(options: TestOptions = {}): Promise<void> {
  gateway = await startTestGateway(options);
  gateway.inventory.answer = tenancyOf({ [UUID]: NODE, 'node-1': NODE }, (_request, response) => {
    json(response, 200, { uuid: UUID }, { ETag: '"1"', Server: 'x' });
  });
}
function decide(answer: Partial<Decision>): void {
  gateway.pdp.answer = decideWith(() => ({ ...ALLOW, ...answer }));
}
const patch = (operations: unknown): TestRequest => ({
  method: 'PATCH',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(operations),
});

afterEach(() => gateway.stop());

describe('a request that the policy allows', () => {
  it('is decided once and forwarded with a signed context, and its answer is relayed', async () => {
    await start();
    decide({ fields: { masked: ['driver_info'], read_only: ['owner'] }, set: { owner: 'p9' } });
    const response = await gateway.fetch(`/v1/nodes/${UUID}?fields=uuid`, {
      headers: { 'x-roles': 'admin', 'x-project-id': 'p2', forwarded: 'for=1', cookie: 'c' },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ uuid: UUID });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      etag: '"1"',
      'x-tenure-decision-id': 'd-1',
      'x-openstack-ironic-api-version': '1.65',
      'x-openstack-ironic-api-minimum-version': '1.1',
      'x-openstack-ironic-api-maximum-version': '1.91',
    });
    expect(response.headers.get('server')).toBeNull();
    expect(response.headers.get('x-openstack-request-id')).toMatch(/^req-[0-9a-f-]{36}$/u);
    expect(gateway.pdp.received.map(questionIn)).toEqual([
      {
        action: 'baremetal:node:get',
        subject: {
          user_id: 'alice',
          project_id: 'p1',
          system_scope: null,
          domain_id: null,
          roles: ['member'],
        },
        resource: { type: 'node', id: UUID, owner: 'p1', lessee: null, tenancy_revision: 7 },
        now: expect.any(String),
      },
    ]);
    const forwarded = gateway.inventory.received.at(-1);
    expect(Object.keys(forwarded?.headers ?? {}).sort()).toEqual([
      'accept',
      'connection',
      'host',
      'x-tenure-context',
    ]);
    const context = forwarded === undefined ? undefined : gateway.contextOf('inventory', forwarded);
    expect(context).toMatchObject({
      iss: 'gateway',
      aud: 'inventory',
      method: 'GET',
      target: `/v1/nodes/${UUID}?fields=uuid`,
      action: 'baremetal:node:get',
      decision_id: 'd-1',
      api_version: '1.65',
      public_base: gateway.url,
      request_id: response.headers.get('openstack-request-id'),
      resources: [{ type: 'node', uuid: UUID, tenancy_revision: 7 }],
      obligations: {
        filter: { mode: 'none', predicates: [] },
        fields: { masked: ['driver_info'], read_only: [] },
        set: { owner: 'p9' },
      },
    });
  });

  it('goes to the service of its route, with the bytes that were judged', async () => {
    await start();
    const body = '{ "target" :"power on"}';
    const response = await gateway.fetch('/v1/nodes/node-1/states/power', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(response.status).toBe(202);
    const [forwarded] = gateway.conductor.received;
    expect(forwarded).toMatchObject({
      method: 'PUT',
      target: '/v1/nodes/node-1/states/power',
      body,
    });
    expect(
      forwarded === undefined ? undefined : gateway.contextOf('conductor', forwarded).action,
    ).toBe('baremetal:node:set_power_state');
  });

  it('passes the requested values of a create to the policy', async () => {
    await start();
    await gateway.fetch('/v1/nodes', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        driver: 'fake-hardware',
        owner: 'p2',
        extra: {},
        automated_clean: false,
      }),
    });
    expect(gateway.pdp.received.map(questionIn)).toMatchObject([
      {
        action: 'baremetal:node:create',
        resource: { type: 'none', id: null, owner: null, lessee: null, tenancy_revision: 0 },
        fields: ['/driver', '/owner', '/extra', '/automated_clean'],
        requested: { owner: 'p2', automated_clean: false },
      },
    ]);
  });

  it.each([
    ['POST', '/v1/nodes', { driver: 'fake-hardware', 'no/such': 1 }],
    ['PATCH', '/v1/nodes/node-1', [{ op: 'add', path: '/no~1such', value: 1 }]],
  ])(
    'refuses a member that no node has before the policy is queried: %s %s',
    async (method, target, body) => {
      await start();
      const response = await gateway.fetch(target, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain("'no/such' was unexpected");
      expect(gateway.pdp.received).toEqual([]);
    },
  );

  it('passes the fields that a patch touches to the policy', async () => {
    await start();
    await gateway.fetch(
      '/v1/nodes/node-1',
      patch([
        { op: 'add', path: '/automated_clean', value: false },
        { op: 'replace', path: '/automated_clean', value: true },
        { op: 'remove', path: '/owner' },
        { op: 'add', path: '/extra/a', value: 1 },
        { op: 'add', path: '/extra/b~1c/d', value: 1 },
      ]),
    );
    expect(gateway.pdp.received.map(questionIn)).toMatchObject([
      {
        action: 'baremetal:node:update',
        fields: ['/automated_clean', '/owner', '/extra'],
        requested: { owner: null, automated_clean: false },
      },
    ]);
  });

  it.each([
    ['False', false],
    ['no', false],
    ['0', false],
    ['TRUE', true],
    ['y', true],
    [null, null],
  ])('reads %j as automated_clean as the inventory does: %j', async (value, expected) => {
    await start();
    await gateway.fetch(
      '/v1/nodes/node-1',
      patch([{ op: 'add', path: '/automated_clean', value }]),
    );
    await gateway.fetch('/v1/nodes', {
      ...patch({ driver: 'fake-hardware', automated_clean: value }),
      method: 'POST',
    });
    expect(gateway.pdp.received.map(questionIn)).toMatchObject([
      { requested: { automated_clean: expected } },
      { requested: { automated_clean: expected } },
    ]);
  });

  it('counts cleaning as disabled also when a later operation enables it', async () => {
    await start();
    await gateway.fetch(
      '/v1/nodes/node-1',
      patch([
        { op: 'add', path: '/automated_clean', value: 'OFF' },
        { op: 'add', path: '/automated_clean', value: 'true' },
      ]),
    );
    expect(gateway.pdp.received.map(questionIn)).toMatchObject([
      { requested: { automated_clean: false } },
    ]);
  });

  it('passes the conditions of the decision to the service, when there are any', async () => {
    await start();
    const conditions = [
      {
        field: 'provision_state',
        op: 'ne' as const,
        value: 'active',
        action: 'baremetal:node:update_owner_provisioned',
      },
    ];
    const conditionsSigned = async (): Promise<unknown> => {
      await gateway.fetch('/v1/nodes/node-1');
      const request = gateway.inventory.received.at(-1);
      return request === undefined
        ? undefined
        : gateway.contextOf('inventory', request).obligations.conditions;
    };
    expect(await conditionsSigned()).toBeUndefined();
    decide({ conditions });
    expect(await conditionsSigned()).toEqual(conditions);
  });

  it.each(['shard', 'sharded', 'parent_node', 'include_children', 'instance_name'])(
    'may filter by %s, which is for the inventory to answer',
    async (key) => {
      await start();
      expect((await gateway.fetch(`/v1/nodes?${key}=a`)).status).toBe(200);
      expect(gateway.inventory.received.at(-1)?.target).toBe(`/v1/nodes?${key}=a`);
      expect((await gateway.fetch('/v1/nodes?project=p1')).status).toBe(400);
    },
  );

  it('names the node of validate in the query', async () => {
    await start();
    expect((await gateway.fetch('/v1/nodes/validate?node=node-1')).status).toBe(202);
    expect((await gateway.fetch(`/v1/nodes/validate?node_uuid=${UUID}`)).status).toBe(202);
    expect((await gateway.fetch(`/v1/nodes/validate?node=node-1&node_uuid=${UUID}`)).status).toBe(
      400,
    );
    expect((await gateway.fetch('/v1/nodes/validate')).status).toBe(400);
  });

  it('needs no token and no decision on public routes', async () => {
    await start();
    const response = await fetch(`${gateway.url}/v1`);
    expect(response.status).toBe(200);
    expect(gateway.pdp.received).toHaveLength(0);
    const [forwarded] = gateway.inventory.received;
    expect(
      forwarded === undefined ? undefined : gateway.contextOf('inventory', forwarded),
    ).toMatchObject({ subject: null, decision_id: null, resources: [], api_version: '1.1' });
  });
});

describe('a request that the policy refuses', () => {
  it('is a 403 naming the most specific action, and goes nowhere', async () => {
    await start();
    decide({
      allow: false,
      reason: 'not_granted',
      denied: ['baremetal:node:update:owner', 'baremetal:node:update'],
    });
    const response = await gateway.fetch(
      '/v1/nodes/node-1',
      patch([{ op: 'add', path: '/owner', value: 'p2' }]),
    );
    expect(response.status).toBe(403);
    expect(await fault(response)).toBe(
      'Access was denied to the following resource: baremetal:node:update:owner',
    );
    expect(gateway.inventory.received.map(({ target }) => target)).toEqual([
      '/internal/tenancy/nodes/node-1',
    ]);
  });

  it('is a 403 for a list, with the filter none', async () => {
    await start();
    decide({ allow: false, reason: 'not_granted', denied: ['baremetal:node:list'] });
    const filterOf = async (target: string): Promise<unknown> => {
      const response = await gateway.fetch(target);
      return [response.status, response.headers.get('x-tenure-policy-filter')];
    };
    expect(await filterOf('/v1/nodes')).toEqual([403, 'none']);
    expect(await filterOf('/v1/nodes/detail')).toEqual([403, 'none']);
    expect(await filterOf('/v1/allocations')).toEqual([403, 'none']);
    expect(await filterOf('/v1/nodes/node-1')).toEqual([403, null]);
    expect(await filterOf('/v1/nodes?foo=1')).toEqual([400, null]);
  });

  it('is the same 404 for a node that was deleted while its tenancy was cached', async () => {
    await start({ tenancyTtlMs: 60_000 });
    const facts = async (): Promise<unknown> => {
      const response = await gateway.fetch(`/v1/nodes/${UUID}/validate`);
      const headers = [...response.headers].filter(
        ([name]) => !/^(?:date|(?:x-)?openstack-request-id)$/u.test(name),
      );
      return { status: response.status, headers, text: await response.text() };
    };
    expect(await facts()).toMatchObject({ status: 202 });
    gateway.conductor.answer = (_request, response): void => {
      json(response, 404, { error_message: 'deleted' }, { 'X-Other': 'x' });
    };
    const deleted = await facts();
    expect(gateway.conductor.received).toHaveLength(2);
    decide({ allow: false, visible: false });
    expect(deleted).toEqual(await facts());
    expect(deleted).toMatchObject({
      status: 404,
      text: JSON.stringify({
        error_message: JSON.stringify({
          faultcode: 'Client',
          faultstring: `Node ${UUID} could not be found.`,
          debuginfo: null,
        }),
      }),
    });
  });

  it("but a 404 of a route that names no resource is the service's own", async () => {
    await start();
    gateway.allocation.answer = (_request, response): void => {
      json(response, 404, { a: 1 });
    };
    const response = await gateway.fetch('/v1/allocations');
    expect([response.status, await response.json()]).toEqual([404, { a: 1 }]);
  });

  it('is the same 404 for a node that is missing, whatever the policy says, and for one that is invisible', async () => {
    await start();
    const facts = async (ident: string): Promise<unknown> => {
      const response = await gateway.fetch(`/v1/nodes/${ident}`);
      const headers = Object.fromEntries(
        [...response.headers].filter(
          ([name]) => !/^(?:date|content-length|(?:x-)?openstack-request-id)$/u.test(name),
        ),
      );
      return {
        status: response.status,
        headers,
        fault: (await fault(response)).replace(ident, 'IDENT'),
      };
    };
    const missing = await facts('node-2');
    decide({ allow: false, visible: false, reason: 'not_visible', denied: ['baremetal:node:get'] });
    const invisible = await facts('node-1');
    expect(missing).toEqual(invisible);
    expect(invisible).toMatchObject({ status: 404, fault: 'Node IDENT could not be found.' });
    expect(gateway.pdp.received.map(questionIn).map(({ resource }) => resource.owner)).toEqual([
      null,
      'p1',
    ]);
  });

  it('is refused where a decision allows but is not visible', async () => {
    await start();
    decide({ allow: true, visible: false });
    expect((await gateway.fetch('/v1/nodes')).status).toBe(403);
    expect((await gateway.fetch('/v1/nodes/node-1')).status).toBe(404);
  });
});

describe('before the policy is queried', () => {
  it.each([
    ['no token', {}],
    ['a bad token', { 'x-auth-token': 'x.y.z' }],
    ['another scheme', { authorization: 'Basic dTpw' }],
  ])(
    '%s is a 401 with a challenge, also for an unknown path',
    async (_what, headers: Record<string, string>) => {
      await start();
      for (const path of ['/v1/nodes', '/v1/bogus', '/internal/tenancy/nodes/x']) {
        const response = await fetch(`${gateway.url}${path}`, { headers });
        expect(response.status).toBe(401);
        expect(response.headers.get('www-authenticate')).toBe('Bearer realm="tenure"');
        expect(await fault(response)).toBe('The request you have made requires authentication.');
      }
      expect(gateway.pdp.received).toHaveLength(0);
    },
  );

  it('an unknown path is a 404 and a wrong method a 405 with Allow', async () => {
    await start();
    expect((await gateway.fetch('/v1/bogus')).status).toBe(404);
    expect((await gateway.fetch('/internal/tenancy/nodes/node-1')).status).toBe(404);
    const response = await gateway.fetch('/v1/nodes', { method: 'PUT' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, POST');
    expect(
      (await gateway.fetch('/v1/nodes/detail', { method: 'DELETE' })).headers.get('allow'),
    ).toBe('GET');
  });

  it('OPTIONS returns the methods of a path to authenticated callers', async () => {
    await start();
    const response = await gateway.fetch('/v1/nodes', { method: 'OPTIONS' });
    expect([response.status, await response.text(), response.headers.get('allow')]).toEqual([
      200,
      '',
      'GET, POST',
    ]);
    expect(response.headers.get('content-length')).toBe('0');
    expect((await gateway.fetch('/v1/bogus', { method: 'OPTIONS' })).status).toBe(404);
    expect((await fetch(`${gateway.url}/v1/nodes`, { method: 'OPTIONS' })).status).toBe(401);
    expect(gateway.inventory.received).toHaveLength(0);
  });

  it.each([
    ['1.9999', 406],
    ['2.0', 406],
    ['abc', 406],
    ['latest', 200],
    ['1.1', 200],
  ])('version %s is answered %d', async (version, status) => {
    await start();
    const response = await gateway.fetch('/v1/nodes', {
      headers: { 'x-openstack-ironic-api-version': version },
    });
    expect(response.status).toBe(status);
    expect(response.headers.get('x-openstack-ironic-api-maximum-version')).toBe('1.91');
  });

  it('two version headers must agree, and either is enough', async () => {
    await start();
    const status = async (common: string): Promise<number> =>
      (await gateway.fetch('/v1/nodes', { headers: { 'openstack-api-version': common } })).status;
    expect(await status('baremetal 1.65')).toBe(200);
    expect(await status('baremetal 1.50')).toBe(406);
    const alone = await fetch(`${gateway.url}/v1/nodes`, {
      headers: { 'x-auth-token': gateway.token, 'openstack-api-version': 'baremetal 1.50' },
    });
    expect(alone.headers.get('x-openstack-ironic-api-version')).toBe('1.50');
  });

  it('allocations need 1.52, and their update 1.57', async () => {
    await start();
    const old = await gateway.fetch('/v1/allocations', {
      headers: { 'x-openstack-ironic-api-version': '1.51' },
    });
    expect([old.status, await fault(old)]).toEqual([
      404,
      'The API version does not allow allocations',
    ]);
    const update = await gateway.fetch('/v1/allocations/a', {
      ...patch([{ op: 'add', path: '/name', value: 'b' }]),
      headers: { 'content-type': 'application/json', 'x-openstack-ironic-api-version': '1.56' },
    });
    expect(update.status).toBe(405);
    expect(
      (
        await gateway.fetch('/v1/allocations', {
          headers: { 'x-openstack-ironic-api-version': '1.52' },
        })
      ).status,
    ).toBe(200);
  });

  it.each([
    [{}],
    [[{ op: 'move', path: '/name', from: '/extra' }]],
    [[{ op: 'add', path: 'name', value: 1 }]],
    [[{ op: 'add', path: '/name' }]],
    [[{ op: 'add', path: '/a~2', value: 1 }]],
    [[{ op: 'add', path: '/automated_clean', value: 'maybe' }]],
    [[{ op: 'add', path: '/automated_clean', value: 1 }]],
  ])('the patch %j is a 400 that reveals nothing about the node', async (operations) => {
    await start();
    decide({ allow: false, visible: false });
    expect((await gateway.fetch('/v1/nodes/node-1', patch(operations))).status).toBe(400);
    expect(gateway.inventory.received).toHaveLength(0);
  });

  it.each([[[]], [[{ op: 'add', path: '/owner', value: 7 }]]])(
    'the patch %j is a 404 to whoever may not see the node: what it is worth is for later',
    async (operations) => {
      await start();
      decide({ allow: false, visible: false });
      expect((await gateway.fetch('/v1/nodes/node-1', patch(operations))).status).toBe(404);
    },
  );

  it('an invalid owner counts as a change of owner for the policy, and is refused by the service', async () => {
    await start();
    const operations = [{ op: 'add', path: '/owner', value: 7 }];
    expect((await gateway.fetch('/v1/nodes/node-1', patch(operations))).status).toBe(200);
    const question = gateway.pdp.received.map(questionIn)[0];
    expect(question).toMatchObject({ action: 'baremetal:node:update', fields: ['/owner'] });
    expect(question).not.toHaveProperty('requested');
  });

  it.each([
    [true, 202],
    ['True', 400],
    [null, 400],
  ])(
    'persistent of a boot device is read as in the conductor: %j is a %d',
    async (value, status) => {
      await start();
      const response = await gateway.fetch('/v1/nodes/node-1/management/boot_device', {
        ...patch({ boot_device: 'pxe', persistent: value }),
        method: 'PUT',
      });
      expect(response.status).toBe(status);
    },
  );

  it('a route that needs a body refuses a request without one', async () => {
    await start();
    expect((await gateway.fetch('/v1/nodes', { method: 'POST' })).status).toBe(400);
    expect((await gateway.fetch('/v1/nodes/node-1/maintenance', { method: 'PUT' })).status).toBe(
      202,
    );
  });

  it('an identity over its rate limit gets 429 with Retry-After', async () => {
    for (const rateLimit of [
      () => {
        throw tooManyRequests();
      },
      () => Promise.reject(tooManyRequests()),
    ]) {
      await start({ rateLimit });
      const response = await gateway.fetch('/v1/nodes');
      expect([response.status, response.headers.get('retry-after'), await fault(response)]).toEqual(
        [429, '1', 'Too many requests; try again shortly.'],
      );
      expect(gateway.pdp.received).toHaveLength(0);
      await gateway.stop();
    }
    await start({ rateLimit: () => Promise.resolve() });
    expect((await gateway.fetch('/v1/nodes')).status).toBe(200);
  });
});

describe('when a part fails, nothing gets through', () => {
  const never = (): void => undefined;

  it.each([
    ['is frozen', never],
    [
      'answers 500',
      (_request: unknown, response: Parameters<TestGateway['pdp']['answer']>[1]): void => {
        json(response, 500, {});
      },
    ],
    [
      'answers without a revision',
      (_request: unknown, response: Parameters<TestGateway['pdp']['answer']>[1]): void => {
        json(response, 200, { decision_id: 'd', result: { ...ALLOW, revision: '' } });
      },
    ],
    [
      'answers true',
      (_request: unknown, response: Parameters<TestGateway['pdp']['answer']>[1]): void => {
        json(response, 200, { result: true });
      },
    ],
    [
      'answers nonsense',
      (_request: unknown, response: Parameters<TestGateway['pdp']['answer']>[1]): void => {
        response.end('{');
      },
    ],
    [
      'cuts the connection',
      (_request: unknown, response: Parameters<TestGateway['pdp']['answer']>[1]): void => {
        response.destroy();
      },
    ],
  ])('503 when the PDP %s', async (_what, answer) => {
    await start({ decisionDeadlineMs: 100 });
    gateway.pdp.answer = answer;
    expect((await gateway.fetch('/v1/nodes/node-1')).status).toBe(503);
    expect(gateway.inventory.received).toHaveLength(1);
  });

  it('503 when the inventory answers late or malformed', async () => {
    await start({ tenancyDeadlineMs: 100 });
    gateway.inventory.answer = never;
    expect((await gateway.fetch('/v1/nodes/node-1')).status).toBe(503);
    gateway.inventory.answer = (_request, response): void => {
      json(response, 200, { uuid: UUID, owner: 5, tenancy_revision: 1 });
    };
    expect((await gateway.fetch('/v1/nodes/node-1')).status).toBe(503);
    gateway.inventory.answer = (_request, response): void => {
      json(response, 401, {});
    };
    expect((await gateway.fetch('/v1/nodes/node-1')).status).toBe(503);
    expect(gateway.pdp.received).toHaveLength(0);
  });

  it('504 when a service does not answer in time', async () => {
    await start({ upstreamDeadlineMs: 100 });
    gateway.conductor.answer = never;
    expect((await gateway.fetch('/v1/nodes/node-1/validate')).status).toBe(504);
  });

  it('502 when a service breaks, 503 when it refuses the context', async () => {
    await start();
    gateway.conductor.answer = (_request, response): void => {
      response.destroy();
    };
    expect((await gateway.fetch('/v1/nodes/node-1/validate')).status).toBe(502);
    gateway.conductor.answer = (_request, response): void => {
      json(response, 401, {});
    };
    expect((await gateway.fetch('/v1/nodes/node-1/validate')).status).toBe(503);
    await gateway.conductor.close();
    expect((await gateway.fetch('/v1/nodes/node-1/validate')).status).toBe(502);
  });

  it('an answer that breaks off is not passed off as a whole one', async () => {
    await start();
    gateway.conductor.answer = (_request, response): void => {
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('x', () => {
        response.destroy();
      });
    };
    const response = await gateway.fetch('/v1/nodes/node-1/validate');
    await expect(response.text()).rejects.toThrow();
  });

  it('a client that disconnects cancels the request to the service', async () => {
    await start();
    const aborted = new Promise<void>((resolve) => {
      gateway.conductor.answer = (_request, response): void => {
        response.on('close', resolve);
      };
    });
    const controller = new AbortController();
    const pending = gateway.fetch('/v1/nodes/node-1/validate', { signal: controller.signal });
    while (gateway.conductor.received.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    await expect(pending).rejects.toThrow();
    await aborted;
  });
});

describe('tenancy that changed', () => {
  it.each(['GET', 'PUT'])(
    'makes the gateway load, ask, sign and forward again: %s',
    async (method) => {
      await start();
      let revision = 1;
      gateway.inventory.answer = (request, response): void => {
        void tenancyOf({ 'node-1': { ...NODE, tenancy_revision: revision } }, () => undefined)(
          request,
          response,
        );
      };
      gateway.conductor.answer = (_request, response): void => {
        revision += 1;
        if (revision <= 3) json(response, 412, {}, { 'X-Tenure-Stale': 'tenancy' });
        else json(response, 200, { done: true });
      };
      const init =
        method === 'GET'
          ? {}
          : {
              method,
              headers: { 'content-type': 'application/json' },
              body: '{"boot_device":"pxe"}',
            };
      const response = await gateway.fetch('/v1/nodes/node-1/management/boot_device', init);
      expect([response.status, await response.json()]).toEqual([200, { done: true }]);
      expect(
        gateway.conductor.received.map(
          (request) => gateway.contextOf('conductor', request).resources[0]?.tenancy_revision,
        ),
      ).toEqual([1, 2, 3]);
      expect(gateway.conductor.received.map(({ body }) => body)).toEqual(
        Array(3).fill(method === 'GET' ? '' : '{"boot_device":"pxe"}'),
      );
      expect(
        gateway.pdp.received.map(questionIn).map(({ resource }) => resource.tenancy_revision),
      ).toEqual([1, 2, 3]);
    },
  );

  it('is refused when the new owner does not allow it', async () => {
    await start();
    gateway.conductor.answer = (_request, response): void => {
      decide({ allow: false, visible: false });
      json(response, 412, {}, { 'X-Tenure-Stale': 'tenancy' });
    };
    expect((await gateway.fetch('/v1/nodes/node-1/validate')).status).toBe(404);
    expect(gateway.conductor.received).toHaveLength(1);
  });

  it('repeatedly ends in 503 after three retries', async () => {
    await start();
    gateway.conductor.answer = (_request, response): void => {
      json(response, 412, {}, { 'X-Tenure-Stale': 'tenancy' });
    };
    const response = await gateway.fetch('/v1/nodes/node-1/validate');
    expect(response.status).toBe(503);
    expect(response.headers.get('x-tenure-stale')).toBeNull();
    expect(gateway.conductor.received).toHaveLength(4);
  });

  it('differs from a 412 of another kind, which is relayed', async () => {
    await start();
    gateway.conductor.answer = (_request, response): void => {
      json(response, 412, { a: 1 });
    };
    expect((await gateway.fetch('/v1/nodes/node-1/validate')).status).toBe(412);
    expect(gateway.conductor.received).toHaveLength(1);
  });
});

describe('cached tenancy', () => {
  const loads = (): number =>
    gateway.inventory.received.filter(({ target }) => target.startsWith('/internal/')).length;

  it('saves a look-up of what the caller was allowed, by uuid, never by name', async () => {
    await start({ tenancyTtlMs: 60_000 });
    await gateway.fetch(`/v1/nodes/${UUID}`);
    await gateway.fetch(`/v1/nodes/${UUID}`);
    expect(loads()).toBe(1);
    await gateway.fetch('/v1/nodes/node-1');
    await gateway.fetch('/v1/nodes/node-1');
    expect(loads()).toBe(3);
    expect(gateway.pdp.received).toHaveLength(4);
  });

  it('never leads to a denial: a new lessee has access at once', async () => {
    await start({ tenancyTtlMs: 60_000 });
    await gateway.fetch(`/v1/nodes/${UUID}`);
    gateway.inventory.answer = tenancyOf(
      { [UUID]: { ...NODE, owner: 'p2', lessee: 'p1', tenancy_revision: 8 } },
      (_request, response) => {
        json(response, 200, {});
      },
    );
    gateway.pdp.answer = decideWith(({ resource }) => ({
      ...ALLOW,
      allow: resource.lessee === 'p1',
    }));
    expect((await gateway.fetch(`/v1/nodes/${UUID}`)).status).toBe(200);
    expect(
      gateway.pdp.received.map(questionIn).map(({ resource }) => resource.tenancy_revision),
    ).toEqual([7, 7, 8]);
  });

  it('denies only what a fresh look-up confirms', async () => {
    await start({ tenancyTtlMs: 60_000 });
    await gateway.fetch(`/v1/nodes/${UUID}`);
    decide({ allow: false, denied: ['baremetal:node:get'] });
    expect((await gateway.fetch(`/v1/nodes/${UUID}`)).status).toBe(403);
    expect(loads()).toBe(2);
  });

  it('is not used for another caller, nor where the first answer was a denial', async () => {
    await start({ tenancyTtlMs: 60_000 });
    decide({ allow: false, visible: false });
    await gateway.fetch(`/v1/nodes/${UUID}`);
    await gateway.fetch(`/v1/nodes/${UUID}`);
    expect(loads()).toBe(2);
    expect(gateway.pdp.received).toHaveLength(2);
  });

  it('is loaded again after a service called it stale', async () => {
    await start({ tenancyTtlMs: 60_000 });
    await gateway.fetch(`/v1/nodes/${UUID}`);
    let isStale = true;
    gateway.conductor.answer = (_request, response): void => {
      if (isStale) json(response, 412, {}, { 'X-Tenure-Stale': 'tenancy' });
      else json(response, 200, {});
      isStale = false;
    };
    expect((await gateway.fetch(`/v1/nodes/${UUID}/validate`)).status).toBe(200);
    expect(loads()).toBe(2);
  });
});

describe('the access log', () => {
  it('has one line a request, without the token or the query', async () => {
    await start();
    await gateway.fetch(`/v1/nodes/${UUID}?fields=uuid`);
    await sendRaw(gateway.port, 'GET /v1/nodes HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n');
    expect(gateway.log).toMatchObject([
      {
        method: 'GET',
        path: `/v1/nodes/${UUID}`,
        route: '/v1/nodes/{ident}',
        status: 200,
        userId: 'alice',
        projectId: 'p1',
        action: 'baremetal:node:get',
        decisionId: 'd-1',
      },
      { route: 'none', status: 417 },
    ]);
    expect(JSON.stringify(gateway.log)).not.toMatch(/fields=|eyJ/u);
  });
});
