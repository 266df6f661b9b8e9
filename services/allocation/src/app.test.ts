import { beforeEach, describe, expect, it } from '@jest/globals';
import { type AllocationRecord } from '@tenure/contracts';
import { createLogger } from '@tenure/process';
import { FakeInventory, faultOf, keyPair, nodesOf, NONE } from '@tenure/testing';
import { type Express } from 'express';
import request, { type Response } from 'supertest';
import { createApp } from './app.js';
import { freeNode } from './testing/free-node.js';
import { type Call, rowsOf, send } from './testing/gateway-caller.js';

const UUID_1 = '11111111-1111-4111-8111-111111111111';
const UUID_2 = '22222222-2222-4222-8222-222222222222';
const UUID_3 = '33333333-3333-4333-8333-333333333333';
const keys = keyPair('gateway', 'allocation');
const logger = createLogger('test', 'fatal');

let inventory: FakeInventory;
let app: Express;
let submitted: string[];

beforeEach(() => {
  inventory = new FakeInventory([
    freeNode('node-own', { name: 'mine', owner: 'p-1' }),
    freeNode('node-leased', { name: 'leased', owner: 'p-2', lessee: 'p-1' }),
    freeNode('node-foreign', { name: 'foreign', owner: 'p-2' }),
  ]);
  inventory.now = () => new Date('2026-11-21T07:11:13.330Z');
  submitted = [];
  app = createApp({
    keys: keys.audience,
    logger,
    store: inventory.store,
    pool: inventory.pool,
    submit: ({ uuid }) => {
      submitted.push(uuid);
    },
  });
});

const call = (one: Call): Promise<Response> => send(app, keys.caller, one);
const post = (body: unknown, more: Partial<Call> = {}): Promise<Response> =>
  call({ method: 'post', target: '/v1/allocations', body, ...more });
function put(record: Partial<AllocationRecord> & { readonly uuid: string }): void {
  inventory.allocations.set(record.uuid, {
    name: null,
    owner: null,
    resource_class: 'baremetal',
    traits: [],
    candidate_nodes: [],
    extra: {},
    state: 'active',
    node_uuid: null,
    last_error: null,
    created_at: '2026-11-21T07:11:13.330Z',
    updated_at: null,
    candidate_filter: { mode: 'all', predicates: [] },
    revision: 1,
    ...record,
  });
}

