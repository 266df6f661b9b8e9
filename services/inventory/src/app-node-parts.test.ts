import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ContextStatement } from '@tenure/signed-context';
import { faultOf } from '@tenure/testing';
import { type Actor, recordEvent } from './application/node-history.js';
import { makeNode, uuidOf } from './testing/fixtures.js';
import { masking, NOW, startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await startTestApp();
  for (const number of [1, 2])
    await app.stores.nodes.insert((epoch) =>
      makeNode({ uuid: uuidOf(number), name: `n${String(number)}` }, epoch),
    );
});
afterEach(() => app.close());

const get = (below: string, context: Partial<ContextStatement> = {}) =>
  app.onNode(uuidOf(1), { below, context: { api_version: '1.115', ...context } });
const keep = (kind: string, document: unknown) =>
  app.call({
    from: 'conductor',
    method: 'PUT',
    target: `/internal/nodes/${uuidOf(1)}/documents/${kind}`,
    body: { document },
  });
const MOMENTS = { created_at: '2026-11-21T08:00:00+00:00', updated_at: null };

describe('BIOS settings', () => {
  const links = (name: string) => [
    { href: `http://127.0.0.1:6385/v1/nodes/${uuidOf(1)}/bios/${name}`, rel: 'self' },
    { href: `http://127.0.0.1:6385/nodes/${uuidOf(1)}/bios/${name}`, rel: 'bookmark' },
  ];
  const settings = [
    { name: 'VT', value: 'on', attribute_type: 'Enumeration', allowable_values: ['on', 'off'] },
    { name: 'AdminPwd', value: 'geheim', attribute_type: 'Password' },
  ];

  it('of a node that has none are an empty list', async () => {
    expect((await get('/bios')).body).toEqual({ bios: [] });
  });

  it('are listed briefly, and passwords for nobody', async () => {
    expect((await keep('bios', { settings })).status).toBe(204);
    for (const api_version of ['1.40', '1.115'])
      expect((await get('/bios', { api_version })).body).toEqual({
        bios: [
          { ...MOMENTS, name: 'VT', value: 'on', links: links('VT') },
          { ...MOMENTS, name: 'AdminPwd', value: '******', links: links('AdminPwd') },
        ],
      });
  });

  const WHOLE = {
    ...MOMENTS,
    name: 'VT',
    value: 'on',
    attribute_type: 'Enumeration',
    allowable_values: ['on', 'off'],
    lower_bound: null,
    max_length: null,
    min_length: null,
    read_only: null,
    reset_required: null,
    unique: null,
    upper_bound: null,
    links: links('VT'),
  };

  it('are listed with the registry on demand', async () => {
    await keep('bios', { settings: settings.slice(0, 1) });
    expect((await get('/bios?detail=true')).body).toEqual({ bios: [WHOLE] });
    expect((await get('/bios?fields=value,attribute_type')).body).toEqual({
      bios: [{ value: 'on', attribute_type: 'Enumeration', links: links('VT') }],
    });
  });

  it('are returned one by one', async () => {
    await keep('bios', { settings });
    expect((await get('/bios/VT')).body).toEqual({ VT: WHOLE });
    expect((await get('/bios/VT', { api_version: '1.73' })).body).toEqual({
      VT: { ...MOMENTS, name: 'VT', value: 'on', links: links('VT') },
    });
  });

  it.each(['/bios/Nope', '/bios/toString'])(
    'of which there is none (%s) are a missing part',
    async (below) => {
      await keep('bios', { settings });
      const answer = await get(below);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('x-tenure-missing')).toBe('part');
    },
  );

  it.each([
    ['?detail=true', '1.73', 406],
    ['?fields=name', '1.73', 406],
    ['?fields=nope', '1.74', 400],
    ['?detail=true&fields=name', '1.74', 400],
    ['?detail=perhaps', '1.74', 400],
    ['?nope=1', '1.74', 400],
  ])('requested with %s at %s are refused', async (query, api_version, status) => {
    expect((await get(`/bios${query}`, { api_version })).status).toBe(status);
  });
});

describe('firmware', () => {
  const components = [
    { component: 'bmc', initial_version: '1', current_version: '2', vendor: 'x', other: 1 },
  ];
  const VIEW = {
    ...MOMENTS,
    component: 'bmc',
    initial_version: '1',
    current_version: '2',
    last_version_flashed: null,
  };

  it('is returned with the members of its version', async () => {
    expect((await get('/firmware')).body).toEqual({ firmware: [] });
    await keep('firmware', { components });
    expect((await get('/firmware', { api_version: '1.113' })).body).toEqual({ firmware: [VIEW] });
    expect((await get('/firmware')).body).toEqual({
      firmware: [{ ...VIEW, vendor: 'x', model: null, serial: null }],
    });
  });
});

describe('an inventory', () => {
  it('that there is none of is a missing part', async () => {
    const answer = await get('/inventory');
    expect(answer.status).toBe(404);
    expect(answer.headers.get('x-tenure-missing')).toBe('part');
    expect(faultOf(answer)).toBe(`Node inventory record for node ${uuidOf(1)} could not be found.`);
  });

  it('is returned as it was found', async () => {
    await keep('inventory', { inventory: { cpu: { count: 4 } }, plugin_data: { 'a.b': [1] } });
    expect((await get('/inventory')).body).toEqual({
      inventory: { cpu: { count: 4 } },
      plugin_data: { 'a.b': [1] },
    });
  });
});

