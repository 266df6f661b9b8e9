import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ContextStatement } from '@tenure/signed-context';
import { faultOf } from '@tenure/testing';
import { makeNode, uuidOf } from './testing/fixtures.js';
import { seesAll, seesOwn, startTestApp, type TestApp } from './testing/test-app.js';

const MASKED_FOR_LESSEE = [
  'driver_info',
  'driver_internal_info',
  'last_error',
  'reservation',
  'conductor',
  'chassis_uuid',
];

let app: TestApp;
beforeEach(async () => {
  app = await startTestApp();
  await add(1, {
    owner: 'p-a',
    provision_state: 'available',
    resource_class: 'gold',
    last_error: 'own trouble',
  });
  await add(2, {
    owner: 'p-b',
    lessee: 'p-a',
    provision_state: 'active',
    last_error: 'secret host',
    reservation: 'c1',
    driver_info: { redfish_address: 'x' },
  });
  await add(3, {
    owner: 'p-a',
    lessee: 'p-a',
    maintenance: true,
    last_error: 'mine',
    description: 'Rack 7',
  });
  await add(4, { owner: 'p-b', instance_uuid: uuidOf(77) });
  await add(5, {});
});
afterEach(() => app.close());

const add = (number: number, values: Readonly<Record<string, unknown>>) =>
  app.stores.nodes.insert((epoch) =>
    makeNode({ uuid: uuidOf(number), name: `n${String(number)}`, ...values }, epoch),
  );

const list = (query: string, context: Partial<ContextStatement> = {}) =>
  app.call({
    from: 'gateway',
    target: `/v1/nodes${query}`,
    context: { obligations: seesAll, ...context },
  });
const asMember: Partial<ContextStatement> = { obligations: seesOwn('p-a', ...MASKED_FOR_LESSEE) };

const numbersIn = (body: unknown): readonly number[] =>
  (body as { readonly nodes: readonly { readonly uuid: string }[] }).nodes.map(({ uuid }) =>
    Number(uuid.slice(-4)),
  );

describe('which nodes are listed', () => {
  it.each([
    [seesAll, [1, 2, 3, 4, 5], 'all'],
    [seesOwn('p-a'), [1, 2, 3], 'owner,lessee'],
    [seesOwn('p-x'), [], 'owner,lessee'],
    [{ ...seesAll, filter: { mode: 'none' as const, predicates: [] } }, [], 'none'],
    [{ ...seesAll, filter: { mode: 'any_of' as const, predicates: [] } }, [], 'none'],
  ])('is the policy’s decision (%#)', async (obligations, expected, header) => {
    for (const path of ['', '/detail']) {
      const answer = await list(path, { obligations });
      expect(numbersIn(answer.body)).toEqual(expected);
      expect(answer.headers.get('x-tenure-policy-filter')).toBe(header);
    }
  });

  it('a filter on a field that is not filterable is refused, not ignored', async () => {
    const predicates = [
      { field: 'owner', op: 'eq', value: 'p-a' },
      { field: 'name', op: 'eq', value: 'n5' },
    ] as const;
    expect(
      (
        await list('', {
          obligations: { ...seesAll, filter: { mode: 'any_of', predicates: [...predicates] } },
        })
      ).status,
    ).toBe(500);
  });

  it.each([
    ['owner=p-b', [2, 4]],
    ['lessee=p-a', [2, 3]],
    ['provision_state=available', [1]],
    ['resource_class=gold', [1]],
    ['maintenance=True', [3]],
    ['maintenance=false', [1, 2, 4, 5]],
    ['associated=true', [4]],
    ['associated=0', [1, 2, 3, 5]],
    [`instance_uuid=${uuidOf(77)}`, [4]],
    ['driver=redfish', []],
    ['conductor_group=', [1, 2, 3, 4, 5]],
    ['description_contains=RACK', [3]],
    ['owner=p-a&maintenance=true', [3]],
    ['conductor=nobody', []],
    ['retired=true', []],
    ['fault=power%20failure', []],
  ])('can be narrowed by %s', async (query, expected) => {
    expect(numbersIn((await list(`?${query}`)).body)).toEqual(expected);
  });

  it('a caller’s own filter only narrows what the policy lets through', async () => {
    expect(numbersIn((await list('?owner=p-b', asMember)).body)).toEqual([2]);
    expect(numbersIn((await list(`?instance_uuid=${uuidOf(77)}`, asMember)).body)).toEqual([]);
  });
});