describe('POST /v1/allocations', () => {
  it('answers 201 with a location, and works on it after that', async () => {
    const answer = await post({ resource_class: 'baremetal', name: 'al-s', uuid: UUID_1 });
    expect(answer.status).toBe(201);
    expect(answer.headers['location']).toBe(`http://api.example:6385/v1/allocations/${UUID_1}`);
    expect(answer.text).toBe(
      JSON.stringify({
        uuid: UUID_1,
        created_at: '2026-11-21T07:11:13+00:00',
        updated_at: null,
        candidate_nodes: [],
        extra: {},
        last_error: null,
        name: 'al-s',
        owner: null,
        resource_class: 'baremetal',
        state: 'allocating',
        traits: [],
        links: [
          { href: `http://api.example:6385/v1/allocations/${UUID_1}`, rel: 'self' },
          { href: `http://api.example:6385/allocations/${UUID_1}`, rel: 'bookmark' },
        ],
        node_uuid: null,
      }),
    );
    expect(submitted).toEqual([UUID_1]);
  });

  it('makes a uuid when none is given', async () => {
    const answer = await post({ resource_class: 'baremetal' });
    expect(submitted).toHaveLength(1);
    expect((answer.body as { uuid: string }).uuid).toBe(submitted[0]);
  });

  it('writes the owner that the policy forces, whatever the body says', async () => {
    await post(
      { resource_class: 'baremetal', uuid: UUID_1, owner: 'p-9' },
      { set: { owner: 'p-1' }, filter: nodesOf('p-1') },
    );
    expect(inventory.allocations.get(UUID_1)).toMatchObject({
      owner: 'p-1',
      candidate_filter: {
        mode: 'any_of',
        predicates: [
          { field: 'owner', op: 'eq', value: 'p-1' },
          { field: 'lessee', op: 'eq', value: 'p-1' },
        ],
      },
    });
  });

  it('lets an unrestricted caller choose any owner, and then takes only nodes of that owner or lessee', async () => {
    await post({ resource_class: 'baremetal', uuid: UUID_1, owner: 'p-2' });
    expect(inventory.allocations.get(UUID_1)).toMatchObject({
      owner: 'p-2',
      candidate_filter: {
        mode: 'any_of',
        predicates: [
          { field: 'owner', op: 'eq', value: 'p-2' },
          { field: 'lessee', op: 'eq', value: 'p-2' },
        ],
      },
    });
  });

  it('leaves the owner of an unrestricted allocation null when none is given', async () => {
    await post({ resource_class: 'baremetal', uuid: UUID_1 });
    expect(inventory.allocations.get(UUID_1)).toMatchObject({
      owner: null,
      candidate_filter: { mode: 'all', predicates: [] },
    });
  });

  it('resolves candidate nodes, by name or uuid, once each', async () => {
    await post(
      {
        resource_class: 'baremetal',
        uuid: UUID_1,
        candidate_nodes: ['mine', 'node-leased', 'node-own'],
      },
      { filter: nodesOf('p-1') },
    );
    expect(inventory.allocations.get(UUID_1)?.candidate_nodes).toEqual(['node-own', 'node-leased']);
  });

  it('answers 400 alike for candidates that are unknown and invisible, named as they were sent', async () => {
    const answer = await post(
      { resource_class: 'baremetal', candidate_nodes: ['mine', 'foreign', 'nosuch'] },
      { filter: nodesOf('p-1') },
    );
    expect(answer.status).toBe(400);
    expect(faultOf(answer)).toBe(
      'Nodes with the following name(s) or UUID(s) could not be found: foreign, nosuch',
    );
    expect(inventory.allocations.size).toBe(0);
  });

  it('answers 409 for a name that is in use', async () => {
    await post({ resource_class: 'baremetal', name: 'al-s' });
    const answer = await post({ resource_class: 'baremetal', name: 'al-s' });
    expect(answer.status).toBe(409);
    expect(faultOf(answer)).toBe('An allocation with name al-s already exists.');
    expect(submitted).toHaveLength(1);
  });

  it('answers 409 for a uuid that is in use', async () => {
    await post({ resource_class: 'baremetal', uuid: UUID_1 });
    const answer = await post({ resource_class: 'baremetal', uuid: UUID_1 });
    expect(answer.status).toBe(409);
    expect(faultOf(answer)).toBe(`An allocation with UUID ${UUID_1} already exists.`);
  });

  it.each([
    ['no resource class', { name: 'x' }],
    ['an unknown member', { resource_class: 'b', bogus: 1 }],
    ['a state', { resource_class: 'b', state: 'active' }],
    ['a name like a uuid', { resource_class: 'b', name: UUID_1 }],
    [
      'a name like a uuid without dashes',
      { resource_class: 'b', name: UUID_1.replaceAll('-', '') },
    ],
    ['a name that is no host name', { resource_class: 'b', name: 'a b' }],
    ['a name that is a dot segment', { resource_class: 'b', name: '..' }],
    ['an empty name', { resource_class: 'b', name: '' }],
    ['a long name', { resource_class: 'b', name: 'a'.repeat(256) }],
    ['a long resource class', { resource_class: 'b'.repeat(81) }],
    ['a lower-case trait', { resource_class: 'b', traits: ['custom_x'] }],
    ['a trait of no namespace', { resource_class: 'b', traits: ['FAST'] }],
    [
      'too many traits',
      {
        resource_class: 'b',
        traits: Array.from({ length: 51 }, (_, index) => `CUSTOM_${String(index)}`),
      },
    ],
    ['an empty owner', { resource_class: 'b', owner: '' }],
    ['a bad uuid', { resource_class: 'b', uuid: 'x' }],
    ['extra that is a list', { resource_class: 'b', extra: [] }],
    ['a body that is a list', []],
  ])('answers 400 for %s', async (_what, body) => {
    expect((await post(body)).status).toBe(400);
    expect(inventory.allocations.size).toBe(0);
  });

  it('answers 406 for an owner before 1.60 and a node before 1.58', async () => {
    expect((await post({ resource_class: 'b', owner: 'p-1' }, { version: '1.59' })).status).toBe(
      406,
    );
    expect((await post({ node: 'mine' }, { version: '1.57' })).status).toBe(406);
  });

  it('hides the owner before 1.60', async () => {
    expect((await post({ resource_class: 'b' }, { version: '1.59' })).body).not.toHaveProperty(
      'owner',
    );
  });

  it('backfills a node that the caller may use', async () => {
    const answer = await post(
      { node: 'mine', uuid: UUID_1 },
      { filter: nodesOf('p-1'), set: { owner: 'p-1' } },
    );
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ state: 'active', node_uuid: 'node-own', owner: 'p-1' });
    expect(submitted).toEqual([]);
  });

  it('backfills a node that is in use, and takes its resource class', async () => {
    inventory.put(freeNode('node-active', { provision_state: 'active', resource_class: 'g' }));
    const answer = await post({ node: 'node-active', uuid: UUID_1 });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      state: 'active',
      node_uuid: 'node-active',
      resource_class: 'g',
      last_error: null,
    });
  });

  it('answers 400 to a backfill of a node that is deleted meanwhile, and leaves nothing behind', async () => {
    inventory.pool.beforeClaim = () => {
      inventory.nodes.delete('node-own');
    };
    const answer = await post({ node: 'mine' });
    expect(answer.status).toBe(400);
    expect(faultOf(answer)).toBe(
      'Nodes with the following name(s) or UUID(s) could not be found: mine',
    );
    expect(inventory.allocations.size).toBe(0);
  });

  it('answers 400 to a backfill of an invisible node as of an unknown one', async () => {
    const hidden = await post({ node: 'foreign' }, { filter: nodesOf('p-1') });
    const unknown = await post({ node: 'nosuch' }, { filter: nodesOf('p-1') });
    expect([hidden.status, unknown.status]).toEqual([400, 400]);
    expect(faultOf(hidden)).toBe(
      'Nodes with the following name(s) or UUID(s) could not be found: foreign',
    );
    expect(faultOf(unknown)).toBe(
      'Nodes with the following name(s) or UUID(s) could not be found: nosuch',
    );
  });

  it('answers 409 to a backfill of a node that has an allocation, and leaves nothing behind', async () => {
    await post({ node: 'mine', uuid: UUID_1 });
    const answer = await post({ node: 'mine', uuid: UUID_2, name: 'second' });
    expect(answer.status).toBe(409);
    expect(faultOf(answer)).toBe('Node node-own is not available for this allocation.');
    expect([...inventory.allocations.keys()]).toEqual([UUID_1]);
  });

  it('passes all obligations of the policy to the inventory', async () => {
    await post({ node: 'mine' }, { masked: ['reservation'], set: { owner: 'p-1' } });
    expect(inventory.calls.map(({ name }) => name)).toEqual(['resolve', 'create', 'backfill']);
    for (const { context } of inventory.calls)
      expect(context.obligations).toEqual({
        filter: { mode: 'all', predicates: [] },
        fields: { masked: ['reservation'], read_only: [] },
        set: { owner: 'p-1' },
      });
  });

  it('answers 503 while the inventory is unavailable, and acknowledges nothing', async () => {
    inventory.failures = 1;
    expect((await post({ resource_class: 'b' })).status).toBe(503);
    expect(submitted).toEqual([]);
  });
});

