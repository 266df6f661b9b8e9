import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ContextClaims } from '@tenure/contracts';
import { type ContextStatement } from '@tenure/signed-context';
import { faultOf } from '@tenure/testing';
import { uuidOf } from './testing/fixtures.js';
import { numbersIn, replacing, resourceCalls } from './testing/resource-calls.js';
import { masking, seesAll, seesOwn, startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
const { add, addNode, create, list, on, stored } = resourceCalls(() => app);

const subjectOf = (project: string | null): ContextClaims['subject'] => ({
  user_id: 'u-1',
  project_id: project,
  system_scope: null,
  domain_id: null,
  roles: ['manager'],
});

/** The links that a manager of a project may make: to nodes that it sees, and to volumes of its own. */
function linking(project: string): Partial<ContextStatement> {
  const { filter, ...rest } = seesOwn(project);
  const own = { field: 'project_id', op: 'eq', value: project } as const;
  return {
    subject: subjectOf(project),
    obligations: { ...rest, filter: { ...filter, predicates: [...filter.predicates, own] } },
  };
}

beforeEach(async () => {
  app = await startTestApp();
  await addNode(1, { owner: 'p-a' });
  await addNode(2, { owner: 'p-b', lessee: 'p-a' });
  await addNode(3, { owner: 'p-b' });
  await add('volume_connectors', 31, { node_uuid: uuidOf(1), type: 'iqn', connector_id: 'iqn.x' });
  await add('volume_targets', 41, {
    node_uuid: uuidOf(1),
    volume_type: 'iscsi',
    volume_id: 'v-1',
    boot_index: 0,
    properties: { auth_password: 'pw', target_lun: 1 },
  });
  await add('volume_targets', 42, {
    node_uuid: uuidOf(2),
    volume_type: 'iscsi',
    volume_id: 'v-2',
    boot_index: 0,
    properties: { target_lun: 2 },
  });
});
afterEach(() => app.close());

const target = (values: Readonly<Record<string, unknown>> = {}) => ({
  uuid: uuidOf(49),
  node_uuid: uuidOf(1),
  volume_type: 'iscsi',
  volume_id: 'v-9',
  boot_index: 5,
  ...values,
});

describe('the volume roots', () => {
  const linksOf = (path: string) => [
    { href: `http://127.0.0.1:6385/v1/${path}`, rel: 'self' },
    { href: `http://127.0.0.1:6385/${path}`, rel: 'bookmark' },
  ];

  it('say where connectors and targets are', async () => {
    expect((await list('/v1/volume')).body).toEqual({
      links: linksOf('volume/'),
      connectors: linksOf('volume/connectors'),
      targets: linksOf('volume/targets'),
    });
    const resources = [{ type: 'node', uuid: uuidOf(1), tenancy_revision: 1 }];
    expect((await list('/v1/nodes/n1/volume', { resources })).body).toEqual({
      links: linksOf(`nodes/${uuidOf(1)}/volume/`),
      connectors: linksOf(`nodes/${uuidOf(1)}/volume/connectors`),
      targets: linksOf(`nodes/${uuidOf(1)}/volume/targets`),
    });
  });
});

describe('volume lists', () => {
  it('show a few members, and all with detail', async () => {
    const brief = ['uuid', 'node_uuid', 'volume_type', 'boot_index', 'volume_id', 'links'];
    const [row] = ((await list('/v1/volume/targets')).body as { targets: object[] }).targets;
    expect(Object.keys(row ?? {})).toEqual(brief);
    const detailed = await list('/v1/volume/connectors?detail=True');
    const [whole] = (detailed.body as { connectors: object[] }).connectors;
    expect(Object.keys(whole ?? {})).toEqual([
      'uuid',
      'created_at',
      'updated_at',
      'connector_id',
      'extra',
      'type',
      'links',
      'node_uuid',
    ]);
  });

  it('are restricted and narrowed', async () => {
    const member = { obligations: seesOwn('p-a') };
    expect(numbersIn(await list('/v1/volume/targets', member), 'targets')).toEqual([41, 42]);
    expect(numbersIn(await list('/v1/volume/targets?node=n2', member), 'targets')).toEqual([42]);
    expect((await list('/v1/volume/targets?node=n3', member)).status).toBe(404);
    const resources = [{ type: 'node', uuid: uuidOf(1), tenancy_revision: 1 }];
    const below = await list(`/v1/nodes/${uuidOf(1)}/volume/connectors`, { ...member, resources });
    expect(numbersIn(below, 'connectors')).toEqual([31]);
  });
});

describe('the properties of targets', () => {
  const propertiesIn = (body: unknown): unknown =>
    (body as Readonly<Record<string, unknown>>)['properties'];

  it('show no password to anybody, in any answer', async () => {
    const expected = { auth_password: '******', target_lun: 1 };
    expect(propertiesIn((await on('volume_targets', 41)).body)).toEqual(expected);
    const partly = await on('volume_targets', 41, { below: '?fields=properties' });
    expect(propertiesIn(partly.body)).toEqual(expected);
    const patched = await on('volume_targets', 41, {
      method: 'PATCH',
      body: replacing('/extra', { a: 1 }),
    });
    expect(propertiesIn(patched.body)).toEqual(expected);
    for (const query of ['detail=True', 'fields=properties'])
      expect((await list(`/v1/volume/targets?${query}`)).body).toMatchObject({
        targets: [{ properties: expected }, { properties: { target_lun: 2 } }],
      });
    expect(await stored('volume_targets', 41)).toMatchObject({
      properties: { auth_password: 'pw' },
    });
  });

  it('are empty in every answer to who may not see them', async () => {
    const context = { obligations: { ...seesAll, fields: masking('properties').fields } };
    expect(propertiesIn((await on('volume_targets', 41, { context })).body)).toEqual({});
    const patched = await on('volume_targets', 41, {
      method: 'PATCH',
      body: replacing('/extra', { a: 1 }),
      context,
    });
    expect(propertiesIn(patched.body)).toEqual({});
    const created = await create('volume_targets', 1, target({ properties: { a: 1 } }), context);
    expect([created.status, propertiesIn(created.body)]).toEqual([201, {}]);
    for (const query of ['?detail=True', '?fields=properties'])
      expect((await list(`/v1/volume/targets${query}`, context)).body).toMatchObject({
        targets: [{ properties: {} }, { properties: {} }, { properties: {} }],
      });
  });

  it('are masked row by row, by what the caller is to the node', async () => {
    const context = { obligations: seesOwn('p-a', 'properties') };
    expect((await list('/v1/volume/targets?detail=True', context)).body).toMatchObject({
      targets: [{ properties: { target_lun: 1 } }, { properties: {} }],
    });
  });

  it('are not overwritten by the placeholder of the view', async () => {
    for (const body of [
      replacing('/properties', { auth_password: '******' }),
      replacing('/properties/auth_password', '******'),
    ])
      expect((await on('volume_targets', 41, { method: 'PATCH', body })).status).toBe(400);
  });
});

describe('unique values', () => {
  it('a type and an id are one connector’s', async () => {
    const body = { node_uuid: uuidOf(3), type: 'iqn', connector_id: 'iqn.x' };
    const answer = await create('volume_connectors', 3, body);
    expect([answer.status, faultOf(answer)]).toEqual([
      409,
      'A volume connector with type iqn and connector ID iqn.x already exists.',
    ]);
    expect((await create('volume_connectors', 3, { ...body, type: 'ip' })).status).toBe(201);
  });

  it('a boot index is one target’s of a node', async () => {
    const answer = await create('volume_targets', 1, target({ boot_index: 0 }));
    expect([answer.status, faultOf(answer)]).toEqual([
      409,
      "A volume target with boot index '0' for the same node already exists.",
    ]);
    const other = await create(
      'volume_targets',
      3,
      target({ node_uuid: uuidOf(3), boot_index: '0' }),
    );
    expect([other.status, other.body]).toEqual([201, expect.objectContaining({ boot_index: 0 })]);
  });

  it.each([
    { type: 'bogus', connector_id: 'x' },
    { type: 'iqn', connector_id: '' },
    { type: 'iqn' },
  ])('a connector with %j is refused', async (values) => {
    const body = { node_uuid: uuidOf(1), ...values };
    expect((await create('volume_connectors', 1, body)).status).toBe(400);
  });

  it.each([{ boot_index: -1 }, { boot_index: 'x' }, { volume_id: '' }, { volume_type: null }])(
    'a target with %j is refused',
    async (values) => {
      expect((await create('volume_targets', 1, target(values))).status).toBe(400);
    },
  );
});

describe('changes of what a node is attached to', () => {
  it('wait until it is off', async () => {
    await addNode(4, { owner: 'p-a', power_state: 'power on' });
    await add('volume_connectors', 34, { node_uuid: uuidOf(4), type: 'ip', connector_id: 'x' });
    const answer = await on('volume_connectors', 34, { method: 'DELETE' });
    expect([answer.status, faultOf(answer)]).toEqual([
      400,
      `The requested action "volume connector deletion" can not be performed on node "${uuidOf(4)}" while it is in state "power on".`,
    ]);
    const body = replacing('/extra', {});
    expect((await on('volume_connectors', 34, { method: 'PATCH', body })).status).toBe(400);
    expect((await on('volume_connectors', 31, { method: 'DELETE' })).status).toBe(204);
  });
});

describe('a volume', () => {
  const claimantOf = async (id: string) =>
    (await app.stores.claims.findBy('uuid', `volume:${id}`))?.project_id;

  it('belongs to the project that used it first', async () => {
    expect((await create('volume_targets', 1, target(), linking('p-a'))).status).toBe(201);
    expect(await claimantOf('v-9')).toBe('p-a');
    const again = target({ uuid: uuidOf(50), boot_index: 6 });
    expect((await create('volume_targets', 1, again, linking('p-a'))).status).toBe(201);
    const foreign = target({ uuid: uuidOf(51), node_uuid: uuidOf(3) });
    const answer = await create('volume_targets', 3, foreign, linking('p-b'));
    expect([answer.status, faultOf(answer)]).toEqual([
      400,
      'Unable to apply the requested volume_id. Requested value was invalid.',
    ]);
    expect(await stored('volume_targets', 51)).toBeUndefined();
  });

  it('of another project is not taken by a patch either', async () => {
    await add('volume_targets', 43, { node_uuid: uuidOf(3), volume_id: 'v-8', boot_index: 0 });
    const call = { method: 'PATCH', body: replacing('/volume_id', 'v-8') };
    const answer = await on('volume_targets', 41, { ...call, context: linking('p-a') });
    expect([answer.status, faultOf(answer)]).toEqual([
      400,
      'Unable to apply the requested volume_id. Requested value was invalid.',
    ]);
    expect((await on('volume_targets', 41, call)).status).toBe(200); // who may use any
  });

  it('is claimed for the lessee of the node, else its owner, by who may use any', async () => {
    await create('volume_targets', 2, target({ node_uuid: uuidOf(2) }));
    expect(await claimantOf('v-9')).toBe('p-a');
    await create(
      'volume_targets',
      3,
      target({ uuid: uuidOf(50), node_uuid: uuidOf(3), volume_id: 'v-10' }),
    );
    expect(await claimantOf('v-10')).toBe('p-b');
    await addNode(5);
    await create(
      'volume_targets',
      5,
      target({ uuid: uuidOf(51), node_uuid: uuidOf(5), volume_id: 'v-11' }),
    );
    expect(await claimantOf('v-11')).toBeNull();
  });

  it('is refused to who may link to no volume, and claims nothing', async () => {
    const context = { subject: subjectOf('p-a'), obligations: seesOwn('p-a') };
    expect((await create('volume_targets', 1, target(), context)).status).toBe(400);
    expect(await claimantOf('v-9')).toBeUndefined();
  });
});
