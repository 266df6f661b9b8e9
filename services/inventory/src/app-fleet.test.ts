import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ContextStatement } from '@tenure/signed-context';
import { faultOf } from '@tenure/testing';
import { makeNode, uuidOf } from './testing/fixtures.js';
import { startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await startTestApp();
});
afterEach(() => app.close());

const get = (target: string, context: Partial<ContextStatement> = {}) =>
  app.call({ from: 'gateway', target, context: { api_version: '1.115', ...context } });

const POWER = { power: { default: 'redfish', enabled: ['redfish', 'fake'] } };

async function beat(hostname: string, body: Readonly<Record<string, unknown>> = {}) {
  const answer = await app.call({
    from: 'conductor',
    method: 'PUT',
    target: `/internal/conductors/${hostname}`,
    body: { drivers: ['redfish'], conductor_group: '', interfaces: { redfish: POWER }, ...body },
  });
  expect(answer.status).toBe(204);
}

const linksTo = (path: string) => [
  { href: `http://127.0.0.1:6385/v1/${path}`, rel: 'self' },
  { href: `http://127.0.0.1:6385/${path}`, rel: 'bookmark' },
];

describe('shards', () => {
  it('are counted', async () => {
    expect((await get('/v1/shards')).body).toEqual({ shards: [] });
    for (const [number, shard] of [null, 'b', 'a', 'b'].entries())
      await app.stores.nodes.insert((epoch) =>
        makeNode({ uuid: uuidOf(number), name: `n${String(number)}`, shard }, epoch),
      );
    expect((await get('/v1/shards')).body).toEqual({
      shards: [
        { name: 'None', count: 1 },
        { name: 'a', count: 1 },
        { name: 'b', count: 2 },
      ],
    });
    expect((await get('/v1/shards?nope=1')).status).toBe(400);
  });
});

