import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { UnavailableError } from '@tenure/contracts';
import { type ContextStatement } from '@tenure/signed-context';
import { faultOf } from '@tenure/testing';
import { uuidOf } from './testing/fixtures.js';
import { resourceCalls } from './testing/resource-calls.js';
import { seesOwn, startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
const { addNode, create, on, stored } = resourceCalls(() => app);

type Values = Readonly<Record<string, unknown>>;

/** A caller who may use the VIFs and volumes of one project. */
function linking(project: string): Partial<ContextStatement> {
  const { filter, ...rest } = seesOwn(project);
  const own = { field: 'project_id', op: 'eq', value: project } as const;
  return {
    subject: {
      user_id: 'u-1',
      project_id: project,
      system_scope: null,
      domain_id: null,
      roles: ['manager'],
    },
    obligations: { ...rest, filter: { ...filter, predicates: [...filter.predicates, own] } },
  };
}

const target = (number: number, node: number, volume: string) => ({
  uuid: uuidOf(number),
  node_uuid: uuidOf(node),
  volume_type: 'iscsi',
  volume_id: volume,
  boot_index: number,
});
const connector = (number: number, node: number, values: Values) => ({
  uuid: uuidOf(number),
  node_uuid: uuidOf(node),
  ...values,
});
const asCli = (method: string, below: string, body?: unknown) =>
  app.call({
    from: 'cli',
    method,
    target: `/internal${below}`,
    ...(body !== undefined && { body }),
  });
const importing = (body: Values) => asCli('POST', '/import', body);
const claims = async (query = ''): Promise<readonly unknown[]> =>
  ((await asCli('GET', `/claims${query}`)).body as { readonly claims: unknown[] }).claims;
const replacing = (path: string, value: unknown) => [{ op: 'replace', path, value }];
const REFUSED = (field: string) => [
  400,
  `Unable to apply the requested ${field}. Requested value was invalid.`,
];

const UPPER = 'ABCDEFAB-2222-4333-8444-000000000001';
const LOWER = UPPER.toLowerCase();

async function prepare(): Promise<void> {
  await addNode(1, { owner: 'p-a' });
  await addNode(2, { owner: 'p-b' });
  await addNode(3, { owner: null });
}

beforeEach(async () => {
  app = await startTestApp();
  await prepare();
});
afterEach(() => app.close());

describe('an id of an external resource', () => {
  it('has one spelling, in whatever case it is given', async () => {
    expect((await create('volume_targets', 1, target(41, 1, UPPER))).status).toBe(201);
    expect(await stored('volume_targets', 41)).toMatchObject({ volume_id: LOWER });
    const other = await create('volume_targets', 2, target(42, 2, LOWER), linking('p-b'));
    expect([other.status, faultOf(other)]).toEqual(REFUSED('volume_id'));
    const patch = { method: 'PATCH', body: replacing('/volume_id', UPPER) };
    expect((await on('volume_targets', 41, patch)).status).toBe(200);
    expect(await stored('volume_targets', 41)).toMatchObject({ volume_id: LOWER });
  });

  it.each([
    ['a blank before it', ' v'],
    ['a blank after it', 'v '],
    ['a blank in it', 'v v'],
    ['a character without width', 'v\u200b'],
    ['a soft hyphen', 'v\u00ad'],
    ['a Hangul filler', 'v\u3164'],
    ['a newline', 'v\n'],
    ['a letter and a mark that are one letter', 'e\u0301'],
    ['256 characters', 'v'.repeat(256)],
  ])('is none with %s', async (_what, id) => {
    expect((await create('volume_targets', 1, target(41, 1, id))).status).toBe(400);
    const body = connector(31, 1, { type: 'iqn', connector_id: id });
    expect((await create('volume_connectors', 1, body)).status).toBe(400);
    expect((await importing({ volume_targets: [target(41, 1, id)] })).body).toMatchObject({
      status: 400,
      detail: expect.stringMatching(/^volume_targets\[0\].*'volume_id'/u),
    });
  });

  it.each([
    ['wwpn', '50:01:43:80:18:6B:3F:65', '50014380186b3f65'],
    ['wwpn', '0x50014380186B3F65', '50:01:43:80:18:6b:3f:65'],
    ['iqn', 'iqn.2026-11.Example:Node', 'IQN.2026-11.example:node'],
  ])('of an initiator of type %s is the same as %s and as %s', async (type, one, other) => {
    const mine = connector(31, 1, { type, connector_id: one });
    expect((await create('volume_connectors', 1, mine, linking('p-a'))).status).toBe(201);
    const theirs = connector(32, 2, { type, connector_id: other });
    const answer = await create('volume_connectors', 2, theirs, linking('p-b'));
    expect([answer.status, faultOf(answer)]).toEqual([
      409,
      expect.stringContaining('already exists'),
    ]);
  });
});

describe('a claim', () => {
  const take = (number: number, node: number, project: string) =>
    create('volume_targets', node, target(number, node, 'v-1'), linking(project));

  it('ends with the last use of the resource, and leaves nothing behind', async () => {
    expect((await take(41, 2, 'p-b')).status).toBe(201);
    expect((await take(42, 1, 'p-a')).status).toBe(400);
    expect((await on('volume_targets', 41, { method: 'DELETE' })).status).toBe(204);
    expect(await claims()).toEqual([]);
    expect((await take(42, 1, 'p-a')).status).toBe(201);
  });

  it('ends when its volume is exchanged for another, and not while another target uses it', async () => {
    await take(41, 1, 'p-a');
    await take(42, 1, 'p-a');
    const exchange = (volume: string) => ({
      method: 'PATCH',
      body: replacing('/volume_id', volume),
      context: linking('p-a'),
    });
    expect((await on('volume_targets', 41, exchange('v-2'))).status).toBe(200);
    expect((await take(43, 2, 'p-b')).status).toBe(400);
    expect((await on('volume_targets', 42, exchange('v-3'))).status).toBe(200);
    expect((await take(43, 2, 'p-b')).status).toBe(201);
  });

  it('ends with the node', async () => {
    await take(41, 1, 'p-a');
    await importing({
      ports: [
        {
          uuid: uuidOf(11),
          node_uuid: uuidOf(1),
          address: '52:54:00:00:00:11',
          internal_info: { tenant_vif_port_id: LOWER },
        },
      ],
    });
    expect(await claims()).toHaveLength(2);
    expect((await app.onNode(uuidOf(1), { method: 'DELETE' })).status).toBe(204);
    expect(await claims()).toEqual([]);
  });

  it('that a crash left behind, of a free resource, is taken over', async () => {
    await app.stores.claims.insert((epoch) => ({
      uuid: 'volume:v-1',
      kind: 'volume',
      id: 'v-1',
      project_id: 'p-b',
      place: null,
      revision: epoch,
    }));
    expect((await take(41, 1, 'p-a')).status).toBe(201);
    expect((await take(42, 2, 'p-b')).status).toBe(400);
  });

  it('is made of what is imported, as of what the API makes', async () => {
    await importing({ volume_targets: [target(41, 1, UPPER)] });
    const theirs = target(42, 2, LOWER);
    expect((await create('volume_targets', 2, theirs, linking('p-b'))).status).toBe(400);
    const mine = target(42, 1, LOWER);
    expect((await create('volume_targets', 1, mine, linking('p-a'))).status).toBe(201);
  });

  it('of what is on a machine that nobody has is made when a project gets the machine', async () => {
    await create('volume_targets', 3, target(41, 3, 'v-1'));
    expect((await take(42, 2, 'p-b')).status).toBe(400);
    const owner = { method: 'PATCH', body: [{ op: 'add', path: '/owner', value: 'p-a' }] };
    expect((await app.onNode(uuidOf(3), owner)).status).toBe(200);
    expect((await take(42, 2, 'p-b')).status).toBe(400);
    expect((await take(42, 1, 'p-a')).status).toBe(201);
  });

  const give = (node: number, field: string, project: string) =>
    app.onNode(uuidOf(node), { method: 'PATCH', body: replacing(`/${field}`, project) });

  it.each([
    ['imported', () => importing({ volume_targets: [target(41, 1, 'v-1')] })],
    ['made by the system', () => create('volume_targets', 1, target(41, 1, 'v-1'))],
  ])(
    'of what was %s stays with its project when another leases the machine',
    async (_how, make) => {
      await make();
      expect((await give(1, 'lessee', 'p-b')).status).toBe(200);
      expect((await take(42, 2, 'p-b')).status).toBe(400);
      expect(await claims()).toMatchObject([{ id: 'v-1', project_id: 'p-a' }]);
    },
  );

  it('of what hung on a machine that nobody had stays with the first project that had the machine', async () => {
    await create('volume_targets', 3, target(41, 3, 'v-1'));
    expect((await give(3, 'owner', 'p-a')).status).toBe(200);
    expect((await give(3, 'lessee', 'p-b')).status).toBe(200);
    expect((await take(42, 2, 'p-b')).status).toBe(400);
    expect(await claims()).toMatchObject([{ id: 'v-1', project_id: 'p-a' }]);
  });

  it('of a VIF that was imported stays with its project when another leases the machine', async () => {
    const port = { uuid: uuidOf(11), node_uuid: uuidOf(1), address: '52:54:00:00:00:11' };
    await importing({ ports: [{ ...port, internal_info: { tenant_vif_port_id: LOWER } }] });
    expect((await give(1, 'lessee', 'p-b')).status).toBe(200);
    expect(await claims()).toMatchObject([{ id: LOWER, project_id: 'p-a', in_use: true }]);
  });
});

describe('the operator', () => {
  const show = async (kind: string, id: string) =>
    (await asCli('GET', `/claims/${kind}/${id}`)).body;

  beforeEach(async () => {
    await create('volume_targets', 1, target(41, 1, 'v-1'), linking('p-a'));
    await create('volume_connectors', 2, connector(31, 2, { type: 'ip', connector_id: 'c-1' }));
    await app.stores.claims.insert((epoch) => ({
      uuid: `vif:${LOWER}`,
      kind: 'vif',
      id: LOWER,
      project_id: 'p-b',
      place: { section: 'ports', uuid: uuidOf(11) },
      revision: epoch,
    }));
  });

  it('sees every claim and the users of its resource, and filters the list', async () => {
    const volume = {
      kind: 'volume',
      id: 'v-1',
      project_id: 'p-a',
      in_use: true,
      used_by: [{ section: 'volume_targets', uuid: uuidOf(41), node_uuid: uuidOf(1) }],
    };
    const vif = { kind: 'vif', id: LOWER, project_id: 'p-b', in_use: false, used_by: [] };
    expect(await show('volume', 'v-1')).toEqual(volume);
    expect(await claims()).toHaveLength(3);
    expect(await claims('?kind=volume')).toEqual([volume]);
    expect(await claims('?project=p-b')).toMatchObject([{ kind: 'connector' }, vif]);
    expect(await claims('?unused=true')).toEqual([vif]);
    const first = (await asCli('GET', '/claims?limit=2')).body as { readonly next: string };
    expect(first).toMatchObject({ claims: [volume, { kind: 'connector' }] });
    expect(await claims(`?marker=${encodeURIComponent(first.next)}`)).toEqual([vif]);
  });

  it('ends one of what nothing uses, and one of what is in use only by force', async () => {
    expect((await asCli('DELETE', `/claims/vif/${UPPER}`)).status).toBe(204);
    expect((await asCli('DELETE', `/claims/vif/${UPPER}`)).status).toBe(404);
    expect((await asCli('DELETE', '/claims/volume/v-1')).body).toMatchObject({
      status: 409,
      code: 'claim_in_use',
    });
    expect((await asCli('DELETE', '/claims/volume/v-1?force=true')).status).toBe(204);
    // It is the project's that has the machine.
    expect(await show('volume', 'v-1')).toMatchObject({ project_id: 'p-a', in_use: true });
  });

  it.each([
    ['GET', '/claims'],
    ['DELETE', '/claims/volume/v-1'],
  ])('and nobody else: %s %s', async (method, below) => {
    for (const from of ['gateway', 'conductor', 'compute'] as const)
      expect((await app.call({ from, method, target: `/internal${below}` })).status).toBe(403);
  });
});

describe('a conductor', () => {
  const ask = (method: string, below: string, body?: unknown) =>
    app.call({
      from: 'conductor',
      method,
      target: `/internal${below}`,
      ...(body !== undefined && { body }),
    });
  const locked = async (node: number): Promise<Values> => {
    const found = await app.stores.nodes.findBy('uuid', uuidOf(node));
    const resource = { type: 'node', uuid: uuidOf(node), tenancy_revision: 0 };
    const { body } = await app.call({
      from: 'conductor',
      method: 'POST',
      target: `/internal/nodes/${uuidOf(node)}/reservation`,
      body: { holder: 'c1' },
      context: {
        resources: [{ ...resource, tenancy_revision: found?.tenancy_revision ?? 0 }],
      },
    });
    return { holder: 'c1', fence: (body as { readonly fence: number }).fence };
  };
  const write = async (node: number, port: number, info: Values, project?: string) =>
    ask('PATCH', `/nodes/${uuidOf(node)}/ports/${uuidOf(port)}`, {
      ...(await locked(node)),
      set: { internal_info: info },
      ...(project !== undefined && { vif_project_id: project }),
    });
  const ownerOf = async (vif: string) => (await ask('GET', `/claims/vif/${vif}`)).body;

  beforeEach(async () => {
    const port = (number: number, node: number) => ({
      uuid: uuidOf(number),
      node_uuid: uuidOf(node),
      address: `52:54:00:00:00:${String(number)}`,
    });
    await importing({ ports: [port(11, 1), port(12, 2)] });
  });

  it('claims a VIF with its place, and the claim ends when the place is empty again', async () => {
    expect(await ownerOf(LOWER)).toMatchObject({ project_id: null, in_use: false });
    expect((await write(1, 11, { tenant_vif_port_id: UPPER }, 'p-a')).status).toBe(200);
    for (const spelling of [UPPER, LOWER])
      expect(await ownerOf(spelling)).toMatchObject({ project_id: 'p-a', in_use: true });
    expect((await write(2, 12, { tenant_vif_port_id: LOWER }, 'p-b')).status).toBe(409);
  });

  it('leaves nothing behind of a VIF that is attached and detached', async () => {
    const { holder, fence } = await locked(2);
    const path = `/nodes/${uuidOf(2)}/ports/${uuidOf(12)}`;
    const info = (values: Values) => ({ holder, fence, set: { internal_info: values } });
    const attached = { ...info({ tenant_vif_port_id: LOWER }), vif_project_id: 'p-b' };
    expect((await ask('PATCH', path, attached)).status).toBe(200);
    expect((await ask('PATCH', path, info({}))).status).toBe(200);
    expect(await claims()).toEqual([]);
    expect((await write(1, 11, { tenant_vif_port_id: LOWER }, 'p-a')).status).toBe(200);
  });

  it.each([
    ['port', 'v1', 404],
    ['vif', 'v'.repeat(256), 400],
  ])('does not look for a %s by a bad name (%#)', async (kind, id, status) => {
    expect((await ask('GET', `/claims/${kind}/${id}`)).status).toBe(status);
  });
});

describe('with a block storage service', () => {
  const requests: string[] = [];
  let answer: () => Promise<string | undefined>;
  const take = (number: number, node: number, project?: string) =>
    create(
      'volume_targets',
      node,
      target(number, node, UPPER),
      project === undefined ? undefined : linking(project),
    );

  beforeEach(async () => {
    await app.close();
    requests.length = 0;
    app = await startTestApp({
      volumes: {
        projectOf: (id) => {
          requests.push(id);
          return answer();
        },
      },
    });
    await prepare();
  });

  it('a volume is whose that service says, whoever uses it', async () => {
    answer = () => Promise.resolve('p-a');
    const theirs = await take(42, 2, 'p-b');
    expect([theirs.status, faultOf(theirs)]).toEqual(REFUSED('volume_id'));
    expect((await take(41, 1, 'p-a')).status).toBe(201);
    expect((await take(43, 2)).status).toBe(201); // who may use any
    expect(requests).toEqual([LOWER, LOWER, LOWER]);
    expect(await claims()).toMatchObject([{ id: LOWER, project_id: 'p-a' }]);
  });

  it('one that is not there cannot be used, with the same answer', async () => {
    answer = () => Promise.resolve(undefined);
    for (const project of ['p-a', undefined]) {
      const refused = await take(41, 1, project);
      expect([refused.status, faultOf(refused)]).toEqual(REFUSED('volume_id'));
    }
  });

  it('nothing is attached while that service does not answer', async () => {
    answer = () => Promise.reject(new UnavailableError('The block storage service is away.'));
    expect((await take(41, 1, 'p-a')).status).toBe(503);
    expect(await stored('volume_targets', 41)).toBeUndefined();
    expect(await claims()).toEqual([]);
  });
});
