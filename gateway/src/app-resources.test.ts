import { afterEach, describe, expect, it } from '@jest/globals';
import { type Decision, type Question } from '@tenure/contracts';
import { factsOf, faultIn } from './testing/answers.js';
import {
  ALLOW,
  decideWith,
  json,
  questionIn,
  questionsIn,
  type Received,
  tenancyOf,
} from './testing/fakes.js';
import {
  startTestGateway,
  type TestGateway,
  type TestOptions,
  type TestRequest,
} from './testing/test-gateway.js';

const NODE_ID = 'ed836491-07b5-49e8-95fc-6a53acab893b';
const PORT_ID = '00948f8b-609d-49e8-8dbe-b5e8cb31dec2';
const GROUP_ID = '11948f8b-609d-49e8-8dbe-b5e8cb31dec2';
const ALLOCATION_ID = '22948f8b-609d-49e8-8dbe-b5e8cb31dec2';
const OTHER_ID = '33948f8b-609d-49e8-8dbe-b5e8cb31dec2';

const NODE = { uuid: NODE_ID, owner: 'p1', lessee: 'p2', tenancy_revision: 7 };
const PORT = { ...NODE, uuid: PORT_ID, node_uuid: NODE_ID };
const GROUP = { ...NODE, uuid: GROUP_ID, node_uuid: NODE_ID };
const ALLOCATION = { uuid: ALLOCATION_ID, owner: 'p9', tenancy_revision: 3 };
const RESOURCES = {
  [NODE_ID]: NODE,
  'node-1': NODE,
  [PORT_ID]: PORT,
  [GROUP_ID]: GROUP,
  bond0: GROUP,
  [ALLOCATION_ID]: ALLOCATION,
  'node-1/allocation': ALLOCATION,
};

let gateway: TestGateway;
async function start(options: TestOptions = {}): Promise<void> {
  gateway = await startTestGateway(options);
  gateway.inventory.answer = tenancyOf(RESOURCES, (_request, response) => {
    json(response, 200, { served: true });
  });
}
function decide(answer: (question: Question) => Partial<Decision>): void {
  gateway.pdp.answer = decideWith((question) => ({ ...ALLOW, ...answer(question) }));
}
const withBody = (method: string, body: unknown): TestRequest => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const loads = (): readonly string[] =>
  gateway.inventory.received
    .map(({ target }) => target)
    .filter((target) => target.startsWith('/internal/'));
const forwarded = (): readonly Received[] =>
  gateway.inventory.received.filter(({ target }) => target.startsWith('/v1'));
const resourcesAt = (part: 'inventory' | 'allocation', request: Received | undefined): unknown =>
  request === undefined ? undefined : gateway.contextOf(part, request).resources;
const questions = (): readonly (readonly [string, Question['resource']])[] =>
  gateway.pdp.received.flatMap((request) =>
    questionsIn(request).map(([, { action, resource }]) => [action, resource] as const),
  );

afterEach(() => gateway.stop());

