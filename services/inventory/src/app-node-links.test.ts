import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ContextStatement } from '@tenure/signed-context';
import { faultOf } from '@tenure/testing';
import { makeNode, uuidOf } from './testing/fixtures.js';
import { seesAll, seesOwn, startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await startTestApp();
  await add(1, { owner: 'p-a', shard: 'east' });
  await add(2, { owner: 'p-a', parent_node: uuidOf(1) });
  await add(3, { owner: 'p-b', lessee: 'p-a', parent_node: uuidOf(1), shard: 'west' });
  await add(4, { owner: 'p-b', parent_node: uuidOf(1) });
  await add(5, { owner: 'p-b', instance_name: 'web' });
});
afterEach(() => app.close());

const add = (number: number, values: Readonly<Record<string, unknown>>) =>
  app.stores.nodes.insert((epoch) =>
    makeNode({ uuid: uuidOf(number), name: `n${String(number)}`, ...values }, epoch),
  );
const stored = (number: number) => app.stores.nodes.findBy('uuid', uuidOf(number));

const LATEST = '1.115';
const list = (query: string, context: Partial<ContextStatement> = {}) =>
  app.call({
    from: 'gateway',
    target: `/v1/nodes${query}`,
    context: { obligations: seesAll, api_version: LATEST, ...context },
  });
const numbersIn = (body: unknown): readonly number[] =>
  (body as { readonly nodes: readonly { readonly uuid: string }[] }).nodes.map(({ uuid }) =>
    Number(uuid.slice(-4)),
  );

describe('lists', () => {
  it.each([
    ['', [1, 5]],
    ['?include_children=true', [1, 2, 3, 4, 5]],
    ['?include_children=false', [1, 5]],
    [`?parent_node=${uuidOf(1)}`, [2, 3, 4]],
    ['?parent_node=n1', [2, 3, 4]],
    [`?parent_node=${uuidOf(2)}`, []],
    ['?shard=east', [1]],
    ['?shard=east,west&include_children=true', [1, 3]],
    ['?shard=', []],
    ['?sharded=true', [1]],
    ['?sharded=false', [5]],
    ['?instance_name=web', [5]],
  ])('narrowed by "%s" hold these nodes', async (query, expected) => {
    expect(numbersIn((await list(query)).body)).toEqual(expected);
  });

  it.each([
    ['shard=a', '1.81'],
    ['sharded=true', '1.81'],
    [`parent_node=${uuidOf(1)}`, '1.82'],
    ['include_children=true', '1.82'],
    ['instance_name=web', '1.103'],
  ])('do not know %s at %s', async (query, version) => {
    expect((await list(`?${query}`, { api_version: version })).status).toBe(406);
  });

  it('hide children from old clients too', async () => {
    expect(numbersIn((await list('', { api_version: '1.1' })).body)).toEqual([1, 5]);
  });

  it('a parent that the caller may not see is as missing as one that does not exist', async () => {
    const asB = { obligations: seesOwn('p-b') };
    const hidden = await list(`?parent_node=${uuidOf(1)}`, asB);
    const missing = await list(`?parent_node=${uuidOf(9)}`, asB);
    expect(hidden.status).toBe(404);
    expect(faultOf(hidden)).toBe(`Node ${uuidOf(1)} could not be found.`);
    expect(faultOf(missing)).toBe(`Node ${uuidOf(9)} could not be found.`);
    expect([...hidden.headers.keys()]).toEqual([...missing.headers.keys()]);
  });

  it('carry the filters to the next page', async () => {
    const { body } = await list('?include_children=true&shard=east,west&limit=1');
    expect(body).toMatchObject({
      next: `http://127.0.0.1:6385/v1/nodes?sort_key=id&sort_dir=asc&fields=instance_uuid,maintenance,power_state,provision_state,uuid,name&include_children=true&shard=east,west&limit=1&marker=${uuidOf(1)}`,
    });
  });
});

describe('children of a node', () => {
  const children = (obligations = seesAll) =>
    app.onNode(uuidOf(1), { below: '/children', context: { obligations, api_version: LATEST } });

  it('are those that the caller may see', async () => {
    expect((await children()).body).toEqual({
      children: [uuidOf(2), uuidOf(3), uuidOf(4)],
      links: {
        href: `http://127.0.0.1:6385/v1/nodes?parent_node=${uuidOf(1)}`,
        rel: 'children',
      },
    });
    expect((await children(seesOwn('p-a'))).body).toMatchObject({
      children: [uuidOf(2), uuidOf(3)],
    });
  });

  it('keep their parent from being deleted', async () => {
    const answer = await app.onNode(uuidOf(1), { method: 'DELETE' });
    expect(answer.status).toBe(409);
    expect(await stored(1)).toBeDefined();
    for (const number of [2, 3, 4, 1])
      expect((await app.onNode(uuidOf(number), { method: 'DELETE' })).status).toBe(204);
  });
});

