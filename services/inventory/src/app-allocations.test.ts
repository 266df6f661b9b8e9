import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeNode, uuidOf } from './testing/fixtures.js';
import { seesAll, seesOwn, startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await startTestApp();
});
afterEach(() => app.close());

const ANY = { mode: 'all', predicates: [] };
const FREE = {
  provision_state: 'available',
  power_state: 'power off',
  resource_class: 'baremetal',
};

const add = (number: number, values: Readonly<Record<string, unknown>> = {}) =>
  app.stores.nodes.insert((epoch) =>
    makeNode({ uuid: uuidOf(number), name: `n${String(number)}`, ...FREE, ...values }, epoch),
  );
const post = (target: string, body: unknown) =>
  app.call({ from: 'allocation', method: 'POST', target, body });
const create = (number: number, values: Readonly<Record<string, unknown>> = {}) =>
  post('/internal/allocations', {
    uuid: uuidOf(number),
    name: `a${String(number)}`,
    resource_class: 'baremetal',
    candidate_filter: ANY,
    ...values,
  });
const claim = (allocation: number, node: number) =>
  post(`/internal/allocations/${uuidOf(allocation)}/claim`, { node_uuid: uuidOf(node) });
const remove = (allocation: number) =>
  app.call({
    from: 'allocation',
    method: 'DELETE',
    target: `/internal/allocations/${uuidOf(allocation)}`,
  });
const nodeOf = (number: number) => app.stores.nodes.findBy('uuid', uuidOf(number));

describe('allocations', () => {
  it('are created, whole', async () => {
    const answer = await create(1, { owner: 'p-a', traits: ['T1'] });
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({
      uuid: uuidOf(1),
      name: 'a1',
      owner: 'p-a',
      resource_class: 'baremetal',
      traits: ['T1'],
      candidate_nodes: [],
      extra: {},
      state: 'allocating',
      node_uuid: null,
      last_error: null,
      created_at: '2026-11-21T08:00:00+00:00',
      updated_at: null,
      candidate_filter: { mode: 'all', predicates: [] },
      revision: 1,
    });
  });

  it('may take no node unless the policy said which', async () => {
    expect((await create(1, { candidate_filter: undefined })).body).toMatchObject({
      candidate_filter: { mode: 'none', predicates: [] },
    });
    await add(2);
    expect((await claim(1, 2)).body).toMatchObject({ code: 'node_taken' });
  });

  it('have names of their own', async () => {
    await create(1);
    expect((await create(2, { name: 'a1' })).body).toMatchObject({
      status: 409,
      code: 'duplicate',
      detail: 'An allocation with name a1 already exists.',
    });
  });

  it('are listed under the policy’s filter', async () => {
    await create(1, { owner: 'p-a' });
    await create(2, { owner: 'p-b' });
    const list = async (obligations: typeof seesAll) =>
      app.call({
        from: 'allocation',
        target: '/internal/allocations?limit=10&sort_key=uuid&sort_dir=desc',
        context: { obligations },
      });
    const all = await list(seesAll);
    expect(all.body).toMatchObject({ allocations: [{ uuid: uuidOf(2) }, { uuid: uuidOf(1) }] });
    expect(all.headers.get('x-tenure-policy-filter')).toBe('all');
    const owner = { field: 'owner', op: 'eq', value: 'p-a' } as const;
    const own = await list({ ...seesAll, filter: { mode: 'any_of', predicates: [owner] } });
    expect((own.body as { allocations: unknown[] }).allocations).toHaveLength(1);
    expect(own.headers.get('x-tenure-policy-filter')).toBe('owner');
    expect((await list(seesOwn('p-a'))).status).toBe(500); // a filter on lessee means nothing here: refused, not ignored
  });

  it('change only over the revision that was read', async () => {
    await create(1);
    const patch = (revision: number) =>
      app.call({
        from: 'allocation',
        method: 'PATCH',
        target: `/internal/allocations/${uuidOf(1)}`,
        body: { expected_revision: revision, set: { extra: { a: 1 } } },
      });
    expect(await patch(1)).toMatchObject({ status: 200, body: { revision: 2, extra: { a: 1 } } });
    expect(await patch(1)).toMatchObject({ status: 409, body: { code: 'revision_conflict' } });
  });

  it.each([{ owner: 'p-x' }, { node_uuid: uuidOf(1) }, { candidate_filter: ANY }])(
    'cannot be given %j',
    async (set) => {
      await create(1);
      const answer = await app.call({
        from: 'allocation',
        method: 'PATCH',
        target: `/internal/allocations/${uuidOf(1)}`,
        body: { expected_revision: 1, set },
      });
      expect(answer.status).toBe(400);
    },
  );
});