describe('a resource that belongs to a node', () => {
  it('is decided with the tenancy of its node, and signed together with it', async () => {
    await start();
    expect((await gateway.fetch(`/v1/ports/${PORT_ID}`)).status).toBe(200);
    expect(loads()).toEqual([`/internal/tenancy/ports/${PORT_ID}`]);
    expect(questions()).toEqual([
      [
        'baremetal:port:get',
        { type: 'port', id: PORT_ID, owner: 'p1', lessee: 'p2', tenancy_revision: 7 },
      ],
    ]);
    expect(resourcesAt('inventory', forwarded()[0])).toEqual([
      { type: 'port', uuid: PORT_ID, tenancy_revision: 7 },
      { type: 'node', uuid: NODE_ID, tenancy_revision: 7 },
    ]);
  });

  it.each([
    ['/v1/portgroups/bond1', 'Portgroup bond1 could not be found.'],
    [`/v1/ports/${OTHER_ID}`, `Port ${OTHER_ID} could not be found.`],
    [`/v1/volume/connectors/${OTHER_ID}`, `Volume connector ${OTHER_ID} could not be found.`],
    [`/v1/volume/targets/${OTHER_ID}`, `Volume target ${OTHER_ID} could not be found.`],
    [`/v1/allocations/${OTHER_ID}`, `Allocation ${OTHER_ID} could not be found.`],
  ])('that is missing gets the error text of its kind: %s', async (path, sentence) => {
    await start();
    const response = await gateway.fetch(path);
    expect([response.status, await faultIn(response)]).toEqual([404, sentence]);
    expect(gateway.pdp.received).toHaveLength(1);
    expect(forwarded()).toHaveLength(0);
  });

  it('is the same answer, after the same steps, whether it is missing or invisible', async () => {
    await start();
    decide(() => ({ allow: false, visible: false }));
    const facts = async (ident: string): Promise<unknown> =>
      factsOf(await gateway.fetch(`/v1/ports/${ident}`), ident);
    expect(await facts(PORT_ID)).toEqual(await facts(OTHER_ID));
    expect(loads()).toHaveLength(2);
    expect(gateway.pdp.received).toHaveLength(2);
  });

  it('must be named by a uuid, which is checked before any look-up', async () => {
    await start();
    for (const path of [
      '/v1/ports/eth0',
      '/v1/volume/targets/t',
      '/v1/chassis/c',
      '/v1/chassis/c/nodes',
    ]) {
      const response = await gateway.fetch(path);
      expect([response.status, await faultIn(response)]).toEqual([
        400,
        `Expected a UUID but received ${path.split('/').find((segment) => /^(?:eth0|t|c)$/u.test(segment)) ?? ''}.`,
      ]);
    }
    expect(gateway.inventory.received).toHaveLength(0);
    expect(gateway.pdp.received).toHaveLength(0);
  });

  it('is not served from an answer that does not name the node', async () => {
    await start();
    gateway.inventory.answer = tenancyOf(
      { [PORT_ID]: { ...NODE, uuid: PORT_ID } },
      () => undefined,
    );
    expect((await gateway.fetch(`/v1/ports/${PORT_ID}`)).status).toBe(503);
  });

  it('is cached separately from its node', async () => {
    await start({ tenancyTtlMs: 60_000 });
    for (let round = 0; round < 2; round += 1) {
      await gateway.fetch(`/v1/ports/${PORT_ID}`);
      await gateway.fetch(`/v1/nodes/${NODE_ID}`);
    }
    expect(loads()).toEqual([
      `/internal/tenancy/ports/${PORT_ID}`,
      `/internal/tenancy/nodes/${NODE_ID}`,
    ]);
    expect(resourcesAt('inventory', forwarded()[2])).toEqual([
      { type: 'port', uuid: PORT_ID, tenancy_revision: 7 },
      { type: 'node', uuid: NODE_ID, tenancy_revision: 7 },
    ]);
  });
});