async function fail(
  number: number,
  values: Partial<Actor & { readonly event: string }> = {},
  node = 1,
) {
  const severity = 'ERROR' as const;
  const failure = { severity, event: `failure ${String(number)}`, event_type: null };
  const actor = { conductor: 'host-a', user: 'u-1' };
  const now = () => new Date(NOW);
  await recordEvent({ stores: app.stores, now }, uuidOf(node), { ...failure, ...actor, ...values });
}

interface Listed {
  readonly history: readonly { readonly uuid: string; readonly event: string }[];
  readonly next?: string;
}
const history = async (query = '', context: Partial<ContextStatement> = {}) =>
  (await get(`/history${query}`, context)).body as Listed;

describe('a history', () => {
  it('is listed briefly, oldest first', async () => {
    expect(await history()).toEqual({ history: [] });
    await fail(1);
    await fail(2);
    await fail(9, {}, 2);
    const { history: entries } = await history();
    const [first] = entries;
    expect(entries.map(({ event }) => event)).toEqual(['failure 1', 'failure 2']);
    expect(first).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/u),
      created_at: '2026-11-21T08:00:00+00:00',
      severity: 'ERROR',
      event: 'failure 1',
      links: [
        {
          href: `http://127.0.0.1:6385/v1/nodes/${uuidOf(1)}/history/${first?.uuid ?? ''}`,
          rel: 'self',
        },
        {
          href: `http://127.0.0.1:6385/nodes/${uuidOf(1)}/history/${first?.uuid ?? ''}`,
          rel: 'bookmark',
        },
      ],
    });
  });

  it('is returned whole in detail, and entry by entry', async () => {
    await fail(1);
    const [entry] = (await history('?detail=true')).history;
    expect(entry).toMatchObject({
      severity: 'ERROR',
      event: 'failure 1',
      event_type: null,
      conductor: 'host-a',
      user: 'u-1',
    });
    expect((await get(`/history/${entry?.uuid ?? ''}`)).body).toEqual(entry);
    expect((await history('?fields=event')).history).toEqual([
      { event: 'failure 1', links: expect.any(Array) },
    ]);
  });

  it('is paged', async () => {
    for (const number of [1, 2, 3]) await fail(number);
    const first = await history('?limit=2&detail=true');
    expect(first.history.map(({ event }) => event)).toEqual(['failure 1', 'failure 2']);
    const last = first.history[1]?.uuid ?? '';
    expect(first.next).toBe(
      `http://127.0.0.1:6385/v1/nodes/${uuidOf(1)}/history?detail=true&limit=2&marker=${last}`,
    );
    const second = await history(`?limit=2&marker=${last}`);
    expect(second.history.map(({ event }) => event)).toEqual(['failure 3']);
    expect(second.next).toBeUndefined();
  });

  it('does not reveal what is masked on the node itself', async () => {
    await fail(1, { event: 'bmc 10.0.0.7 refused' });
    const obligations = masking('conductor', 'last_error');
    for (const query of ['', '?detail=true', '?fields=event,conductor'])
      expect(JSON.stringify(await history(query, { obligations }))).not.toMatch(
        /host-a|10\.0\.0\.7/u,
      );
    const [entry] = (await history('?detail=true', { obligations })).history;
    expect(entry).toMatchObject({ event: null, conductor: null, user: 'u-1' });
    const one = await get(`/history/${entry?.uuid ?? ''}`, { obligations });
    expect(one.body).toMatchObject({ event: null, conductor: null });
  });

  it('has no entries of other nodes', async () => {
    await fail(1, {}, 2);
    const [foreign] = await app.stores.nodeHistory.list({
      anyOf: null,
      where: [],
      order: { field: null, descending: false },
      after: null,
      limit: 1,
    });
    for (const below of [
      `/${foreign?.uuid ?? ''}`,
      `/${uuidOf(9)}`,
      `?marker=${foreign?.uuid ?? ''}`,
    ]) {
      const answer = await get(`/history${below}`);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('x-tenure-missing')).toBe('part');
    }
  });

  it.each(['?limit=0', '?limit=x', '?fields=nope', '?detail=true&fields=event', '?sort_key=event'])(
    'requested with %s is refused',
    async (query) => {
      expect((await get(`/history${query}`)).status).toBe(400);
    },
  );
});

describe('what is kept of a node', () => {
  it('goes with it', async () => {
    await keep('bios', { settings: [] });
    await fail(1);
    await fail(2, {}, 2);
    expect((await app.onNode(uuidOf(1), { method: 'DELETE' })).status).toBe(204);
    expect(await app.stores.nodeDocuments.findBy('uuid', `${uuidOf(1)}:bios`)).toBeUndefined();
    const left = await app.stores.nodeHistory.list({
      anyOf: null,
      where: [],
      order: { field: null, descending: false },
      after: null,
      limit: 10,
    });
    expect(left.map((entry) => entry.node_uuid)).toEqual([uuidOf(2)]);
  });

  it.each(['/traits', '/bios', '/bios/x', '/firmware', '/inventory', '/history', '/children'])(
    'is not returned (%s) on a decision about another tenancy, nor of a missing node',
    async (below) => {
      const resources = [{ type: 'node', uuid: uuidOf(1), tenancy_revision: 7 }];
      expect((await get(below, { resources })).status).toBe(412);
      const missing = [{ type: 'node', uuid: uuidOf(9), tenancy_revision: 1 }];
      const answer = await get(below, { resources: missing });
      expect(answer.status).toBe(404);
      expect(answer.headers.get('x-tenure-missing')).toBeNull();
      expect((await get(below, { resources: [] })).status).toBe(401);
    },
  );
});