describe('claims', () => {
  it('write both sides, and may be repeated', async () => {
    await create(1, { traits: ['T1'] });
    await add(2, { traits: ['T1', 'T2'] });
    for (const answer of [await claim(1, 2), await claim(1, 2)])
      expect(answer).toMatchObject({
        status: 200,
        body: { node_uuid: uuidOf(2), allocation: { state: 'active', node_uuid: uuidOf(2) } },
      });
    expect(await nodeOf(2)).toMatchObject({
      instance_uuid: uuidOf(1),
      allocation_uuid: uuidOf(1),
      instance_info: { traits: ['T1'] },
    });
  });

  it('of one node have one winner', async () => {
    await add(99);
    for (let number = 1; number <= 8; number += 1) await create(number);
    const answers = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((number) => claim(number, 99)));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200, 409, 409, 409, 409, 409, 409, 409,
    ]);
  });

  it('of one allocation hold one node', async () => {
    await create(1);
    for (const number of [2, 3, 4]) await add(number);
    const answers = await Promise.all([2, 3, 4].map((number) => claim(1, number)));
    const exported = await app.call({ from: 'cli', target: '/internal/export?section=nodes' });
    const { rows } = exported.body as {
      rows: readonly { allocation_uuid: string | null; uuid: string }[];
    };
    const holders = rows.filter(({ allocation_uuid: uuid }) => uuid === uuidOf(1));
    expect(holders).toHaveLength(1);
    const won = answers
      .filter(({ status }) => status === 200)
      .map(({ body }) => (body as { node_uuid: string }).node_uuid);
    expect(new Set(won)).toEqual(new Set([holders[0]?.uuid]));
  });

  it.each([
    ['reserved', { reservation: 'c1' }],
    ['in maintenance', { maintenance: true }],
    ['not available', { provision_state: 'manageable' }],
    ['taken by an instance', { instance_uuid: uuidOf(50) }],
    ['of an unknown power state', { power_state: null }],
    ['of another class', { resource_class: 'other' }],
    ['without the traits', { traits: ['T2'] }],
    ['not permitted', { owner: 'p-b' }],
  ])('refuse a node that is %s', async (_, values) => {
    const filter = { mode: 'any_of', predicates: [{ field: 'owner', op: 'eq', value: 'p-a' }] };
    await create(1, { traits: ['T1'], candidate_filter: filter });
    await add(2, { owner: 'p-a', traits: ['T1'], ...values });
    expect(await claim(1, 2)).toMatchObject({ status: 409, body: { code: 'node_taken' } });
    const candidates = await post('/internal/candidates', {
      resource_class: 'baremetal',
      traits: ['T1'],
      candidate_nodes: [],
      filter,
      limit: 5,
    });
    expect(candidates.body).toEqual({ nodes: [] });
  });

  it('that were interrupted are finished with the allocated node, whichever is named', async () => {
    await create(1);
    await add(2, { instance_uuid: uuidOf(1), allocation_uuid: uuidOf(1) });
    await add(3);
    expect(await claim(1, 3)).toMatchObject({ status: 200, body: { node_uuid: uuidOf(2) } });
    expect(await nodeOf(3)).toMatchObject({ instance_uuid: null });
  });
});

describe('removals', () => {
  it('release the node', async () => {
    await create(1, { traits: ['T1'] });
    await add(2, { traits: ['T1'], instance_info: { kept: 1 } });
    await claim(1, 2);
    expect((await remove(1)).status).toBe(204);
    expect(await nodeOf(2)).toMatchObject({
      instance_uuid: null,
      allocation_uuid: null,
      instance_info: { kept: 1 },
    });
    expect((await remove(1)).status).toBe(404);
  });

  it.each([
    ['node_in_use', { provision_state: 'active' }],
    ['node_locked', { reservation: 'c1' }],
  ])('are refused with %s, without naming a holder', async (code, values) => {
    await create(1);
    await add(2, { instance_uuid: uuidOf(1), allocation_uuid: uuidOf(1), ...values });
    const answer = await remove(1);
    expect(answer).toMatchObject({ status: 409, body: { code } });
    expect(JSON.stringify(answer.body)).not.toContain('c1');
  });
});