describe('a resource that is created on a node', () => {
  const address = '52:54:00:00:00:12';

  it('is decided with the tenancy of the node that the body names', async () => {
    await start();
    await gateway.fetch('/v1/ports', withBody('POST', { address, node_uuid: NODE_ID }));
    expect(gateway.pdp.received.map(questionIn)).toMatchObject([
      {
        action: 'baremetal:port:create',
        resource: { type: 'port', id: NODE_ID, owner: 'p1', lessee: 'p2', tenancy_revision: 7 },
        fields: ['/address', '/node_uuid'],
      },
    ]);
    expect(resourcesAt('inventory', forwarded()[0])).toEqual([
      { type: 'node', uuid: NODE_ID, tenancy_revision: 7 },
    ]);
  });

  it.each([
    ['/v1/ports', 'port'],
    ['/v1/portgroups', 'portgroup'],
    ['/v1/volume/connectors', 'volume_connector'],
    ['/v1/volume/targets', 'volume_target'],
  ])(
    '%s: a missing node is reported by the policy or the service, not by the gateway',
    async (path, type) => {
      await start();
      for (const body of [{ node_uuid: OTHER_ID }, { node_uuid: null }, {}])
        expect((await gateway.fetch(path, withBody('POST', body))).status).toBe(200);
      expect(questions().map(([, resource]) => resource)).toEqual(
        Array(3).fill({ type, id: null, owner: null, lessee: null, tenancy_revision: 0 }),
      );
      expect(forwarded().map((request) => resourcesAt('inventory', request))).toEqual([[], [], []]);
    },
  );

  it('is the same 403 on a missing node and on a node of another project', async () => {
    await start();
    decide(() => ({ allow: false, denied: ['baremetal:port:create'] }));
    const facts = async (node_uuid: string): Promise<unknown> =>
      factsOf(await gateway.fetch('/v1/ports', withBody('POST', { node_uuid })));
    const missing = await facts(OTHER_ID);
    expect(missing).toEqual(await facts(NODE_ID));
    expect(missing).toMatchObject({ status: 403 });
  });

  it('is refused where a decision allows but is not visible', async () => {
    await start();
    decide(() => ({ visible: false }));
    const response = await gateway.fetch('/v1/ports', withBody('POST', { node_uuid: NODE_ID }));
    expect(response.status).toBe(403);
  });

  it.each([
    [{ node_uuid: 'node-1' }, 'Expected a UUID but received node-1.'],
    [{ node_uuid: 5 }, 'Schema error for node_uuid: must be string'],
  ])('cannot be on %j', async (body, sentence) => {
    await start();
    const response = await gateway.fetch('/v1/ports', withBody('POST', body));
    expect([response.status, await faultIn(response)]).toEqual([400, sentence]);
    expect(gateway.inventory.received).toHaveLength(0);
  });

  it('is not cached: a caller who may create on a node may be unable to see it', async () => {
    await start({ tenancyTtlMs: 60_000 });
    for (let round = 0; round < 2; round += 1)
      await gateway.fetch('/v1/ports', withBody('POST', { node_uuid: NODE_ID }));
    await gateway.fetch(`/v1/nodes/${NODE_ID}`);
    expect(loads()).toHaveLength(3);
  });

  it("may be answered with the service's own 404", async () => {
    await start();
    gateway.inventory.answer = tenancyOf(RESOURCES, (_request, response) => {
      json(response, 404, { own: 'message' });
    });
    const response = await gateway.fetch('/v1/ports', withBody('POST', { node_uuid: NODE_ID }));
    expect([response.status, await response.json()]).toEqual([404, { own: 'message' }]);
  });
});