describe('pages', () => {
  it('carry everything to the next link, and end', async () => {
    const first = await list('?limit=2&sort_key=name&sort_dir=desc&owner=p-b');
    expect(numbersIn(first.body)).toEqual([4, 2]);
    expect(first.body).not.toHaveProperty('next');
    const second = await list('?limit=1&sort_key=name&sort_dir=desc&owner=p-b');
    expect((second.body as { next: string }).next).toBe(
      `http://127.0.0.1:6385/v1/nodes?sort_key=name&sort_dir=desc&fields=instance_uuid,maintenance,power_state,provision_state,uuid,name&owner=p-b&limit=1&marker=${uuidOf(4)}`,
    );
  });

  it.each([
    '?limit=2',
    '/detail?limit=2',
    '?limit=2&detail=True',
    '?limit=2&fields=uuid,owner',
    '?limit=2&sort_key=owner',
  ])('of %s, followed by their links, show every node once', async (query) => {
    const seen: number[] = [];
    let target: string | undefined = query;
    while (target !== undefined) {
      const { body, status } = await list(target);
      expect(status).toBe(200);
      seen.push(...numbersIn(body));
      target = (body as { next?: string }).next?.replace('http://127.0.0.1:6385/v1/nodes', '');
    }
    expect(seen.sort()).toEqual([1, 2, 3, 4, 5]);
  });

  it('begin after a marker that the caller may see; any other is missing', async () => {
    expect(numbersIn((await list(`?marker=${uuidOf(2)}`, asMember)).body)).toEqual([3]);
    const hidden = await list(`?marker=${uuidOf(4)}`, asMember);
    const missing = await list(`?marker=${uuidOf(9)}`, asMember);
    expect([hidden.status, missing.status]).toEqual([404, 404]);
    expect([faultOf(hidden), faultOf(missing)]).toEqual([
      `Node ${uuidOf(4)} could not be found.`,
      `Node ${uuidOf(9)} could not be found.`,
    ]);
  });
});

describe('bad queries', () => {
  it.each([
    ['limit=-1', 400, 'Limit must be positive'],
    ['limit=x', 400, 'Limit must be positive'],
    ['sort_key=bogus', 400, 'The sort_key value "bogus" is an invalid field for sorting'],
    [
      'sort_key=driver_info',
      400,
      'The sort_key value "driver_info" is an invalid field for sorting',
    ],
    ['sort_dir=up', 400, "Invalid sort direction: up. Acceptable values are 'asc' or 'desc'"],
    [
      'detail=True&fields=uuid',
      400,
      'Can not specify ?detail=True and fields in the same request.',
    ],
    ['fields=uuid,bogus', 400, 'Field(s) "bogus" are not valid'],
    ['bogus=1', 400, 'Unknown argument: "bogus".'],
    ['__proto__=1', 400, 'Unknown argument: "__proto__".'],
    ['owner=a&owner=b', 400, 'The argument "owner" is given more than once, or is too long.'],
    ['instance_uuid=x', 400, 'Expected a UUID but received x for instance_uuid.'],
    ['provision_state=x', 400, 'Provision state "x" is not valid'],
    [
      'fault=x',
      400,
      'Unrecognized fault "x" is specified, allowed faults are power failure, clean failure, rescue abort failure, service failure',
    ],
    ['maintenance=maybe', 400, 'Invalid value for maintenance: "maybe".'],
    ['shard=a', 406, 'Request not acceptable.'],
    ['limit=0', 400, 'Limit must be positive'],
    ['sharded=true', 406, 'Request not acceptable.'],
    ['include_children=true', 406, 'Request not acceptable.'],
    ['project=p-a', 400, 'Unknown argument: "project".'],
    ['fields=shard', 406, 'Request not acceptable.'],
  ])('%s is %d', async (query, status, fault) => {
    const answer = await list(`?${query}`);
    expect([answer.status, faultOf(answer)]).toEqual([status, fault]);
  });

  it.each([
    ['owner=p-a', '1.49'],
    ['fields=owner', '1.1'],
    ['lessee=p-a', '1.64'],
    ['detail=True', '1.42'],
    ['sort_key=owner', '1.49'],
  ])('%s is too new for %s', async (query, version) => {
    expect((await list(`?${query}`, { api_version: version })).status).toBe(406);
  });
});