describe('conductors', () => {
  beforeEach(async () => {
    await beat('host-b');
    app.setNow('2026-11-21T08:00:30.000Z');
    await beat('host-a', { conductor_group: 'rack1', drivers: ['redfish', 'fake-hardware'] });
  });

  const names = async (query: string) =>
    (
      (await get(`/v1/conductors${query}`)).body as {
        readonly conductors: readonly { readonly hostname: string }[];
      }
    ).conductors.map(({ hostname }) => hostname);

  it('are listed briefly, those too that no longer report', async () => {
    app.setNow('2026-11-21T08:01:10.000Z');
    const answer = await get('/v1/conductors');
    expect(answer.headers.get('x-tenure-policy-filter')).toBe('all');
    expect(answer.body).toEqual({
      conductors: [
        {
          hostname: 'host-b',
          conductor_group: '',
          links: linksTo('conductors/host-b'),
          alive: false,
        },
        {
          hostname: 'host-a',
          conductor_group: 'rack1',
          links: linksTo('conductors/host-a'),
          alive: true,
        },
      ],
    });
  });

  it('are returned whole, with when they first and last reported', async () => {
    app.setNow('2026-11-21T08:00:50.000Z');
    await beat('host-b');
    const whole = {
      created_at: '2026-11-21T08:00:00+00:00',
      updated_at: '2026-11-21T08:00:50+00:00',
      hostname: 'host-b',
      conductor_group: '',
      drivers: ['redfish'],
      links: linksTo('conductors/host-b'),
      alive: true,
    };
    expect((await get('/v1/conductors/host-b')).body).toEqual(whole);
    const { conductors } = (await get('/v1/conductors?detail=true')).body as {
      conductors: unknown[];
    };
    expect(conductors[0]).toEqual(whole);
    expect((await get('/v1/conductors/host-b?fields=alive')).body).toEqual({
      links: linksTo('conductors/host-b'),
      alive: true,
    });
  });

  it.each([
    ['', ['host-b', 'host-a']],
    ['?sort_dir=desc', ['host-a', 'host-b']],
    ['?sort_key=hostname', ['host-a', 'host-b']],
    ['?sort_key=conductor_group&sort_dir=desc', ['host-a', 'host-b']],
    ['?sort_key=created_at', ['host-b', 'host-a']],
    ['?sort_key=updated_at&sort_dir=desc', ['host-a', 'host-b']],
    ['?marker=host-b', ['host-a']],
    ['?limit=1', ['host-b']],
  ])('are listed with "%s" in this order', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it('are paged', async () => {
    expect((await get('/v1/conductors?limit=1&sort_key=hostname&detail=true')).body).toMatchObject({
      next: 'http://127.0.0.1:6385/v1/conductors?sort_key=hostname&detail=true&limit=1&marker=host-a',
    });
    expect((await get('/v1/conductors?limit=2')).body).not.toHaveProperty('next');
  });

  it.each([
    ['?sort_key=alive', 400],
    ['?sort_key=toString', 400],
    ['?sort_dir=up', 400],
    ['?limit=0', 400],
    ['?fields=nope', 400],
    ['?fields=alive&detail=true', 400],
    ['?marker=host-x', 404],
    ['/host-x', 404],
  ])('requested with %s are refused', async (query, status) => {
    expect((await get(`/v1/conductors${query}`)).status).toBe(status);
  });
});

describe('drivers', () => {
  const brief = (name: string, ...hosts: string[]) => ({
    name,
    hosts,
    links: linksTo(`drivers/${name}`),
    properties: linksTo(`drivers/${name}/properties`),
    type: 'dynamic',
  });

  beforeEach(async () => {
    await beat('host-b');
    const interfaces = {
      redfish: {
        power: { default: 'fake', enabled: ['fake', 'other'] },
        bios: { default: null, enabled: ['no-bios'] },
      },
    };
    await beat('host-a', { drivers: ['redfish', 'fake-hardware'], interfaces });
  });

  it('are those of all live conductors', async () => {
    expect((await get('/v1/drivers')).body).toEqual({
      drivers: [brief('fake-hardware', 'host-a'), brief('redfish', 'host-a', 'host-b')],
    });
    app.setNow('2026-11-21T08:00:50.000Z');
    await beat('host-b');
    app.setNow('2026-11-21T08:01:30.000Z');
    expect((await get('/v1/drivers')).body).toEqual({ drivers: [brief('redfish', 'host-b')] });
    expect((await get('/v1/drivers/fake-hardware')).status).toBe(404);
  });

  it.each([
    ['1.1', ['name', 'hosts', 'links']],
    ['1.14', ['name', 'hosts', 'links', 'properties']],
    ['1.30', ['name', 'hosts', 'links', 'properties', 'type']],
  ])('have at %s the members of then', async (api_version, expected) => {
    const { drivers } = (await get('/v1/drivers', { api_version })).body as { drivers: object[] };
    expect(Object.keys(drivers[0] ?? {})).toEqual(expected);
  });

  it.each([
    ['1.30', 9],
    ['1.33', 10],
    ['1.38', 11],
    ['1.40', 12],
    ['1.86', 13],
  ])('have at %s so many types of interfaces', async (api_version, count) => {
    const { body } = await get('/v1/drivers/redfish', { api_version });
    const members = Object.keys(body as object);
    expect(members.filter((name) => name.startsWith('default_'))).toHaveLength(count);
    expect(members.filter((name) => name.startsWith('enabled_'))).toHaveLength(count);
  });

  it('offer what their conductors offer together', async () => {
    const { body } = await get('/v1/drivers/redfish');
    expect(body).toMatchObject({
      ...brief('redfish', 'host-a', 'host-b'),
      default_power_interface: 'fake',
      enabled_power_interfaces: ['fake', 'other', 'redfish'],
      default_bios_interface: null,
      enabled_bios_interfaces: ['no-bios'],
      default_raid_interface: null,
      enabled_raid_interfaces: [],
    });
    const { drivers } = (await get('/v1/drivers?detail=true')).body as { drivers: unknown[] };
    expect(drivers[1]).toEqual(body);
  });

  it('are narrowed by type and by members', async () => {
    expect((await get('/v1/drivers?type=classic')).body).toEqual({ drivers: [] });
    expect((await get('/v1/drivers?type=dynamic&fields=name')).body).toEqual({
      drivers: [
        { name: 'fake-hardware', links: linksTo('drivers/fake-hardware') },
        { name: 'redfish', links: linksTo('drivers/redfish') },
      ],
    });
    expect((await get('/v1/drivers/redfish?fields=hosts')).body).toEqual({
      hosts: ['host-a', 'host-b'],
      links: linksTo('drivers/redfish'),
    });
  });

  it.each([
    ['?type=other', '1.115', 400],
    ['?type=dynamic', '1.29', 406],
    ['?detail=true', '1.29', 406],
    ['?fields=name', '1.76', 406],
    ['?fields=name&detail=true', '1.77', 400],
    ['?fields=default_firmware_interface', '1.85', 406],
    ['?fields=nope', '1.77', 400],
    ['/nope', '1.115', 404],
  ])('requested with %s at %s are refused', async (query, api_version, status) => {
    expect((await get(`/v1/drivers${query}`, { api_version })).status).toBe(status);
  });

  it('that nobody runs are said to be so', async () => {
    expect(faultOf(await get('/v1/drivers/nope'))).toBe(
      'Could not find the following driver(s) or hardware type(s): nope.',
    );
  });
});

describe('a heartbeat', () => {
  it.each([
    { interfaces: { redfish: { power: { default: 'x' } } } },
    { interfaces: { redfish: { power: { default: 1, enabled: [] } } } },
    { interfaces: { redfish: { power: { default: 'x', enabled: [], extra: 1 } } } },
    { interfaces: [] },
  ])('with interfaces of another form is refused (%#)', async (body) => {
    const answer = await app.call({
      from: 'conductor',
      method: 'PUT',
      target: '/internal/conductors/host-a',
      body: { drivers: [], ...body },
    });
    expect(answer.status).toBe(400);
  });
});