describe('a list below a resource', () => {
  const PARENT = { type: 'node', id: NODE_ID, owner: 'p1', lessee: 'p2', tenancy_revision: 7 };
  const NONE = { type: 'none', id: null, owner: null, lessee: null, tenancy_revision: 0 };

  it('asks about the parent and the list in one request to the PDP', async () => {
    await start();
    decide(({ action }) =>
      action === 'baremetal:port:list' ? { filter: { mode: 'all', predicates: [] } } : {},
    );
    expect((await gateway.fetch('/v1/nodes/node-1/ports/detail?address=a')).status).toBe(200);
    expect(gateway.pdp.received).toHaveLength(1);
    expect(questions()).toEqual([
      ['baremetal:node:get', PARENT],
      ['baremetal:port:list', NONE],
    ]);
    expect(loads()).toEqual(['/internal/tenancy/nodes/node-1']);
    const [request] = forwarded();
    expect(
      request === undefined ? undefined : gateway.contextOf('inventory', request),
    ).toMatchObject({
      action: 'baremetal:port:list',
      resources: [{ type: 'node', uuid: NODE_ID, tenancy_revision: 7 }],
      obligations: { filter: { mode: 'all', predicates: [] } },
    });
  });

  it('asks about the parent under a separate id', async () => {
    await start();
    await gateway.fetch('/v1/nodes/node-1/ports');
    expect(
      gateway.pdp.received.flatMap((request) => questionsIn(request).map(([name]) => name)),
    ).toEqual([
      expect.stringMatching(/^req-[0-9a-f-]{36}\.within$/u),
      expect.stringMatching(/^req-[0-9a-f-]{36}$/u),
    ]);
  });

  it('is the same 404 whether the parent is missing or invisible', async () => {
    await start();
    decide(({ action }) =>
      action === 'baremetal:node:get' ? { allow: false, visible: false } : {},
    );
    const facts = async (ident: string): Promise<unknown> =>
      factsOf(await gateway.fetch(`/v1/nodes/${ident}/ports`), ident);
    const invisible = await facts('node-1');
    const steps = [loads().length, questions().length, gateway.pdp.received.length];
    expect(invisible).toEqual(await facts('node-2'));
    expect([loads().length, questions().length, gateway.pdp.received.length]).toEqual(
      steps.map((count) => count * 2),
    );
    expect(invisible).toMatchObject({
      status: 404,
      text: expect.stringContaining('Node IDENT could not be found.'),
    });
    expect(forwarded()).toHaveLength(0);
  });

  it('is a 404 of the parent also when its list would be a 403', async () => {
    await start();
    decide(({ action }) => ({ allow: false, visible: action !== 'baremetal:node:get' }));
    expect((await gateway.fetch('/v1/nodes/node-1/portgroups')).status).toBe(404);
  });

  it('is a 403 that shows no rows when only the list is refused', async () => {
    await start();
    decide(({ action }) =>
      action === 'baremetal:port:list'
        ? { allow: false, denied: ['baremetal:port:list_all', 'baremetal:port:list'] }
        : {},
    );
    const response = await gateway.fetch('/v1/nodes/node-1/ports');
    expect([response.status, response.headers.get('x-tenure-policy-filter')]).toEqual([
      403,
      'none',
    ]);
    expect(await faultIn(response)).toContain('baremetal:port:list_all');
  });

  it('of a port group names it and its node', async () => {
    await start();
    await gateway.fetch('/v1/portgroups/bond0/ports');
    expect(questions()).toEqual([
      ['baremetal:portgroup:get', { ...PARENT, type: 'portgroup', id: GROUP_ID }],
      ['baremetal:port:list', NONE],
    ]);
    expect(resourcesAt('inventory', forwarded()[0])).toEqual([
      { type: 'portgroup', uuid: GROUP_ID, tenancy_revision: 7 },
      { type: 'node', uuid: NODE_ID, tenancy_revision: 7 },
    ]);
    const missing = await gateway.fetch('/v1/portgroups/bond1/ports');
    expect(await faultIn(missing)).toBe('Portgroup bond1 could not be found.');
  });

  it('of a chassis depends on the right to read chassis, whether or not it exists', async () => {
    await start();
    decide(({ action }) =>
      action === 'baremetal:chassis:get' ? { allow: false, denied: ['baremetal:chassis:get'] } : {},
    );
    const response = await gateway.fetch(`/v1/chassis/${OTHER_ID}/nodes`);
    expect([response.status, await faultIn(response)]).toEqual([
      403,
      'Access was denied to the following resource: baremetal:chassis:get',
    ]);
    decide(() => ({}));
    expect((await gateway.fetch(`/v1/chassis/${OTHER_ID}/nodes`)).status).toBe(200);
    expect(loads()).toHaveLength(0);
    expect(resourcesAt('inventory', forwarded()[0])).toEqual([]);
  });

  it('of volumes asks about the node and its volumes with one look-up', async () => {
    await start();
    await gateway.fetch('/v1/nodes/node-1/volume');
    expect(questions()).toEqual([
      ['baremetal:node:get', PARENT],
      ['baremetal:volume:get', { ...PARENT, type: 'volume' }],
    ]);
    expect(loads()).toHaveLength(1);
    expect(resourcesAt('inventory', forwarded()[0])).toEqual([
      { type: 'node', uuid: NODE_ID, tenancy_revision: 7 },
    ]);
    await gateway.fetch('/v1/volume');
    expect(questions()[2]).toEqual(['baremetal:volume:get', NONE]);
  });

  it('of handovers asks about the node, whose id the policy needs for the filter', async () => {
    await start();
    await gateway.fetch(`/v1/nodes/node-1/handovers/${OTHER_ID}`);
    expect(questions()).toEqual([['baremetal:handover:get', { ...PARENT, type: 'handover' }]]);
    expect(resourcesAt('inventory', forwarded()[0])).toEqual([
      { type: 'node', uuid: NODE_ID, tenancy_revision: 7 },
    ]);
    decide(() => ({ allow: false, visible: false }));
    const hidden = await factsOf(await gateway.fetch('/v1/nodes/node-1/handovers'), 'node-1');
    const missing = await factsOf(await gateway.fetch('/v1/nodes/node-2/handovers'), 'node-2');
    expect(hidden).toEqual(missing);
  });

  it('caches the parent, which never leads to a denial', async () => {
    await start({ tenancyTtlMs: 60_000 });
    await gateway.fetch(`/v1/nodes/${NODE_ID}/ports`);
    await gateway.fetch(`/v1/nodes/${NODE_ID}/ports`);
    await gateway.fetch(`/v1/nodes/${NODE_ID}`);
    expect(loads()).toHaveLength(1);
    gateway.inventory.answer = tenancyOf(
      { [NODE_ID]: { ...NODE, owner: 'p3', tenancy_revision: 8 } },
      (_request, response) => {
        json(response, 200, {});
      },
    );
    decide(({ action, resource }) => ({
      allow: action === 'baremetal:port:list' || resource.owner === 'p3',
    }));
    expect((await gateway.fetch(`/v1/nodes/${NODE_ID}/ports`)).status).toBe(200);
    expect(loads()).toHaveLength(2);
  });

  it('is the same 404 for a deleted parent as for a missing one', async () => {
    await start();
    gateway.inventory.answer = tenancyOf(RESOURCES, (_request, response) => {
      json(response, 404, { own: 'message' });
    });
    const response = await gateway.fetch('/v1/nodes/node-1/volume/targets');
    expect([response.status, await faultIn(response)]).toEqual([
      404,
      'Node node-1 could not be found.',
    ]);
  });
});