describe('backfill claims', () => {
  const backfill = (allocation: number, node: number) =>
    post(`/internal/allocations/${uuidOf(allocation)}/claim`, {
      node_uuid: uuidOf(node),
      backfill: true,
    });
  const OWN = { mode: 'any_of', predicates: [{ field: 'owner', op: 'eq', value: 'p-a' }] };

  it.each([
    ['active', { provision_state: 'active' }],
    ['in maintenance', { provision_state: 'active', maintenance: true }],
    ['of an unknown power state', { provision_state: 'active', power_state: null }],
    ['its instance already', { provision_state: 'active', instance_uuid: uuidOf(1) }],
    ['available', {}],
  ])('take a node that is %s', async (_, values) => {
    await create(1, { resource_class: null, candidate_filter: OWN });
    await add(2, { owner: 'p-a', ...values });
    for (const answer of [await backfill(1, 2), await backfill(1, 2)])
      expect(answer).toMatchObject({
        status: 200,
        body: {
          node_uuid: uuidOf(2),
          allocation: { state: 'active', node_uuid: uuidOf(2), resource_class: 'baremetal' },
        },
      });
    expect(await nodeOf(2)).toMatchObject({
      ...values,
      allocation_uuid: uuidOf(1),
      instance_uuid: uuidOf(1),
    });
  });

  it.each([
    ['reserved', { reservation: 'c1' }],
    ['another’s instance', { instance_uuid: uuidOf(50) }],
    ['of another allocation', { allocation_uuid: uuidOf(50) }],
    ['not permitted', { owner: 'p-b' }],
    ['of another class', { resource_class: 'other' }],
    ['without the traits', { traits: [] }],
  ])('refuse a node that is %s', async (_, values) => {
    await create(1, { traits: ['T1'], candidate_filter: OWN });
    const state = { provision_state: 'active', owner: 'p-a', traits: ['T1'] };
    const node = await add(2, { ...state, ...values });
    expect(await backfill(1, 2)).toMatchObject({ status: 409, body: { code: 'node_taken' } });
    expect(await nodeOf(2)).toEqual(node);
  });

  it('must be requested as such', async () => {
    await create(1);
    await add(2, { provision_state: 'active' });
    expect((await claim(1, 2)).body).toMatchObject({ code: 'node_taken' });
  });
});

describe('queries of the store', () => {
  it('may be one row more than a page, and no more', async () => {
    for (let number = 1; number <= 1002; number += 1) await create(number, { name: null });
    const list = async (query: string): Promise<number> => {
      const { body } = await app.call({
        from: 'allocation',
        target: `/internal/allocations${query}`,
        context: { obligations: seesAll },
      });
      return (body as { allocations: unknown[] }).allocations.length;
    };
    expect(await list('?limit=1001')).toBe(1001);
    expect(await list('?limit=5000')).toBe(1001);
    expect(await list('')).toBe(1000);
  });

  it('is refused while a condition of the decision does not hold', async () => {
    await create(1);
    const change = (method: string, value: string, body?: unknown) =>
      app.call({
        from: 'allocation',
        method,
        target: `/internal/allocations/${uuidOf(1)}`,
        context: {
          obligations: {
            ...seesAll,
            conditions: [{ field: 'state', op: 'ne', value, action: 'baremetal:allocation:x' }],
          },
        },
        ...(body !== undefined && { body }),
      });
    const body = { expected_revision: 1, set: { extra: { a: 1 } } };
    expect((await change('PATCH', 'allocating', body)).body).toMatchObject({
      status: 409,
      code: 'condition_not_met',
      detail: `Cannot update allocation ${uuidOf(1)} while its state is allocating; baremetal:allocation:x is required.`,
    });
    expect((await change('DELETE', 'allocating')).status).toBe(409);
    expect((await change('PATCH', 'active', body)).status).toBe(200);
    expect((await change('DELETE', 'active')).status).toBe(204);
  });
});

describe('candidates', () => {
  it('are free nodes of the class, under the filter', async () => {
    await add(1, { owner: 'p-a' });
    await add(2, { lessee: 'p-a' });
    await add(3, { owner: 'p-b' });
    const ask = (more: object) =>
      post('/internal/candidates', {
        resource_class: 'baremetal',
        traits: [],
        candidate_nodes: [],
        filter: seesOwn('p-a').filter,
        limit: 10,
        ...more,
      });
    expect((await ask({})).body).toEqual({
      nodes: [
        { uuid: uuidOf(1), name: 'n1' },
        { uuid: uuidOf(2), name: 'n2' },
      ],
    });
    expect((await ask({ candidate_nodes: [uuidOf(2), uuidOf(3)] })).body).toEqual({
      nodes: [{ uuid: uuidOf(2), name: 'n2' }],
    });
    expect((await ask({ name: 'n2' })).body).toEqual({ nodes: [{ uuid: uuidOf(2), name: 'n2' }] });
    expect((await ask({ name: 'n3' })).body).toEqual({ nodes: [] });
    expect((await ask({ filter: { mode: 'none', predicates: [] } })).body).toEqual({ nodes: [] });
  });

  it('are resolved by name and uuid; what is invisible is missing', async () => {
    await add(1, { owner: 'p-a' });
    await add(2, { owner: 'p-b' });
    const answer = await post('/internal/candidates/resolve', {
      idents: ['n1', uuidOf(1), 'n2', 'n9'],
      filter: seesOwn('p-a').filter,
    });
    expect(answer.body).toEqual({
      found: [
        { ident: 'n1', uuid: uuidOf(1) },
        { ident: uuidOf(1), uuid: uuidOf(1) },
      ],
      missing: ['n2', 'n9'],
    });
  });
});