describe('GET /v1/allocations', () => {
  beforeEach(() => {
    put({
      uuid: UUID_1,
      name: 'one',
      owner: 'p-1',
      node_uuid: 'node-own',
      created_at: '2026-11-21T07:00:01.000Z',
    });
    put({
      uuid: UUID_2,
      name: 'two',
      owner: 'p-2',
      state: 'error',
      created_at: '2026-11-21T07:00:02.000Z',
    });
    put({
      uuid: UUID_3,
      name: 'three',
      owner: 'p-1',
      resource_class: 'gpu',
      created_at: '2026-11-21T07:00:03.000Z',
    });
  });

  const list = (query: string, more: Partial<Call> = {}): Promise<Response> =>
    call({ method: 'get', target: `/v1/allocations${query}`, ...more });
  const namesOf = (answer: Response): unknown[] =>
    (answer.body as { allocations: { name: string }[] }).allocations.map(({ name }) => name);

  it('returns every row to a caller who may see all, and the header says so', async () => {
    const answer = await list('');
    expect(namesOf(answer)).toEqual(['one', 'two', 'three']);
    expect(answer.headers['x-tenure-policy-filter']).toBe('all');
    expect(answer.body).not.toHaveProperty('next');
  });

  it('returns a project its own rows, and the header says that they are filtered', async () => {
    const answer = await list('', { filter: rowsOf('p-1') });
    expect(namesOf(answer)).toEqual(['one', 'three']);
    expect(answer.headers['x-tenure-policy-filter']).toBe('owner');
  });

  it('gives nothing under no filter at all', async () => {
    const answer = await list('', { filter: NONE });
    expect(answer.status).toBe(200);
    expect(namesOf(answer)).toEqual([]);
    expect(answer.headers['x-tenure-policy-filter']).toBe('none');
  });

  it.each([
    ['?node=mine', ['one']],
    ['?node=node-own', ['one']],
    ['?node=node-foreign', []],
    ['?node=nosuch', []],
    ['?resource_class=gpu', ['three']],
    ['?state=error', ['two']],
    ['?state=nosuch', []],
    ['?owner=p-2', ['two']],
    ['?owner=p-1&resource_class=gpu', ['three']],
    ['?sort_key=id&sort_dir=desc', ['three', 'two', 'one']],
    ['?sort_key=name', ['one', 'three', 'two']],
    ['?sort_key=created_at&sort_dir=desc', ['three', 'two', 'one']],
  ])('takes %s', async (query, names) => {
    const answer = await list(query);
    expect(answer.status).toBe(200);
    expect(namesOf(answer)).toEqual(names);
  });

  it('takes a slash at the end, which ironicclient sends when it filters', async () => {
    const answer = await call({ method: 'get', target: '/v1/allocations/?resource_class=gpu' });
    expect([answer.status, namesOf(answer)]).toEqual([200, ['three']]);
  });

  it('gives no row of others for a filter on their owner', async () => {
    expect(namesOf(await list('?owner=p-2', { filter: rowsOf('p-1') }))).toEqual([]);
  });

  it('pages with next, to the end', async () => {
    const first = await list('?limit=2&sort_key=created_at');
    expect(namesOf(first)).toEqual(['one', 'two']);
    expect((first.body as { next: string }).next).toBe(
      `http://api.example:6385/v1/allocations?sort_key=created_at&limit=2&marker=${UUID_2}`,
    );
    const second = await list(`?limit=2&sort_key=created_at&marker=${UUID_2}`);
    expect(namesOf(second)).toEqual(['three']);
    expect(second.body).not.toHaveProperty('next');
  });

  it('answers 404 alike for a marker that is hidden and one that is missing', async () => {
    const hidden = await list(`?marker=${UUID_2}`, { filter: rowsOf('p-1') });
    const missing = await list('?marker=44444444-4444-4444-8444-444444444444', {
      filter: rowsOf('p-1'),
    });
    expect([hidden.status, missing.status]).toEqual([404, 404]);
    expect(faultOf(hidden)).toBe(`Allocation ${UUID_2} could not be found.`);
    expect(faultOf(missing)).toBe(
      'Allocation 44444444-4444-4444-8444-444444444444 could not be found.',
    );
  });

  it.each([
    ['node-own', 'node-foreign'],
    ['node-leased', 'nosuch'],
    ['nosuch', '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f'],
  ])('reveals nothing about a node by a marker: %s is as %s', async (one, other) => {
    const marker = '44444444-4444-4444-8444-444444444444';
    const ask = async (query: string): Promise<unknown> => {
      inventory.calls.splice(0);
      const answer = await list(query, { filter: rowsOf('p-9') });
      const steps = inventory.calls.map(({ name }) => name);
      return { status: answer.status, body: answer.body as unknown, steps };
    };
    const hidden = await ask(`?node=${one}&marker=${marker}`);
    expect(hidden).toMatchObject({ status: 404, steps: ['resolve', 'list'] });
    expect(await ask(`?node=${other}&marker=${marker}`)).toEqual(hidden);
    const empty = await ask(`?node=${one}`);
    expect(empty).toEqual({ status: 200, body: { allocations: [] }, steps: ['resolve', 'list'] });
    expect(await ask(`?node=${other}`)).toEqual(empty);
    expect(await ask(`?node=${one}&state=nosuch&marker=${marker}`)).toEqual(hidden);
    expect(await ask(`?state=nosuch&marker=${marker}`)).toMatchObject({
      status: 404,
      steps: ['list'],
    });
  });

  it.each([
    ['?node=', 'The query parameter node must not be empty.'],
    ['?limit=0', 'Limit must be positive'],
  ])('answers 400 to %s with a message about the parameter', async (query, sentence) => {
    const answer = await list(query);
    expect([answer.status, faultOf(answer)]).toEqual([400, sentence]);
    expect(inventory.calls).toEqual([]);
  });

  it('returns only the requested fields, and links', async () => {
    const answer = await list('?fields=uuid,state&limit=1');
    expect((answer.body as { allocations: unknown[] }).allocations).toEqual([
      {
        uuid: UUID_1,
        state: 'active',
        links: [
          { href: `http://api.example:6385/v1/allocations/${UUID_1}`, rel: 'self' },
          { href: `http://api.example:6385/allocations/${UUID_1}`, rel: 'bookmark' },
        ],
      },
    ]);
  });

  it.each([
    ['?bogus=1', 400],
    ['?limit=-1', 400],
    ['?limit=x', 400],
    ['?limit=1&limit=2', 400],
    ['?sort_key=extra', 400],
    ['?sort_dir=up', 400],
    ['?fields=uuid,revision', 400],
    ['?fields=candidate_filter', 400],
    [`?node=${'x'.repeat(300)}`, 400],
  ])('answers %s with %i', async (query, status) => {
    expect((await list(query)).status).toBe(status);
  });

  it.each(['?owner=p-1', '?fields=owner', '?sort_key=owner'])(
    'answers 406 to %s before 1.60',
    async (query) => {
      expect((await list(query, { version: '1.59' })).status).toBe(406);
    },
  );
});