describe('the allocation of a node', () => {
  it('is decided with its own owner, after the node', async () => {
    await start();
    expect((await gateway.fetch('/v1/nodes/node-1/allocation')).status).toBe(200);
    expect(questions()).toEqual([
      [
        'baremetal:node:get',
        { type: 'node', id: NODE_ID, owner: 'p1', lessee: 'p2', tenancy_revision: 7 },
      ],
      [
        'baremetal:allocation:get',
        { type: 'allocation', id: ALLOCATION_ID, owner: 'p9', lessee: null, tenancy_revision: 3 },
      ],
    ]);
    expect(resourcesAt('allocation', gateway.allocation.received[0])).toEqual([
      { type: 'allocation', uuid: ALLOCATION_ID, tenancy_revision: 3 },
      { type: 'node', uuid: NODE_ID, tenancy_revision: 7 },
    ]);
  });

  it('is the same 404 whether there is none or it is invisible', async () => {
    await start();
    const facts = async (): Promise<unknown> =>
      factsOf(await gateway.fetch('/v1/nodes/node-1/allocation', { method: 'DELETE' }));
    decide(({ action }) => ({ visible: action === 'baremetal:node:get' }));
    const invisible = await facts();
    gateway.inventory.answer = tenancyOf({ 'node-1': NODE }, () => undefined);
    expect(await facts()).toEqual(invisible);
    expect(invisible).toMatchObject({
      status: 404,
      text: expect.stringContaining('Allocation for node node-1 was not found'),
    });
    expect(gateway.allocation.received).toHaveLength(0);
  });

  it('is not mentioned where the node is missing or invisible: then the 404 is about the node', async () => {
    await start();
    decide(({ action }) => ({ visible: action !== 'baremetal:node:get' }));
    const facts = async (ident: string): Promise<unknown> =>
      factsOf(await gateway.fetch(`/v1/nodes/${ident}/allocation`), ident);
    const invisible = await facts('node-1');
    expect(invisible).toEqual(await facts('node-2'));
    expect(invisible).toMatchObject({
      status: 404,
      text: expect.stringContaining('Node IDENT could not be found.'),
    });
    expect(loads()).toHaveLength(4);
  });

  it('is not cached: another allocation may own the node later', async () => {
    await start({ tenancyTtlMs: 60_000 });
    gateway.inventory.answer = tenancyOf(
      { ...RESOURCES, [`${NODE_ID}/allocation`]: ALLOCATION },
      () => undefined,
    );
    await gateway.fetch(`/v1/nodes/${NODE_ID}/allocation`);
    await gateway.fetch(`/v1/nodes/${NODE_ID}/allocation`);
    expect(loads()).toHaveLength(4);
  });
});