describe('a parent', () => {
  const link = (number: number, parent: unknown, obligations = seesAll) =>
    app.onNode(uuidOf(number), {
      method: 'PATCH',
      body: [{ op: 'replace', path: '/parent_node', value: parent }],
      context: { obligations, api_version: LATEST },
    });

  it('is given by uuid or name, and kept as uuid', async () => {
    await add(6, { owner: 'p-b' });
    for (const ident of ['n5', uuidOf(5)]) {
      const answer = await link(6, ident);
      expect(answer).toMatchObject({ status: 200, body: { parent_node: uuidOf(5) } });
      expect((await link(6, null)).body).toMatchObject({ parent_node: null });
    }
  });

  it('may be one that the filter lets through, whatever else the filter speaks of', async () => {
    await add(6, { owner: 'p-b' });
    const own = seesOwn('p-b');
    const volumes = { field: 'project_id', op: 'eq' as const, value: 'p-b' };
    const predicates = [volumes, ...own.filter.predicates];
    const linkable = { ...own, filter: { mode: 'any_of' as const, predicates } };
    expect((await link(6, uuidOf(5), linkable)).status).toBe(200);
    const volumesOnly = {
      ...own,
      filter: { mode: 'any_of' as const, predicates: [volumes] },
    };
    expect((await link(6, uuidOf(5), volumesOnly)).status).toBe(400);
  });

  it.each([
    ['is missing', 6, uuidOf(9), seesAll],
    ['has no such name', 6, 'nobody', seesAll],
    ['is not to be seen', 6, uuidOf(5), seesOwn('p-a')],
    ['has another owner', 6, uuidOf(1), seesAll],
    ['is the node itself', 6, uuidOf(6), seesAll],
    ['is a child', 6, uuidOf(4), seesAll],
    ['would be a grandparent', 1, uuidOf(7), seesAll],
  ])('that %s is refused with the same message', async (_, number, parent, obligations) => {
    await add(6, { owner: 'p-b' });
    await add(7, { owner: 'p-a' });
    const answer = await link(number, parent, obligations);
    expect(answer.status).toBe(400);
    expect(faultOf(answer)).toBe(`Node ${parent} cannot be the parent of this node.`);
    expect(await stored(number)).toMatchObject({ parent_node: null });

    const body = { driver: 'fake-hardware', parent_node: parent, owner: 'p-b', uuid: uuidOf(8) };
    if (number === 1 || parent === uuidOf(6)) return;
    const context = { obligations, api_version: LATEST };
    const made = await app.call({
      from: 'gateway',
      method: 'POST',
      target: '/v1/nodes',
      body,
      context,
    });
    expect(made.status).toBe(400);
    expect(faultOf(made)).toBe(`Node ${parent} cannot be the parent of this node.`);
    expect(await stored(8)).toBeUndefined();
  });

  it('is judged with the owner that the same request gives', async () => {
    await add(6, { owner: 'p-c' });
    const body = [
      { op: 'replace', path: '/parent_node', value: uuidOf(5) },
      { op: 'replace', path: '/owner', value: 'p-b' },
    ];
    const answer = await app.onNode(uuidOf(6), {
      method: 'PATCH',
      body,
      context: { obligations: seesAll, api_version: LATEST },
    });
    expect(answer).toMatchObject({ status: 200, body: { parent_node: uuidOf(5), owner: 'p-b' } });
  });

  it('and its children keep their owner until the link is removed', async () => {
    const give = (number: number, ...more: readonly object[]) =>
      app.onNode(uuidOf(number), {
        method: 'PATCH',
        body: [{ op: 'replace', path: '/owner', value: 'p-c' }, ...more],
        context: { obligations: seesAll, api_version: LATEST },
      });
    for (const number of [1, 2]) {
      const answer = await give(number);
      expect([answer.status, faultOf(answer)]).toEqual([
        409,
        `Cannot change owner of node ${uuidOf(number)}: it is the parent or a child of another node; remove that link first.`,
      ]);
    }
    expect((await give(2, { op: 'remove', path: '/parent_node' })).status).toBe(200);
    expect((await give(5)).status).toBe(200);
  });

  it('that is wrong is reported before the state of the node', async () => {
    await add(6, { owner: 'p-b', reservation: 'c1' });
    expect((await link(6, uuidOf(9))).status).toBe(400);
    expect((await link(6, uuidOf(5))).status).toBe(409);
  });

  it('is given to a new node', async () => {
    const body = { driver: 'fake-hardware', parent_node: 'n5', owner: 'p-b' };
    const answer = await app.call({
      from: 'gateway',
      method: 'POST',
      target: '/v1/nodes',
      body,
      context: { obligations: seesAll, api_version: LATEST },
    });
    expect(answer).toMatchObject({ status: 201, body: { parent_node: uuidOf(5) } });
  });
});
