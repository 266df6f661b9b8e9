import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ContextStatement } from '@tenure/signed-context';
import { faultOf } from '@tenure/testing';
import { uuidOf } from './testing/fixtures.js';
import { macOf, numbersIn, resourceCalls } from './testing/resource-calls.js';
import { masking, seesAll, seesOwn, startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
const { add, addNode, list, on } = resourceCalls(() => app);

const asMember: Partial<ContextStatement> = { obligations: seesOwn('p-a') };

beforeEach(async () => {
  app = await startTestApp();
  await addNode(1, { owner: 'p-a', shard: 's1', conductor_group: 'g1' });
  await addNode(2, { owner: 'p-b', lessee: 'p-a', shard: 's2' });
  await addNode(3, { owner: 'p-b', shard: 's1' });
  for (const [number, node] of [
    [11, 1],
    [12, 2],
    [13, 3],
    [14, 99],
  ] as const)
    await add('ports', number, { node_uuid: uuidOf(node), address: macOf(number) });
  for (const [number, node] of [
    [21, 1],
    [22, 2],
    [23, 3],
  ] as const)
    await add('portgroups', number, {
      node_uuid: uuidOf(node),
      address: macOf(number),
      name: `pg${String(number)}`,
    });
});
afterEach(() => app.close());

describe('which ports are listed', () => {
  it.each([
    [seesAll, [11, 12, 13, 14], 'all'],
    [seesOwn('p-a'), [11, 12], 'owner,lessee'],
    [seesOwn('p-x'), [], 'owner,lessee'],
    [{ ...seesAll, filter: { mode: 'none' as const, predicates: [] } }, [], 'none'],
  ])('is the policy’s decision about their nodes (%#)', async (obligations, expected, header) => {
    for (const path of ['/v1/ports', '/v1/ports/detail', '/v1/ports?detail=True']) {
      const answer = await list(path, { obligations });
      expect(numbersIn(answer, 'ports')).toEqual(expected);
      expect(answer.headers.get('x-tenure-policy-filter')).toBe(header);
    }
  });

  it('follows a node that changes hands', async () => {
    const node = await app.stores.nodes.findBy('uuid', uuidOf(2));
    if (node === undefined) throw new Error('no node');
    await app.stores.nodes.swap({ ...node, lessee: null, revision: 2 }, 1);
    expect(numbersIn(await list('/v1/ports', asMember), 'ports')).toEqual([11]);
  });

  it('a predicate on another field is refused, not ignored', async () => {
    const predicates = [{ field: 'name', op: 'eq' as const, value: 'n3' }];
    const obligations = { ...seesAll, filter: { mode: 'any_of' as const, predicates } };
    expect((await list('/v1/ports', { obligations })).status).toBe(500);
  });
});

describe('filters', () => {
  it.each([
    [`/v1/ports?node=${uuidOf(1)}`, [11]],
    ['/v1/ports?node=n3', [13]],
    [`/v1/ports?node_uuid=${uuidOf(2)}`, [12]],
    [`/v1/ports?address=${macOf(13).toUpperCase()}`, [13]],
    [`/v1/ports?node=n1&address=${macOf(13)}`, []],
    ['/v1/ports?shard=s1', [11, 13]],
    ['/v1/ports?shard=s1,s2', [11, 12, 13]],
    ['/v1/ports?conductor_groups=G1,x', [11]],
    ['/v1/ports?description_contains=x', []],
  ])('%s narrows ports', async (target, expected) => {
    expect(numbersIn(await list(target), 'ports')).toEqual(expected);
  });

  it.each([
    [`/v1/portgroups?node=n1&address=${macOf(21)}`, [21]],
    [`/v1/portgroups?node=n1&address=${macOf(22)}`, []],
    ['/v1/portgroups?shard=s2', [22]],
    ['/v1/portgroups?sort_key=name&sort_dir=desc', [23, 22, 21]],
  ])('%s narrows port groups', async (target, expected) => {
    expect(numbersIn(await list(target), 'portgroups')).toEqual(expected);
  });

  it('combine with the policy’s own', async () => {
    expect(numbersIn(await list('/v1/ports?shard=s1', asMember), 'ports')).toEqual([11]);
    expect(numbersIn(await list('/v1/portgroups?shard=s1', asMember), 'portgroups')).toEqual([21]);
  });

  it.each([
    ['node', 'n3', 'Node n3'],
    ['node', uuidOf(3), `Node ${uuidOf(3)}`],
    ['portgroup', 'pg23', 'Portgroup pg23'],
    ['portgroup', uuidOf(23), `Portgroup ${uuidOf(23)}`],
    ['marker', uuidOf(13), `Port ${uuidOf(13)}`],
    ['marker', uuidOf(14), `Port ${uuidOf(14)}`],
  ])(
    '?%s=%s of what the caller may not see answers as for what is missing',
    async (name, value, what) => {
      const hidden = await list(`/v1/ports?${name}=${value}`, asMember);
      expect([hidden.status, faultOf(hidden)]).toEqual([404, `${what} could not be found.`]);
      const missing = name === 'marker' ? uuidOf(77) : value.replace('3', '7').replace('4', '7');
      const answer = await list(`/v1/ports?${name}=${missing}`, asMember);
      expect(answer.status).toBe(404);
      expect(faultOf(answer)).toBe(`${what.split(' ')[0] ?? ''} ${missing} could not be found.`);
      expect([...hidden.headers.keys()]).toEqual([...answer.headers.keys()]);
    },
  );

  it('that would reveal a masked value are refused', async () => {
    const context = { obligations: { ...seesOwn('p-a'), fields: masking('address').fields } };
    expect((await list('/v1/ports?sort_key=address', context)).status).toBe(403);
    expect((await list(`/v1/ports?address=${macOf(11)}`, context)).status).toBe(403);
    expect((await list('/v1/ports?conductor_groups=g1', asMember)).status).toBe(403);
  });

  it.each([
    ['/v1/ports?bogus=1', 400],
    ['/v1/ports?limit=0', 400],
    ['/v1/ports?marker=x', 400],
    ['/v1/ports?node_uuid=n1', 400],
    ['/v1/ports?sort_key=extra', 400],
    ['/v1/ports?sort_dir=up', 400],
    ['/v1/ports?fields=bogus', 400],
    ['/v1/ports?detail=True&fields=uuid', 400],
    ['/v1/ports/detail?fields=uuid', 400],
    [`/v1/nodes/${uuidOf(1)}/ports?node=n2`, 400],
  ])('%s is %d', async (target, status) => {
    const resources = [{ type: 'node', uuid: uuidOf(1), tenancy_revision: 1 }];
    expect((await list(target, { resources })).status).toBe(status);
  });

  it.each([
    ['/v1/ports?fields=uuid', '1.7'],
    ['/v1/ports?fields=pxe_enabled', '1.18'],
    ['/v1/ports?portgroup=x', '1.23'],
    ['/v1/ports?detail=True', '1.42'],
    ['/v1/ports?sort_key=name', '1.87'],
    ['/v1/ports?shard=s1', '1.81'],
    ['/v1/ports?conductor_groups=g', '1.98'],
    ['/v1/portgroups?shard=s1', '1.81'],
  ])('%s is not acceptable at %s', async (target, version) => {
    expect((await list(target, { api_version: version })).status).toBe(406);
  });
});

describe('pages', () => {
  it('follow one another by the next link, with the requested parameters', async () => {
    const first = await list('/v1/ports?limit=1&sort_key=address&sort_dir=desc', asMember);
    expect(first.body).toMatchObject({
      ports: [{ uuid: uuidOf(12) }],
      next: `http://127.0.0.1:6385/v1/ports?sort_key=address&sort_dir=desc&fields=uuid,address&limit=1&marker=${uuidOf(12)}`,
    });
    const { next } = first.body as { next: string };
    const second = await list(next.replace('http://127.0.0.1:6385', ''), asMember);
    expect(second.body).toEqual({
      ports: [expect.objectContaining({ uuid: uuidOf(11), address: macOf(11) })],
    });
  });

  it('below a node stay below it', async () => {
    await add('ports', 15, { node_uuid: uuidOf(1), address: macOf(15) });
    const resources = [{ type: 'node', uuid: uuidOf(1), tenancy_revision: 1 }];
    const { body } = await list('/v1/nodes/n1/ports/detail?limit=1', { ...asMember, resources });
    expect((body as { next: string }).next).toBe(
      `http://127.0.0.1:6385/v1/nodes/${uuidOf(1)}/ports/detail?sort_key=id&sort_dir=asc&limit=1&marker=${uuidOf(11)}`,
    );
  });
});

describe('lists below another resource', () => {
  it('show what hangs on that node only, to who may see it', async () => {
    const resources = [{ type: 'node', uuid: uuidOf(1), tenancy_revision: 1 }];
    const target = `/v1/nodes/${uuidOf(3)}/ports`; // the context decides, not the path
    expect(numbersIn(await list(target, { resources }), 'ports')).toEqual([11]);
    const foreign = { obligations: seesOwn('p-x'), resources };
    expect(numbersIn(await list(target, foreign), 'ports')).toEqual([]);
    const groups = await list(`/v1/nodes/${uuidOf(1)}/portgroups/detail`, { resources });
    expect(numbersIn(groups, 'portgroups')).toEqual([21]);
  });

  it('are refused when the node changed hands since', async () => {
    const resources = [{ type: 'node', uuid: uuidOf(1), tenancy_revision: 7 }];
    const answer = await list(`/v1/nodes/${uuidOf(1)}/ports`, { resources });
    expect([answer.status, answer.headers.get('x-tenure-stale')]).toEqual([412, 'tenancy']);
  });

  it('show the ports of a port group', async () => {
    const member = { node_uuid: uuidOf(1), portgroup_uuid: uuidOf(21), address: macOf(31) };
    await add('ports', 31, member);
    for (const below of ['/ports', '/ports/detail'])
      expect(numbersIn(await on('portgroups', 21, { below }), 'ports')).toEqual([31]);
    expect(numbersIn(await list('/v1/ports?portgroup=pg21', asMember), 'ports')).toEqual([31]);
  });
});