describe('tenancy that changed', () => {
  it('makes the gateway repeat the load and both questions', async () => {
    await start();
    let revision = 1;
    gateway.inventory.answer = (request, response): void => {
      void tenancyOf(
        {
          [PORT_ID]: { ...PORT, tenancy_revision: revision },
          'node-1': { ...NODE, tenancy_revision: revision },
        },
        (_request, answer) => {
          revision += 1;
          if (revision % 2 === 0) json(answer, 412, {}, { 'X-Tenure-Stale': 'tenancy' });
          else json(answer, 200, {});
        },
      )(request, response);
    };
    expect((await gateway.fetch('/v1/nodes/node-1/ports')).status).toBe(200);
    expect(questions().map(([action, resource]) => [action, resource.tenancy_revision])).toEqual([
      ['baremetal:node:get', 1],
      ['baremetal:port:list', 0],
      ['baremetal:node:get', 2],
      ['baremetal:port:list', 0],
    ]);
    expect(forwarded().map((request) => resourcesAt('inventory', request))).toEqual([
      [{ type: 'node', uuid: NODE_ID, tenancy_revision: 1 }],
      [{ type: 'node', uuid: NODE_ID, tenancy_revision: 2 }],
    ]);
    expect((await gateway.fetch(`/v1/ports/${PORT_ID}`)).status).toBe(200);
    expect(resourcesAt('inventory', forwarded().at(-1))).toEqual([
      { type: 'port', uuid: PORT_ID, tenancy_revision: 4 },
      { type: 'node', uuid: NODE_ID, tenancy_revision: 4 },
    ]);
  });

  it('is refused when the parent has become invisible meanwhile', async () => {
    await start();
    gateway.inventory.answer = tenancyOf(RESOURCES, (_request, response) => {
      decide(({ action }) => ({ visible: action !== 'baremetal:node:get' }));
      json(response, 412, {}, { 'X-Tenure-Stale': 'tenancy' });
    });
    expect((await gateway.fetch('/v1/nodes/node-1/ports')).status).toBe(404);
    expect(forwarded()).toHaveLength(1);
  });
});

describe('when the PDP answers only one of two questions', () => {
  it.each(['baremetal:node:get', 'baremetal:port:list'])(
    'nothing gets through without an answer about %s',
    async (missing) => {
      await start({ decisionDeadlineMs: 200 });
      gateway.pdp.answer = (request, response): void => {
        const responses = questionsIn(request).map(([name, { action }]) => [
          name,
          action === missing ? { http_status_code: '500' } : { decision_id: 'd', result: ALLOW },
        ]);
        json(response, 207, { responses: Object.fromEntries(responses) as unknown });
      };
      expect((await gateway.fetch('/v1/nodes/node-1/ports')).status).toBe(503);
      expect(forwarded()).toHaveLength(0);
    },
  );
});

describe('a part that a resource does not have', () => {
  const answer404 = (headers: Record<string, string>): void => {
    gateway.inventory.answer = tenancyOf(RESOURCES, (_request, response) => {
      json(response, 404, { own: 'message' }, headers);
    });
  };

  it("is the service's own 404, without internal headers", async () => {
    await start();
    answer404({
      'X-Tenure-Missing': 'part',
      'X-Tenure-Policy-Filter': 'all',
      'X-Tenure-Other': 'x',
    });
    const response = await gateway.fetch('/v1/nodes/node-1/traits/CUSTOM_X', { method: 'DELETE' });
    expect([response.status, await response.json()]).toEqual([404, { own: 'message' }]);
    expect(
      [...response.headers.keys()].filter((name) => name.startsWith('x-tenure-')).toSorted(),
    ).toEqual(['x-tenure-decision-id', 'x-tenure-policy-filter']);
  });

  it.each([{}, { 'X-Tenure-Missing': 'all' }])(
    'differs from a deleted resource: %j',
    async (headers: Record<string, string>) => {
      await start();
      answer404(headers);
      const response = await gateway.fetch('/v1/nodes/node-1/bios/x');
      expect([response.status, await faultIn(response)]).toEqual([
        404,
        'Node node-1 could not be found.',
      ]);
    },
  );

  it('cannot be claimed by a client', async () => {
    await start();
    answer404({});
    const response = await gateway.fetch('/v1/nodes/node-1/traits', {
      headers: { 'x-tenure-missing': 'part', 'x-tenure-stale': 'tenancy' },
    });
    expect(await faultIn(response)).toBe('Node node-1 could not be found.');
    expect(
      Object.keys(forwarded()[0]?.headers ?? {}).filter((name) => name.startsWith('x-tenure-')),
    ).toEqual(['x-tenure-context']);
  });
});
