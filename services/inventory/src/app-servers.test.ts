import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NewServer, type PartName } from '@tenure/contracts';
import { makeNode, uuidOf } from './testing/fixtures.js';
import { newServer } from './testing/server-fixtures.js';
import { type Answer } from './testing/signed-request.js';
import { NOTHING, seesAll, startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;

beforeEach(async () => {
  app = await startTestApp();
});
afterEach(() => app.close());

const call = (
  method: string,
  target: string,
  body?: unknown,
  from: PartName = 'compute',
): Promise<Answer> =>
  app.call({
    from,
    method,
    target,
    ...(body !== undefined && { body }),
    context: { obligations: seesAll },
  });

const create = (number: number, values: Partial<NewServer> = {}) =>
  call('POST', '/internal/servers', newServer(number, values));

const numbersIn = ({ body }: Answer): readonly number[] =>
  (body as { readonly servers: readonly { readonly uuid: string }[] }).servers.map(({ uuid }) =>
    Number(uuid.slice(-6)),
  );

describe('servers', () => {
  it('are made, read, changed at the revision that was seen, and removed', async () => {
    const made = await create(1);
    expect(made.status).toBe(201);
    const { revision } = made.body as { readonly revision: number };
    const path = `/internal/servers/${uuidOf(1)}`;
    const change = { expected_revision: revision, set: { name: 'renamed' } };
    expect((await call('PATCH', path, change)).status).toBe(200);
    expect(await call('PATCH', path, change)).toMatchObject({
      status: 409,
      body: { code: 'revision_conflict' },
    });
    expect((await call('GET', path)).body).toMatchObject({ name: 'renamed', project_id: 'p-a' });
    const removal = (expected: number) =>
      call('POST', `${path}/removal`, { expected_revision: expected });
    expect((await removal(revision)).status).toBe(409);
    expect((await removal(revision + 1)).status).toBe(204);
    expect((await call('GET', path)).status).toBe(404);
  });

  it('are made once', async () => {
    await create(1);
    expect(await create(1)).toMatchObject({ status: 409, body: { code: 'duplicate' } });
  });

  it('never change hands', async () => {
    await create(1);
    for (const set of [{ project_id: 'p-b' }, { user_id: 'ben' }]) {
      const body = { expected_revision: 1, set };
      expect((await call('PATCH', `/internal/servers/${uuidOf(1)}`, body)).status).toBe(400);
    }
  });

  it('are listed under the filter of the policy, page by page', async () => {
    await create(1);
    await create(2, { project_id: 'p-b' });
    await create(3, { task_state: 'spawning', vm_state: 'building', status: 'BUILD' });
    expect(numbersIn(await call('GET', '/internal/servers'))).toEqual([1, 2, 3]);
    const ofA = await app.call({
      from: 'compute',
      target: '/internal/servers',
      context: {
        obligations: {
          ...NOTHING,
          filter: { mode: 'any_of', predicates: [{ field: 'project_id', op: 'eq', value: 'p-a' }] },
        },
      },
    });
    expect(numbersIn(ofA)).toEqual([1, 3]);
    expect(numbersIn(await call('GET', '/internal/servers?pending=true'))).toEqual([3]);
    expect(numbersIn(await call('GET', '/internal/servers?status=BUILD,ERROR'))).toEqual([3]);
    expect(numbersIn(await call('GET', '/internal/servers?name_contains=S2'))).toEqual([2]);
    expect(numbersIn(await call('GET', `/internal/servers?limit=1&marker=${uuidOf(1)}`))).toEqual([
      2,
    ]);
    expect(numbersIn(await call('GET', '/internal/servers?sort_key=name&sort_dir=desc'))).toEqual([
      3, 2, 1,
    ]);
  });

  it('of another project are no marker, as if they did not exist', async () => {
    await create(1, { project_id: 'p-b' });
    const list = (marker: string) =>
      app.call({
        from: 'compute',
        target: `/internal/servers?marker=${marker}`,
        context: {
          obligations: {
            ...NOTHING,
            filter: {
              mode: 'any_of',
              predicates: [{ field: 'project_id', op: 'eq', value: 'p-a' }],
            },
          },
        },
      });
    const [hidden, missing] = [await list(uuidOf(1)), await list(uuidOf(9))];
    expect(hidden.status).toBe(404);
    expect(JSON.stringify(hidden.body).replaceAll(uuidOf(1), 'X')).toBe(
      JSON.stringify(missing.body).replaceAll(uuidOf(9), 'X'),
    );
  });

  it('show their project to the gateway, and to no other part', async () => {
    await create(1);
    const path = `/internal/tenancy/servers/${uuidOf(1)}`;
    expect((await call('GET', path, undefined, 'gateway')).body).toEqual({
      uuid: uuidOf(1),
      owner: 'p-a',
      creator: 'ann',
      tenancy_revision: expect.any(Number),
    });
    expect((await call('GET', path, undefined, 'compute')).status).toBe(403);
    for (const ident of [uuidOf(9), 's1'])
      expect(
        (await call('GET', `/internal/tenancy/servers/${ident}`, undefined, 'gateway')).status,
      ).toBe(404);
  });

  it.each<PartName>(['gateway', 'conductor', 'allocation', 'cli'])(
    'are shut to the part %s',
    async (from) => {
      await create(1);
      const paths = [
        '/internal/servers',
        `/internal/servers/${uuidOf(1)}`,
        `/internal/servers/${uuidOf(1)}/placement`,
        '/internal/keypairs?user_id=ann',
      ];
      for (const path of paths) expect((await call('GET', path, undefined, from)).status).toBe(403);
    },
  );

  it('of a decision that is stale are refused', async () => {
    await create(1);
    const answer = await app.call({
      from: 'compute',
      target: `/internal/servers/${uuidOf(1)}`,
      context: { resources: [{ type: 'server', uuid: uuidOf(1), tenancy_revision: 77 }] },
    });
    expect(answer).toMatchObject({ status: 412, body: { code: 'tenancy_changed' } });
  });
});

describe('the placement of a server', () => {
  const placement = async () =>
    (await call('GET', `/internal/servers/${uuidOf(1)}/placement`)).body;

  const addNode = (values: Readonly<Record<string, unknown>>) =>
    app.stores.nodes.insert((epoch) =>
      makeNode({ uuid: uuidOf(20), owner: 'p-a', ...values }, epoch),
    );

  it('is nowhere at first, and then the node that names it', async () => {
    await create(1);
    expect(await placement()).toEqual({ allocation: null, node: null });
    await addNode({ instance_uuid: uuidOf(1), provision_state: 'active', power_state: 'power on' });
    await app.stores.resources.ports.insert((epoch) => ({
      uuid: uuidOf(30),
      node_uuid: uuidOf(20),
      address: '52:54:00:00:00:30',
      name: null,
      internal_info: { tenant_vif_port_id: 'vif-1' },
      created_at: '2026-11-21T08:00:00+00:00',
      updated_at: null,
      revision: epoch,
    }));
    expect(await placement()).toMatchObject({
      node: {
        uuid: uuidOf(20),
        provision_state: 'active',
        power_state: 'power on',
        reserved: false,
        vifs: [{ id: 'vif-1', address: '52:54:00:00:00:30' }],
      },
    });
  });

  it('is nowhere once its project has the node no more, be it by the end of a lease', async () => {
    await create(1, {
      candidate_filter: {
        mode: 'any_of',
        predicates: ['owner', 'lessee'].map((field) => ({ field, op: 'eq', value: 'p-a' })),
      },
    });
    await addNode({
      owner: 'p-b',
      lessee: 'p-a',
      lessee_until: '2026-11-21T09:00:00+00:00',
      instance_uuid: uuidOf(1),
      allocation_uuid: uuidOf(1),
    });
    expect(await placement()).toMatchObject({ node: { uuid: uuidOf(20) } });
    app.setNow('2026-11-21T09:00:00.000Z');
    expect(await placement()).toEqual({ allocation: null, node: null });
    const body = { instance_info: {} };
    const path = `/internal/servers/${uuidOf(1)}/instance`;
    expect((await call('PUT', path, body)).status).toBe(404);
  });

  it('returns only the members of a node that running a server needs', async () => {
    await create(1);
    await addNode({ instance_uuid: uuidOf(1), driver_info: { redfish_password: 'secret' } });
    expect(JSON.stringify(await placement())).not.toContain('secret');
  });

  it('takes what is to be deployed only where its own allocation holds the node', async () => {
    await create(1);
    await addNode({ instance_uuid: uuidOf(1) });
    const write = () =>
      call('PUT', `/internal/servers/${uuidOf(1)}/instance`, {
        instance_info: { boot_iso: 'http://images.example/a.iso', project_id: 'p-of-another' },
      });
    expect((await write()).status).toBe(404);
    const node = await app.stores.nodes.findBy('uuid', uuidOf(20));
    if (node === undefined) throw new Error('the node does not exist');
    const lock = {
      ...node,
      allocation_uuid: uuidOf(1),
      instance_info: { traits: ['CUSTOM_A'], image_source: 'old' },
      revision: node.revision + 1,
    };
    await app.stores.nodes.swap(lock, node.revision);
    expect((await write()).status).toBe(204);
    expect(await app.stores.nodes.findBy('uuid', uuidOf(20))).toMatchObject({
      instance_name: 's1',
      instance_info: {
        boot_iso: 'http://images.example/a.iso',
        traits: ['CUSTOM_A'],
        display_name: 's1',
        project_id: 'p-a',
      },
    });
  });

  it('takes nothing while a conductor works on the node', async () => {
    await create(1);
    await addNode({
      instance_uuid: uuidOf(1),
      allocation_uuid: uuidOf(1),
      reservation: 'conductor-1',
    });
    const answer = await call('PUT', `/internal/servers/${uuidOf(1)}/instance`, {
      instance_info: {},
    });
    expect(answer).toMatchObject({ status: 409, body: { code: 'node_locked' } });
    expect(JSON.stringify(answer.body)).not.toContain('conductor-1');
  });
});

describe('key pairs', () => {
  const keypair = (number: number, name: string, user = 'ann') => ({
    uuid: uuidOf(number),
    user_id: user,
    name,
    type: 'ssh',
    public_key: 'ssh-ed25519 AAAA',
    fingerprint: 'aa:bb',
    created_at: '2026-11-21T08:00:00+00:00',
  });
  const namesIn = ({ body }: Answer): readonly string[] =>
    (body as { readonly keypairs: readonly { readonly name: string }[] }).keypairs.map(
      ({ name }) => name,
    );

  it('are listed by name, of one user, page by page', async () => {
    for (const pair of [keypair(1, 'b'), keypair(2, 'a'), keypair(3, 'c', 'ben')])
      expect((await call('POST', '/internal/keypairs', pair)).status).toBe(201);
    expect(await call('POST', '/internal/keypairs', keypair(4, 'a'))).toMatchObject({
      status: 409,
      body: { code: 'duplicate' },
    });
    expect(namesIn(await call('GET', '/internal/keypairs?user_id=ann'))).toEqual(['a', 'b']);
    expect(namesIn(await call('GET', '/internal/keypairs?user_id=ann&marker=a'))).toEqual(['b']);
    expect(namesIn(await call('GET', '/internal/keypairs?user_id=ann&name=c'))).toEqual([]);
    expect((await call('GET', '/internal/keypairs?user_id=ann&marker=c')).status).toBe(404);
    expect((await call('GET', '/internal/keypairs')).status).toBe(400);
    expect((await call('DELETE', `/internal/keypairs/${uuidOf(2)}`)).status).toBe(204);
    expect((await call('DELETE', `/internal/keypairs/${uuidOf(2)}`)).status).toBe(404);
  });
});

describe('export and import', () => {
  it('give servers and key pairs back as they were, but for who works on them', async () => {
    const task = {
      kind: 'stop',
      since: '2026-11-21T08:00:00+00:00',
      step: 'begin',
      seen: null,
      holder: 'replica-1',
      held_until: '2026-11-21T08:01:00+00:00',
      failure: null,
      request_id: 'req-1',
      user_id: 'ann',
      arguments: {},
    } as const;
    await create(1, { task, task_state: 'powering-off' });
    const dump = async (section: string) =>
      (
        (await call('GET', `/internal/export?section=${section}`, undefined, 'cli')).body as {
          readonly rows: readonly Readonly<Record<string, unknown>>[];
        }
      ).rows;
    const rows = await dump('servers');
    expect(rows).toEqual([newServer(1, { task, task_state: 'powering-off' })]);
    const load = (body: unknown) => call('POST', '/internal/import', body, 'cli');
    expect((await load({ servers: rows, keypairs: [] })).body).toEqual({
      imported: { servers: 1, keypairs: 0 },
    });
    expect(await dump('servers')).toEqual([
      newServer(1, {
        task: { ...task, holder: null, held_until: null },
        task_state: 'powering-off',
      }),
    ]);
    expect((await load({ servers: [{ ...newServer(2), surprise: 1 }] })).status).toBe(400);
  });
});

describe('flavors', () => {
  it('are the classes of the nodes of the filter, and of no others', async () => {
    const nodes: readonly Readonly<Record<string, unknown>>[] = [
      {
        owner: 'p-a',
        resource_class: 'gold',
        traits: ['CUSTOM_A'],
        properties: { cpus: 8, memory_mb: '4096', local_gb: 100 },
      },
      { lessee: 'p-a', resource_class: 'gold', traits: [], properties: { cpus: 4 } },
      { owner: 'p-b', resource_class: 'secret' },
      { owner: 'p-a', resource_class: null },
    ];
    for (const [index, values] of nodes.entries())
      await app.stores.nodes.insert((epoch) =>
        makeNode({ uuid: uuidOf(40 + index), ...values }, epoch),
      );
    const filter = {
      mode: 'any_of',
      predicates: [
        { field: 'owner', op: 'eq', value: 'p-a' },
        { field: 'lessee', op: 'eq', value: 'p-a' },
      ],
    };
    const gold = { resource_class: 'gold', traits: ['CUSTOM_A'], vcpus: 4, ram: 4096, disk: 100 };
    expect((await call('POST', '/internal/flavors', { filter })).body).toEqual({ flavors: [gold] });
    expect(
      (await call('POST', '/internal/flavors', { filter, resource_class: 'secret' })).body,
    ).toEqual({ flavors: [] });
  });
});