describe('masks in lists', () => {
  it('cover a row that is only leased, and not one that is owned too', async () => {
    const { body } = await list('/detail', asMember);
    const { nodes } = body as { nodes: readonly Record<string, unknown>[] };
    expect(nodes.map(({ last_error }) => last_error)).toEqual(['own trouble', null, 'mine']);
    expect(nodes[1]).toMatchObject({
      driver_info: {},
      driver_internal_info: {},
      reservation: true,
      last_error: null,
      conductor: null,
    });
    expect(nodes[0]).toMatchObject({ reservation: null });
  });

  it('cover fields= as well', async () => {
    const { body } = await list('?fields=uuid,last_error,driver_info', asMember);
    expect((body as { nodes: readonly unknown[] }).nodes[1]).toMatchObject({
      uuid: uuidOf(2),
      last_error: null,
      driver_info: {},
    });
  });

  it.each([
    'sort_key=reservation',
    'sort_key=last_error',
    'conductor=x',
    `chassis_uuid=${uuidOf(1)}`,
  ])('refuse %s, which would reveal a masked value', async (query) => {
    const answer = await list(`?${query}`, asMember);
    expect([answer.status, faultOf(answer)]).toEqual([
      403,
      `Access was denied to the following resource: baremetal:node:get:${query.startsWith('sort') ? query.slice(9) : (query.split('=')[0] ?? '')}`,
    ]);
  });

  it('hide passwords from everyone', async () => {
    await add(6, {
      driver_info: {
        redfish_password: 'pw',
        redfish_username: 'u',
        nested: { snmp_auth_key: 'k' },
      },
      instance_info: { configdrive: 'gz', image_url: 'http://i?sig=1', image_source: 'http://i' },
    });
    const { body } = await list('/detail?sort_dir=desc&limit=1');
    expect((body as { nodes: readonly unknown[] }).nodes[0]).toMatchObject({
      driver_info: {
        redfish_password: '******',
        redfish_username: 'u',
        nested: { snmp_auth_key: '******' },
      },
      instance_info: { configdrive: '******', image_url: '******', image_source: 'http://i' },
    });
  });
});

describe('shape', () => {
  it('of a plain list', async () => {
    const { body } = await list('?limit=1');
    expect((body as { nodes: readonly unknown[] }).nodes).toEqual([
      {
        uuid: uuidOf(1),
        instance_uuid: null,
        maintenance: false,
        power_state: null,
        provision_state: 'available',
        name: 'n1',
        links: [
          { href: `http://127.0.0.1:6385/v1/nodes/${uuidOf(1)}`, rel: 'self' },
          { href: `http://127.0.0.1:6385/nodes/${uuidOf(1)}`, rel: 'bookmark' },
        ],
      },
    ]);
  });

  it('of a list at 1.1 has no name, and shows no available state', async () => {
    const { body } = await list('?limit=1', { api_version: '1.1' });
    const [node] = (body as { nodes: readonly Record<string, unknown>[] }).nodes;
    expect(Object.keys(node ?? {})).toEqual([
      'uuid',
      'instance_uuid',
      'maintenance',
      'power_state',
      'provision_state',
      'links',
    ]);
    expect(node?.['provision_state']).toBeNull();
  });

  it('a slash at the end makes no difference', async () => {
    expect(numbersIn((await list('/?fields=uuid,name,owner')).body)).toEqual([1, 2, 3, 4, 5]);
  });
});
