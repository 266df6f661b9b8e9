import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { faultOf } from '@tenure/testing';
import { uuidOf } from './testing/fixtures.js';
import { numbersIn, replacing, resourceCalls } from './testing/resource-calls.js';
import { NOTHING, seesAll, seesOwn, startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
const { add, addNode, create, list, on, stored } = resourceCalls(() => app);

// As the policy decides about what hangs on no node: allowed, without a filter.
const context = { obligations: NOTHING };

beforeEach(async () => {
  app = await startTestApp();
  await add('chassis', 51, { description: 'rack 7' });
  await addNode(1, { owner: 'p-a', chassis_uuid: uuidOf(51) });
  await addNode(2, { owner: 'p-b', chassis_uuid: uuidOf(51) });
  await addNode(3, { owner: 'p-a' });
});
afterEach(() => app.close());

describe('chassis', () => {
  it('are listed as a whole, and returned one by one', async () => {
    const answer = await list('/v1/chassis', context);
    expect(answer.headers.get('x-tenure-policy-filter')).toBe('all');
    expect(answer.body).toMatchObject({
      chassis: [{ uuid: uuidOf(51), description: 'rack 7', links: expect.anything() }],
    });
    expect(numbersIn(await list('/v1/chassis/detail', context), 'chassis')).toEqual([51]);
    const { body } = await on('chassis', 51, { context });
    expect(Object.keys(body as object)).toEqual([
      'uuid',
      'created_at',
      'updated_at',
      'description',
      'extra',
      'links',
      'nodes',
    ]);
    expect((body as { nodes: unknown[] }).nodes[0]).toEqual({
      href: `http://127.0.0.1:6385/v1/chassis/${uuidOf(51)}/nodes`,
      rel: 'self',
    });
  });

  it('are created, patched and deleted', async () => {
    const created = await create('chassis', null, { uuid: uuidOf(52), extra: { a: 1 } }, context);
    expect([created.status, created.body]).toEqual([
      201,
      expect.objectContaining({ description: null, extra: { a: 1 } }),
    ]);
    const twice = await create('chassis', null, { uuid: uuidOf(52) }, context);
    expect([twice.status, faultOf(twice)]).toEqual([
      409,
      `A chassis with UUID ${uuidOf(52)} already exists.`,
    ]);
    const patch = { method: 'PATCH', body: replacing('/description', 'x'), context };
    expect((await on('chassis', 52, patch)).body).toMatchObject({ description: 'x' });
    expect((await on('chassis', 52, { method: 'DELETE', context })).status).toBe(204);
    expect((await on('chassis', 52, { context })).status).toBe(404);
    const missing = await on('chassis', 52, { method: 'DELETE', context });
    expect(faultOf(missing)).toBe(`Chassis ${uuidOf(52)} could not be found.`);
  });

  it('with nodes stay', async () => {
    const answer = await on('chassis', 51, { method: 'DELETE', context });
    expect([answer.status, faultOf(answer)]).toEqual([
      400,
      `Cannot complete the requested action because chassis ${uuidOf(51)} contains nodes.`,
    ]);
    expect(await stored('chassis', 51)).toBeDefined();
  });
});

describe('the nodes of a chassis', () => {
  const target = `/v1/chassis/${uuidOf(51)}/nodes`;

  it('are the list of nodes, narrowed', async () => {
    expect(numbersIn(await list(target), 'nodes')).toEqual([1, 2]);
    expect(numbersIn(await list(`${target}/detail`), 'nodes')).toEqual([1, 2]);
    expect(numbersIn(await list(target, { obligations: seesOwn('p-b') }), 'nodes')).toEqual([2]);
    expect((await list(`${target}?limit=1`)).body).toMatchObject({
      next: expect.stringContaining(`${target}?`),
    });
    expect((await list(`/v1/chassis/${uuidOf(77)}/nodes`)).status).toBe(404);
  });

  it('are refused to who may not see what nodes stand in, whether or not there is such a chassis', async () => {
    const fields = { masked: ['chassis_uuid'], read_only: [] };
    const masked = { obligations: { ...seesAll, fields } };
    const answers = [
      await list(target, masked),
      await list(`/v1/chassis/${uuidOf(77)}/nodes`, masked),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
  });
});
