import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeNode, uuidOf } from './testing/fixtures.js';
import { masking, startTestApp, type TestApp } from './testing/test-app.js';

const SECRETS = /bmc-7|host-a|drv-secret|int-secret/u;
const MASKED = ['driver_info', 'driver_internal_info', 'last_error', 'reservation', 'conductor'];

let app: TestApp;
beforeEach(async () => {
  app = await startTestApp();
  await app.stores.nodes.insert((epoch) =>
    makeNode(
      {
        uuid: uuidOf(1),
        name: 'n1',
        owner: 'p-b',
        lessee: 'p-a',
        last_error: 'bmc-7 did not answer',
        driver_info: { address: 'drv-secret' },
        driver_internal_info: { agent_url: 'int-secret' },
      },
      epoch,
    ),
  );
  await app.call({
    from: 'conductor',
    method: 'PUT',
    target: '/internal/conductors/host-a',
    body: { drivers: ['fake-hardware'] },
  });
});
afterEach(() => app.close());

const inRows = {
  filter: {
    mode: 'any_of' as const,
    predicates: [{ field: 'lessee', op: 'eq' as const, value: 'p-a', masked: MASKED }],
  },
  fields: { masked: [], read_only: [] },
  set: {},
};
const fields = MASKED.join(',');

const one = (below: string) =>
  app.onNode(uuidOf(1), { below, context: { obligations: masking(...MASKED) } });
const list = (target: string) =>
  app.call({ from: 'gateway', target, context: { obligations: inRows } });
const patch = () =>
  app.onNode(uuidOf(1), {
    method: 'PATCH',
    body: [{ op: 'add', path: '/extra/a', value: 1 }],
    context: { obligations: masking(...MASKED) },
  });

function nodeIn(body: unknown): Readonly<Record<string, unknown>> {
  const { nodes } = body as { readonly nodes?: readonly Readonly<Record<string, unknown>>[] };
  return nodes?.[0] ?? (body as Readonly<Record<string, unknown>>);
}

const VALUES: Readonly<Record<string, unknown>> = {
  driver_info: {},
  driver_internal_info: {},
  last_error: null,
  reservation: true,
  conductor: null,
};

describe('what a caller may not see of a node', () => {
  it.each([
    ['GET', () => one('')],
    ['GET fields', () => one(`?fields=${fields}`)],
    ['states', () => one('/states')],
    ['the list with fields', () => list(`/v1/nodes?fields=${fields}`)],
    ['the list with detail', () => list('/v1/nodes?detail=true')],
    ['the list of details', () => list('/v1/nodes/detail')],
  ])('is masked in the same way in %s', async (_, ask) => {
    const node = await app.stores.nodes.findBy('uuid', uuidOf(1));
    if (node === undefined) throw new Error('no node');
    const reserved = { ...node, reservation: 'host-a', revision: node.revision + 1 };
    expect(await app.stores.nodes.swap(reserved, node.revision)).toBe(true);
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toMatch(SECRETS);
    const view = nodeIn(body);
    const masked = Object.entries(view).filter(([name]) => MASKED.includes(name));
    expect(masked.length).toBeGreaterThan(0);
    for (const [name, value] of masked) expect([name, value]).toEqual([name, VALUES[name]]);
  });

  it('is masked in the answer to PATCH', async () => {
    const { status, body } = await patch();
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toMatch(SECRETS);
    expect(body).toMatchObject({ ...VALUES, reservation: false, extra: { a: 1 } });
  });

  it('is masked in the answer to POST', async () => {
    const { status, body } = await app.call({
      from: 'gateway',
      method: 'POST',
      target: '/v1/nodes',
      body: { driver: 'fake-hardware', driver_info: { address: 'drv-secret' } },
      context: { obligations: masking(...MASKED) },
    });
    expect(status).toBe(201);
    expect(JSON.stringify(body)).not.toMatch(SECRETS);
  });
});
