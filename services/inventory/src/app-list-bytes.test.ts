import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeHandover } from './testing/custody.js';
import { makeNode, uuidOf } from './testing/fixtures.js';
import { seesAll, seesOwn, startTestApp, type TestApp } from './testing/test-app.js';

const KILOBYTE = 1024;
const LARGE = { text: 'x'.repeat(100 * KILOBYTE) };

let app: TestApp;
beforeEach(async () => {
  app = await startTestApp({ listBytes: 250 * KILOBYTE });
});
afterEach(() => app.close());

type Body = Readonly<Record<string, unknown>>;
interface Row {
  readonly uuid: string;
}

async function get(from: 'gateway' | 'allocation' | 'compute' | 'conductor', target: string) {
  const answer = await app.call({ from, target, context: { obligations: seesAll } });
  expect(answer.status).toBe(200);
  return answer.body as Body;
}
const numbersIn = (body: Body, collection: string): readonly number[] =>
  (body[collection] as readonly Row[]).map(({ uuid }) => Number(uuid.slice(-4)));

/** Follows `next` to the end: the numbers on each page. */
async function pagesOf(first: string, collection: string) {
  const pages: (readonly number[])[] = [];
  let path: string | undefined = first;
  while (path !== undefined && pages.length < 10) {
    const body: Body = await get('gateway', path);
    pages.push(numbersIn(body, collection));
    const { next } = body as { readonly next?: string };
    path = next?.replace(/^https?:\/\/[^/]+/u, '');
  }
  return pages;
}

const addNode = (number: number, values: Body = {}) =>
  app.stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(number), ...values }, epoch));

describe('a list whose rows are large', () => {
  it.each(['/v1/nodes/detail', '/v1/nodes?fields=uuid,extra', '/v1/nodes?detail=True&limit=1000'])(
    'of nodes has shorter pages, each with a link to the next (%s)',
    async (path) => {
      for (const number of [1, 2, 3, 4, 5]) await addNode(number, { extra: LARGE });
      expect(await pagesOf(path, 'nodes')).toEqual([[1, 2], [3, 4], [5]]);
    },
  );

  it('of nodes is complete when the large fields are not requested', async () => {
    for (const number of [1, 2, 3, 4, 5]) await addNode(number, { extra: LARGE });
    for (const path of ['/v1/nodes', '/v1/nodes?fields=uuid,conductor,traits'])
      expect(await pagesOf(path, 'nodes')).toEqual([[1, 2, 3, 4, 5]]);
  });

  it('has a row that is larger than a page on a separate page', async () => {
    await addNode(1, { extra: { text: 'x'.repeat(300 * KILOBYTE) } });
    await addNode(2);
    expect(await pagesOf('/v1/nodes/detail', 'nodes')).toEqual([[1], [2]]);
  });

  it('of nodes shows a lease that has ended as ended, whatever fields are requested', async () => {
    const over = '2026-11-21T07:00:00+00:00';
    await addNode(1, { owner: 'p-a', lessee: 'p-b', lessee_until: over, lease_uuid: uuidOf(9) });
    const answer = await app.call({
      from: 'gateway',
      target: '/v1/nodes?fields=uuid,lessee',
      context: { obligations: seesOwn('p-a') },
    });
    expect(answer.body).toMatchObject({ nodes: [{ uuid: uuidOf(1), lessee: null }] });
    const former = await app.call({
      from: 'gateway',
      target: '/v1/nodes?fields=uuid,lessee',
      context: { obligations: seesOwn('p-b') },
    });
    expect(former.body).toEqual({ nodes: [] });
  });

  it.each(['ports', 'portgroups'] as const)('of %s has shorter pages', async (section) => {
    await addNode(1);
    for (const number of [1, 2, 3])
      await app.stores.resources[section].insert((epoch) => ({
        uuid: uuidOf(number),
        node_uuid: uuidOf(1),
        address: `52:54:00:00:00:0${String(number)}`,
        name: null,
        extra: LARGE,
        created_at: '2026-11-21T07:10:57+00:00',
        updated_at: null,
        revision: epoch,
      }));
    expect(await pagesOf(`/v1/${section}/detail`, section)).toEqual([[1, 2], [3]]);
    expect(await pagesOf(`/v1/${section}`, section)).toEqual([[1, 2, 3]]);
  });

  it('of handovers has shorter pages', async () => {
    for (const number of [1, 2, 3])
      await app.stores.handovers.insert((epoch) => ({
        ...makeHandover(number, { sealed: { extra: LARGE } }),
        uuid: uuidOf(number),
        node_uuid: uuidOf(number),
        revision: epoch,
      }));
    expect(await pagesOf('/v1/handovers?detail=True', 'handovers')).toEqual([[1, 2], [3]]);
    expect(await pagesOf('/v1/handovers', 'handovers')).toEqual([[1, 2, 3]]);
  });

  it('of allocations reports further rows to its service, and has only the requested fields', async () => {
    for (const number of [1, 2, 3])
      await app.stores.allocations.insert((epoch) => ({
        uuid: uuidOf(number),
        name: null,
        owner: 'p-a',
        resource_class: null,
        traits: [],
        candidate_nodes: [],
        extra: LARGE,
        state: 'active',
        node_uuid: null,
        last_error: null,
        created_at: '2026-11-21T07:10:57+00:00',
        updated_at: null,
        candidate_filter: { mode: 'all', predicates: [] },
        revision: epoch,
        tenancy_revision: epoch,
      }));
    const path = '/internal/allocations';
    const whole = await get('allocation', path);
    expect([numbersIn(whole, 'allocations'), whole['more']]).toEqual([[1, 2], true]);
    const rest = await get('allocation', `${path}?marker=${uuidOf(2)}`);
    expect([numbersIn(rest, 'allocations'), rest['more']]).toEqual([[3], false]);
    expect(await get('allocation', `${path}?fields=uuid,state`)).toEqual({
      allocations: [1, 2, 3].map((number) => ({ uuid: uuidOf(number), state: 'active' })),
      more: false,
    });
    for (const unknown of ['tenancy_revision', 'a.b', 'candidate_filter', ''])
      expect(
        await app.call({
          from: 'allocation',
          target: `${path}?fields=${encodeURIComponent(unknown)}`,
          context: { obligations: seesAll },
        }),
      ).toMatchObject({ status: 400 });
  });

  it('of nodes reports further rows to a conductor', async () => {
    for (const number of [1, 2, 3]) await addNode(number, { extra: LARGE });
    const page = await get('conductor', '/internal/nodes?limit=500');
    expect([numbersIn(page, 'nodes'), page['more']]).toEqual([[1, 2], true]);
  });
});
