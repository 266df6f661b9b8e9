import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeNode, uuidOf } from './testing/fixtures.js';
import { masking, startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await startTestApp();
});
afterEach(() => app.close());

const add = (number: number, values: Readonly<Record<string, unknown>> = {}) =>
  app.stores.nodes.insert((epoch) =>
    makeNode({ uuid: uuidOf(number), name: `n${String(number)}`, ...values }, epoch),
  );

describe('who may call', () => {
  it('nobody without a signed context, even for a path that does not exist', async () => {
    for (const path of ['/', '/v1/nodes', '/internal/nodes', '/nowhere'])
      expect((await app.fetch(path)).status).toBe(401);
  });

  it.each([
    ['conductor', '/internal/tenancy/nodes/n1'],
    ['gateway', '/internal/nodes'],
    ['allocation', '/internal/nodes'],
    ['conductor', '/internal/allocations'],
    ['gateway', '/internal/export?section=nodes'],
    ['conductor', '/v1/nodes'],
    ['cli', '/v1/nodes'],
    ['allocation', '/'],
  ] as const)('%s may not call %s', async (from, target) => {
    expect((await app.call({ from, target })).status).toBe(403);
  });

  it('a context is good for its own target only', async () => {
    const answer = await app.fetch('/internal/nodes', { headers: { 'x-tenure-context': 'a.b.c' } });
    expect(answer.status).toBe(401);
  });
});

describe('tenancy', () => {
  it('is answered by uuid and by name', async () => {
    await add(1, { owner: 'p-a' });
    const expected = {
      uuid: uuidOf(1),
      name: 'n1',
      owner: 'p-a',
      lessee: null,
      tenancy_revision: 1,
    };
    for (const ident of [uuidOf(1), 'n1']) {
      const answer = await app.call({
        from: 'gateway',
        target: `/internal/tenancy/nodes/${ident}`,
      });
      expect(answer).toMatchObject({ status: 200, body: expected });
    }
  });

  it('of a missing node is a problem with code not_found', async () => {
    const answer = await app.call({ from: 'gateway', target: '/internal/tenancy/nodes/n9' });
    expect(answer.body).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'Node n9 could not be found.',
      code: 'not_found',
    });
  });
});