describe('/v1/allocations/{id}', () => {
  beforeEach(() => {
    put({ uuid: UUID_1, name: 'one', owner: 'p-1', node_uuid: 'node-own', extra: { a: 1 } });
    inventory.put({ ...inventory.node('node-own'), allocation_uuid: UUID_1 });
  });
  const item = (method: 'get' | 'patch' | 'delete', more: Partial<Call> = {}): Promise<Response> =>
    call({ method, target: '/v1/allocations/one', resource: UUID_1, filter: NONE, ...more });
  const patch = (...body: readonly unknown[]): Promise<Response> => item('patch', { body });

  it('shows the allocation that was decided on', async () => {
    const answer = await item('get');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ uuid: UUID_1, name: 'one', node_uuid: 'node-own' });
    expect(answer.body).not.toHaveProperty('revision');
    expect(answer.body).not.toHaveProperty('candidate_filter');
  });

  it('masks what the policy masks', async () => {
    expect((await item('get', { masked: ['extra', 'node_uuid'] })).body).toMatchObject({
      extra: {},
      node_uuid: null,
    });
  });

  it('passes the masked fields to the inventory, and reads the row that was decided on', async () => {
    await item('delete', { masked: ['node_uuid'] });
    expect(inventory.calls).toHaveLength(1);
    expect(inventory.calls[0]?.context.obligations).toEqual({
      filter: { mode: 'all', predicates: [] },
      fields: { masked: ['node_uuid'], read_only: [] },
      set: {},
    });
  });

  it('answers 404 with the ident as sent, without a decision on it and when it is deleted', async () => {
    const undecided = await call({ method: 'get', target: '/v1/allocations/one' });
    inventory.allocations.clear();
    const missing = await item('get');
    expect([undecided.status, missing.status]).toEqual([404, 404]);
    expect([faultOf(undecided), faultOf(missing)]).toEqual([
      'Allocation one could not be found.',
      'Allocation one could not be found.',
    ]);
  });

  it('patches name and extra', async () => {
    const answer = await patch(
      { op: 'replace', path: '/name', value: 'uno' },
      { op: 'add', path: '/extra/b', value: { c: 2 } },
      { op: 'add', path: '/extra/b/d', value: 3 },
      { op: 'remove', path: '/extra/a' },
    );
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ name: 'uno', extra: { b: { c: 2, d: 3 } } });
    expect(inventory.allocations.get(UUID_1)).toMatchObject({
      name: 'uno',
      owner: 'p-1',
      extra: { b: { c: 2, d: 3 } },
    });
  });

  it('removes the name', async () => {
    expect((await patch({ op: 'remove', path: '/name' })).body).toMatchObject({ name: null });
  });

  it.each([
    { op: 'replace', path: '/owner', value: 'p-2' },
    { op: 'remove', path: '/owner' },
    { op: 'replace', path: '/node_uuid', value: 'x' },
    { op: 'replace', path: '/state', value: 'active' },
    { op: 'add', path: '/revision', value: 9 },
    { op: 'add', path: '/candidate_filter/mode', value: 'all' },
    { op: 'replace', path: '/name', value: 7 },
    { op: 'replace', path: '/name' },
    { op: 'replace', path: '/name', value: UUID_2 },
    { op: 'add', path: '/name/x', value: 'y' },
    { op: 'replace', path: '/extra', value: [] },
    { op: 'replace', path: '/extra/nosuch', value: 1 },
    { op: 'remove', path: '/extra/nosuch' },
    { op: 'add', path: '/extra/a/b', value: 1 },
    { op: 'add', path: '/extra/__proto__', value: { x: 1 } },
    { op: 'add', path: '/extra/constructor/prototype', value: 1 },
    { op: 'move', path: '/extra/b', from: '/name' },
    { op: 'test', path: '/name', value: 'one' },
    { op: 'add', path: 'extra', value: {} },
  ])('answers 400 to $op $path and changes nothing', async (operation) => {
    expect((await patch({ op: 'add', path: '/extra/first', value: 1 }, operation)).status).toBe(
      400,
    );
    expect(inventory.allocations.get(UUID_1)).toMatchObject({
      name: 'one',
      owner: 'p-1',
      extra: { a: 1 },
      revision: 1,
    });
  });

  it('answers 409 to a name that is in use', async () => {
    put({ uuid: UUID_2, name: 'two' });
    const answer = await patch({ op: 'replace', path: '/name', value: 'two' });
    expect(answer.status).toBe(409);
    expect(faultOf(answer)).toBe('An allocation with name two already exists.');
  });

  it('patches what changes at the same time', async () => {
    const answers = await Promise.all([
      patch({ op: 'add', path: '/extra/x', value: 1 }),
      patch({ op: 'add', path: '/extra/y', value: 2 }),
      patch({ op: 'add', path: '/extra/z', value: 3 }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(inventory.allocations.get(UUID_1)?.extra).toEqual({ a: 1, x: 1, y: 2, z: 3 });
  });

  it('deletes it and releases the node', async () => {
    const answer = await item('delete');
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(inventory.node('node-own').allocation_uuid).toBeNull();
    expect(inventory.allocations.size).toBe(0);
  });

  it('answers 409 while the node must keep it', async () => {
    inventory.put(freeNode('node-own', { provision_state: 'active', allocation_uuid: UUID_1 }));
    expect((await item('delete')).status).toBe(409);
    expect(inventory.allocations.size).toBe(1);
  });
});

describe('callers', () => {
  it('refuses a request without a context, also to a path that does not exist', async () => {
    expect((await request(app).get('/v1/allocations')).status).toBe(401);
    expect((await request(app).get('/nosuch')).status).toBe(401);
  });

  it('refuses every caller but the gateway', async () => {
    const conductor = keyPair('conductor', 'allocation');
    const other = createApp({
      keys: conductor.audience,
      logger,
      store: inventory.store,
      pool: inventory.pool,
      submit: () => undefined,
    });
    expect(
      (await send(other, conductor.caller, { method: 'get', target: '/v1/allocations' })).status,
    ).toBe(403);
  });

  it('lets the compute service ask for an allocation and give it back, and nothing else', async () => {
    const compute = keyPair('compute', 'allocation');
    const app = createApp({
      keys: compute.audience,
      logger,
      store: inventory.store,
      pool: inventory.pool,
      submit: () => undefined,
    });
    const target = `/v1/allocations/${UUID_1}`;
    const by = (one: Call) => send(app, compute.caller, one);
    const body = { uuid: UUID_1, resource_class: 'baremetal' };
    expect((await by({ method: 'post', target: '/v1/allocations', body })).status).toBe(201);
    expect((await by({ method: 'get', target: '/v1/allocations' })).status).toBe(403);
    expect((await by({ method: 'get', target, resource: UUID_1 })).status).toBe(403);
    const patch = [{ op: 'replace', path: '/name', value: 'x' }];
    expect((await by({ method: 'patch', target, resource: UUID_1, body: patch })).status).toBe(403);
    expect((await by({ method: 'get', target: '/v1/nodes/mine/allocation' })).status).toBe(403);
    expect((await by({ method: 'delete', target, resource: UUID_1 })).status).toBe(204);
    expect(inventory.allocations.size).toBe(0);
  });

  it('refuses a key of another pair', async () => {
    expect(
      (
        await send(app, keyPair('gateway', 'allocation').caller, {
          method: 'get',
          target: '/v1/allocations',
        })
      ).status,
    ).toBe(401);
  });

  it('answers 404 to what it does not serve', async () => {
    expect((await call({ method: 'put', target: '/v1/allocations' })).status).toBe(404);
  });
});

describe('/v1/nodes/{id}/allocation', () => {
  const nodeAllocation = (method: 'get' | 'delete', more: Partial<Call> = {}): Promise<Response> =>
    call({
      method,
      target: '/v1/nodes/mine/allocation',
      resource: UUID_1,
      node: 'node-own',
      filter: NONE,
      ...more,
    });
  beforeEach(() => {
    put({ uuid: UUID_1, name: 'one', owner: 'p-1', node_uuid: 'node-own' });
    inventory.put({ ...inventory.node('node-own'), allocation_uuid: UUID_1 });
  });

  it('shows the allocation that holds the node', async () => {
    const answer = await nodeAllocation('get');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ uuid: UUID_1, node_uuid: 'node-own', owner: 'p-1' });
  });

  it('returns only the requested fields', async () => {
    const answer = await nodeAllocation('get', { target: '/v1/nodes/mine/allocation?fields=name' });
    expect(Object.keys(answer.body as object)).toEqual(['name', 'links']);
  });

  it('removes it, and frees the node', async () => {
    expect((await nodeAllocation('delete')).status).toBe(204);
    expect(inventory.allocations.size).toBe(0);
    expect(inventory.node('node-own').allocation_uuid).toBeNull();
  });

  it.each(['get', 'delete'] as const)(
    'has %s decided again when it is bound to another node meanwhile',
    async (method) => {
      put({ uuid: UUID_1, name: 'one', owner: 'p-1', node_uuid: 'node-leased' });
      const answer = await nodeAllocation(method);
      expect(answer.status).toBe(412);
      expect(answer.headers['x-tenure-stale']).toBe('tenancy');
      expect(inventory.allocations.size).toBe(1);
    },
  );
});