describe('conductors', () => {
  it('read whole records with secrets, page by page', async () => {
    await add(1, { driver_info: { redfish_password: 'pw' } });
    await add(2);
    const first = await app.call({ from: 'conductor', target: '/internal/nodes?limit=1' });
    expect(first.body).toMatchObject({
      nodes: [{ uuid: uuidOf(1), driver_info: { redfish_password: 'pw' }, fence: 1, revision: 1 }],
    });
    const second = await app.call({
      from: 'conductor',
      target: `/internal/nodes?limit=1&marker=${uuidOf(1)}`,
    });
    expect(second.body).toMatchObject({ nodes: [{ uuid: uuidOf(2) }] });
  });

  it('read only what one holder has reserved', async () => {
    await add(1);
    await add(2, { reservation: 'c1' });
    await add(3, { reservation: 'c2' });
    const target = '/internal/nodes?limit=5&reservation=c1';
    const { body } = await app.call({ from: 'conductor', target });
    expect(body).toMatchObject({ nodes: [{ uuid: uuidOf(2) }] });
    expect((body as { nodes: unknown[] }).nodes).toHaveLength(1);
  });

  const reserve = (body: unknown, revision = 1, obligations = masking()) =>
    app.call({
      from: 'conductor',
      method: 'POST',
      target: `/internal/nodes/${uuidOf(1)}/reservation`,
      body,
      context: {
        resources: [{ type: 'node', uuid: uuidOf(1), tenancy_revision: revision }],
        obligations,
      },
    });
  const change = (body: unknown) =>
    app.call({ from: 'conductor', method: 'PATCH', target: `/internal/nodes/${uuidOf(1)}`, body });

  it('take a lock together with what it is for, and release it', async () => {
    await add(1);
    const taken = await reserve({ holder: 'c1', set: { target_power_state: 'power on' } });
    expect(taken).toMatchObject({
      status: 200,
      body: {
        fence: 2,
        node: { reservation: 'c1', target_power_state: 'power on', fence: 2, revision: 2 },
      },
    });
    const done = await change({
      holder: 'c1',
      fence: 2,
      set: { power_state: 'power on', target_power_state: null },
      release: true,
    });
    expect(done).toMatchObject({
      status: 200,
      body: {
        fence: 2,
        node: { reservation: null, power_state: 'power on', target_power_state: null },
      },
    });
  });

  it('cannot take a lock that another conductor has, or they have themselves', async () => {
    await add(1);
    await reserve({ holder: 'c1' });
    for (const holder of ['c1', 'c2'])
      expect((await reserve({ holder })).body).toMatchObject({
        status: 409,
        code: 'node_locked',
        detail: `Node ${uuidOf(1)} is locked by host c1, please retry after the current operation is completed.`,
      });
  });

  it('do not get the holder for a caller who may not see it', async () => {
    await add(1, { reservation: 'c1' });
    const answer = await reserve({ holder: 'c2' }, 1, masking('reservation'));
    expect(answer.body).toMatchObject({
      status: 409,
      code: 'node_locked',
      detail: `Node ${uuidOf(1)} is locked, please retry after the current operation is completed.`,
    });
  });

  it('take no lock while a condition of the decision does not hold', async () => {
    await add(1, { provision_state: 'active' });
    const unless = (value: string) => ({
      ...masking(),
      conditions: [{ field: 'provision_state', op: 'ne' as const, value, action: 'a:b:c' }],
    });
    expect((await reserve({ holder: 'c1' }, 1, unless('active'))).body).toMatchObject({
      status: 409,
      code: 'condition_not_met',
      detail: `Cannot act on node ${uuidOf(1)} while its provision_state is active; a:b:c is required.`,
    });
    expect((await reserve({ holder: 'c1' }, 1, unless('available'))).status).toBe(200);
  });

  it('one of many that try at once gets the lock', async () => {
    await add(1);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => reserve({ holder: `c${String(index)}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array.from({ length: 11 }, () => 409),
    ]);
  });

  it('cannot act on a decision about another tenancy', async () => {
    const node = await add(1, { owner: 'p-a' });
    const answer = await reserve({ holder: 'c1' }, node.tenancy_revision + 1);
    expect(answer).toMatchObject({ status: 412, body: { code: 'tenancy_changed' } });
    expect(answer.headers.get('x-tenure-stale')).toBe('tenancy');
    expect(await app.stores.nodes.findBy('uuid', uuidOf(1))).toEqual(node);
  });

  it('cannot write without the lock, under an older fence, or as another', async () => {
    await add(1);
    expect((await change({ holder: 'c1', fence: 1, set: {} })).body).toMatchObject({
      status: 409,
      code: 'lock_lost',
    });
    await reserve({ holder: 'c1' });
    expect((await change({ holder: 'c1', fence: 1, set: {} })).body).toMatchObject({
      code: 'lock_lost',
    });
    expect((await change({ holder: 'c2', fence: 2, set: {} })).body).toMatchObject({
      code: 'lock_lost',
    });
  });

  it.each([
    'owner',
    'uuid',
    'name',
    'reservation',
    'fence',
    'allocation_uuid',
    'conductor',
    'bogus',
  ])('cannot set %s', async (field) => {
    await add(1);
    expect((await reserve({ holder: 'c1', set: { [field]: 'x' } })).status).toBe(400);
    expect(await app.stores.nodes.findBy('uuid', uuidOf(1))).toMatchObject({ reservation: null });
  });

  it('report, and are visible on the nodes they serve for a minute', async () => {
    await add(1);
    const beat = {
      from: 'conductor',
      method: 'PUT',
      target: '/internal/conductors/host-b',
      body: { drivers: ['fake-hardware'], conductor_group: '' },
    } as const;
    expect((await app.call(beat)).status).toBe(204);
    expect((await app.onNode(uuidOf(1), {})).body).toMatchObject({ conductor: 'host-b' });
    app.setNow('2026-11-21T08:01:01.000Z');
    expect((await app.onNode(uuidOf(1), {})).body).toMatchObject({ conductor: null });
  });
});
