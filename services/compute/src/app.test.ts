import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ServerRecord } from '@tenure/contracts';
import { ALL, nodesOf } from '@tenure/testing';
import request, { type Response } from 'supertest';
import { type Call, GatewayCaller, person, serversOf } from './testing/gateway-caller.js';
import { building, OTHER_UUID, server, task, UUID } from './testing/servers.js';
import { fakeNode, World } from './testing/world.js';

let world: World;
let gateway: GatewayCaller;

beforeEach(() => {
  world = new World([
    fakeNode('node-1', { instance: UUID, allocation: UUID, provision_state: 'active' }),
  ]);
  gateway = new GatewayCaller(world);
});

const call: GatewayCaller['call'] = (...args) => gateway.call(...args);
const act = (body: unknown, more: Call = {}): Promise<Response> =>
  call('post', `/v2.1/servers/${UUID}/action`, { body, ...more });
const create = (body: Readonly<Record<string, unknown>>, more: Call = {}): Promise<Response> =>
  call('post', '/v2.1/servers', {
    server: null,
    filter: nodesOf('team'),
    set: { owner: 'team' },
    body: {
      server: { name: 'web', flavorRef: 'gold', imageRef: IMAGE, networks: 'none', ...body },
    },
    ...more,
  });
const IMAGE = 'http://images.example/a.iso';
const OVERRIDE = 'os_compute_api:os-lock-server:unlock:unlock_override';
const heeding = (...values: readonly string[]): NonNullable<Call['conditions']> =>
  values.map((value) => ({ field: 'locked_by', op: 'ne', value, action: OVERRIDE }));
function made(): ServerRecord {
  const [record] = world.servers.values();
  if (record === undefined) throw new Error('no server was made');
  return record;
}

describe('callers', () => {
  it('without a context are refused, on any path', async () => {
    for (const target of ['/', '/v2.1', '/v2.1/servers', '/nothing'])
      expect((await request(gateway.app).get(target)).status).toBe(401);
  });

  it('are the gateway alone', async () => {
    gateway = new GatewayCaller(world, 'allocation');
    const answer = await call('get', '/v2.1/servers');
    expect([answer.status, answer.body]).toEqual([
      403,
      {
        forbidden: {
          code: 403,
          message: "Policy doesn't allow GET /v2.1/servers by allocation to be performed.",
        },
      },
    ]);
  });
});

describe('POST /servers', () => {
  it('persists the server to build before it answers', async () => {
    const answer = await create({ metadata: { a: 'b' }, tags: ['x'], adminPass: 'word' });
    const record = made();
    expect(answer.status).toBe(202);
    expect(answer.headers['location']).toBe(`http://api.example:6385/v2.1/servers/${record.uuid}`);
    expect(answer.body).toEqual({
      server: {
        id: record.uuid,
        links: [
          { rel: 'self', href: `http://api.example:6385/v2.1/servers/${record.uuid}` },
          { rel: 'bookmark', href: `http://api.example:6385/servers/${record.uuid}` },
        ],
        'OS-DCF:diskConfig': 'MANUAL',
        security_groups: [{ name: 'default' }],
        adminPass: 'word',
      },
    });
    expect(record).toMatchObject({
      name: 'web',
      project_id: 'team',
      user_id: 'ann',
      resource_class: 'gold',
      status: 'BUILD',
      metadata: { a: 'b' },
      candidate_filter: { mode: 'any_of' },
      task: { kind: 'build', user_id: 'ann', request_id: 'req-1' },
    });
    expect(gateway.submitted).toEqual([record.uuid]);
  });

  it('is for the project of the decision, whatever the token says', async () => {
    await create({}, { subject: person('ann', 'elsewhere') });
    expect(made().project_id).toBe('team');
  });

  it('is refused when the decision names no project', async () => {
    expect((await create({}, { set: {} })).status).toBe(403);
    expect(world.servers.size).toBe(0);
  });

  it('takes traits with the class', async () => {
    await create({ flavorRef: 'gold:CUSTOM_A' });
    expect(made()).toMatchObject({ resource_class: 'gold', traits: ['CUSTOM_A'] });
  });

  it('answers the same for an invisible flavor and a missing one', async () => {
    const [hidden, missing] = [
      await create({ flavorRef: 'secret' }),
      await create({ flavorRef: 'nosuch' }),
    ];
    expect([hidden.status, hidden.body]).toEqual([
      400,
      { badRequest: { code: 400, message: 'Flavor secret could not be found.' } },
    ]);
    expect(JSON.stringify(hidden.body).replace('secret', 'X')).toBe(
      JSON.stringify(missing.body).replace('nosuch', 'X'),
    );
  });

  it.each<readonly [string, Readonly<Record<string, unknown>>, number]>([
    ['no name', { name: '' }, 93],
    ['no image', { imageRef: '' }, 93],
    ['an image that is no address', { imageRef: 'file:///etc/passwd' }, 93],
    ['a member that is unknown', { surprise: 1 }, 93],
    ['tags before 2.52', { tags: ['x'] }, 51],
    ['a description before 2.19', { description: 'x' }, 18],
    ['a host name before 2.90', { hostname: 'web' }, 89],
    ['no networks from 2.37 on', { networks: undefined }, 37],
    ['none before 2.37', { networks: 'none' }, 36],
    ['a network that is no port', { networks: [{ uuid: 'n' }] }, 93],
    ['one port twice', { networks: [{ port: 'a' }, { port: 'a' }] }, 93],
    ['several servers at once', { min_count: 2 }, 93],
    ['volumes', { block_device_mapping_v2: [{ source_type: 'volume', uuid: 'v' }] }, 93],
    ['user data that is no text', { user_data: '/w==' }, 93],
    ['a key pair that is not there', { key_name: 'nosuch' }, 93],
  ])('refuses %s', async (_, body, minor) => {
    const answer = await create(body, { minor });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ badRequest: { code: 400 } });
    expect(world.servers.size).toBe(0);
  });

  it('takes the image from the boot device, and from a property, for clients that look images up', async () => {
    const device = {
      uuid: IMAGE,
      source_type: 'image',
      destination_type: 'local',
      boot_index: 0,
      delete_on_termination: true,
    };
    await create({ imageRef: '', block_device_mapping_v2: [device] });
    expect(made().image_ref).toBe(IMAGE);
    world.servers.clear();
    await create({ imageRef: undefined, metadata: { image_ref: IMAGE } });
    expect(made().image_ref).toBe(IMAGE);
  });
});

describe('one server', () => {
  it('has the members of the microversion', async () => {
    world.add(server({ locked_by: 'owner', locked_reason: 'why', tags: ['x'] }));
    const at = async (minor: number) =>
      ((await call('get', `/v2.1/servers/${UUID}`, { minor })).body as { server: object }).server;
    const oldest = Object.keys(await at(1));
    expect(oldest).not.toContain('locked');
    expect(await at(1)).toMatchObject({
      id: UUID,
      status: 'ACTIVE',
      tenant_id: 'team',
      user_id: 'ann',
      created: '2026-11-21T07:00:00Z',
      flavor: {
        id: 'gold',
        links: [{ rel: 'bookmark', href: 'http://api.example:6385/flavors/gold' }],
      },
      image: { id: IMAGE },
      'OS-SRV-USG:launched_at': '2026-11-21T07:00:00.000000',
    });
    for (const [minor, member] of [
      [9, 'locked'],
      [19, 'description'],
      [26, 'tags'],
      [63, 'trusted_image_certificates'],
      [71, 'server_groups'],
      [73, 'locked_reason'],
      [90, 'OS-EXT-SRV-ATTR:hostname'],
    ] as const) {
      expect(Object.keys(await at(minor - 1))).not.toContain(member);
      expect(Object.keys(await at(minor))).toContain(member);
    }
    expect(await at(47)).toMatchObject({
      flavor: { original_name: 'gold', vcpus: 8, ram: 4096, disk: 100 },
    });
  });

  it('has its fault only while it is in error', async () => {
    const fault = { code: 500, message: 'No.', created: '2026-11-21T07:30:00+00:00' };
    world.add(server({ fault }));
    const view = async () =>
      ((await call('get', `/v2.1/servers/${UUID}`)).body as { server: object }).server;
    expect(await view()).not.toHaveProperty('fault');
    world.add(server({ fault, vm_state: 'error', status: 'ERROR' }));
    expect(await view()).toMatchObject({
      fault: { code: 500, message: 'No.', created: '2026-11-21T07:30:00Z' },
    });
  });

  it('never has its passwords', async () => {
    world.add(building({ task: task({ arguments: { admin_pass: 'very-secret' } }) }));
    expect((await call('get', `/v2.1/servers/${UUID}`)).text).not.toContain('very-secret');
  });

  it('that is missing is not found, and one of a stale decision is decided again', async () => {
    expect((await call('get', `/v2.1/servers/${UUID}`)).status).toBe(404);
    world.add(server());
    const stale = await call('get', `/v2.1/servers/${UUID}`, { revision: 7 });
    expect([stale.status, stale.headers['x-tenure-stale']]).toEqual([412, 'tenancy']);
  });

  it('is the one that was decided on, whatever the path says', async () => {
    world.add(server());
    world.add(server({ uuid: OTHER_UUID, name: 'other' }));
    const answer = await call('get', `/v2.1/servers/${OTHER_UUID}`, { server: UUID });
    expect(answer.body).toMatchObject({ server: { id: UUID } });
    expect((await call('get', `/v2.1/servers/${UUID}`, { server: null })).status).toBe(404);
  });

  it('is updated also while it is locked', async () => {
    world.add(server({ locked_by: 'owner' }));
    const answer = await call('put', `/v2.1/servers/${UUID}`, {
      body: { server: { name: 'new' } },
    });
    expect(answer.body).toMatchObject({ server: { name: 'new', updated: '2026-11-21T08:00:00Z' } });
  });

  it('is deleted once, and not while it is locked', async () => {
    world.add(server({ locked_by: 'owner' }));
    const locked = await call('delete', `/v2.1/servers/${UUID}`, {
      action: 'os_compute_api:servers:delete',
      conditions: heeding('owner', 'admin'),
    });
    expect([locked.status, locked.body]).toEqual([
      409,
      { conflictingRequest: { code: 409, message: `Instance ${UUID} is locked` } },
    ]);
    expect((await call('delete', `/v2.1/servers/${UUID}`)).status).toBe(204);
    const { revision } = world.server(UUID);
    expect((await call('delete', `/v2.1/servers/${UUID}`)).status).toBe(204);
    expect(world.server(UUID)).toMatchObject({ task_state: 'deleting', revision });
  });

  it('that is being built keeps its holder when it is deleted', async () => {
    const lock = { holder: 'replica-9', held_until: '2026-11-21T08:01:00+00:00' };
    world.add(building({ task: task(lock) }));
    await call('delete', `/v2.1/servers/${UUID}`);
    expect(world.server(UUID).task).toMatchObject({ kind: 'delete', ...lock });
  });
});

describe('actions', () => {
  it.each<
    readonly [string, unknown, Partial<ServerRecord>, number, Readonly<Record<string, unknown>>]
  >([
    ['os-stop', null, {}, 202, { task_state: 'powering-off', task: { kind: 'stop' } }],
    [
      'os-start',
      null,
      { vm_state: 'stopped', status: 'SHUTOFF' },
      202,
      { task_state: 'powering-on', status: 'SHUTOFF' },
    ],
    [
      'reboot',
      { type: 'SOFT' },
      {},
      202,
      { status: 'REBOOT', task: { arguments: { soft: true } } },
    ],
    ['reboot', { type: 'HARD' }, {}, 202, { status: 'HARD_REBOOT' }],
    ['rescue', null, {}, 200, { task_state: 'rescuing' }],
    ['unrescue', null, { vm_state: 'rescued' }, 202, { task_state: 'unrescuing' }],
    ['forceDelete', null, {}, 202, { task_state: 'deleting' }],
    [
      'rebuild',
      { imageRef: 'http://i/b.iso' },
      {},
      202,
      { status: 'REBUILD', image_ref: 'http://i/b.iso' },
    ],
    ['lock', null, {}, 202, { locked_by: 'owner' }],
    ['lock', { locked_reason: 'why' }, {}, 202, { locked_reason: 'why' }],
    ['unlock', null, { locked_by: 'owner' }, 202, { locked_by: null, locked_reason: null }],
  ])('%s %j is persisted', async (...[verb, argument, before, status, after]) => {
    world.add(server(before));
    expect((await act({ [verb]: argument })).status).toBe(status);
    expect(world.server(UUID)).toMatchObject(after);
  });

  it.each<readonly [string, unknown, Partial<ServerRecord>, string]>([
    [
      'os-stop',
      null,
      { vm_state: 'stopped' },
      "Cannot 'stop' instance X while it is in vm_state stopped",
    ],
    ['os-start', null, {}, "Cannot 'start' instance X while it is in vm_state active"],
    [
      'os-stop',
      null,
      { task_state: 'rescuing' },
      "Cannot 'stop' instance X while it is in task_state rescuing",
    ],
    [
      'reboot',
      { type: 'SOFT' },
      { vm_state: 'stopped' },
      "Cannot 'reboot' instance X while it is in vm_state stopped",
    ],
    ['unrescue', null, {}, "Cannot 'unrescue' instance X while it is in vm_state active"],
    [
      'rebuild',
      { imageRef: IMAGE },
      { vm_state: 'building' },
      "Cannot 'rebuild' instance X while it is in vm_state building",
    ],
    [
      'rebuild',
      { imageRef: IMAGE },
      { vm_state: 'error', node_uuid: null },
      "Cannot 'rebuild' instance X while it is in vm_state error",
    ],
    ['resume', null, {}, "Cannot 'resume' instance X while it is in vm_state active"],
    ['confirmResize', null, {}, "Cannot 'confirmResize' instance X while it is in vm_state active"],
  ])(
    '%s %j of a server that is %j is refused with Nova’s message',
    async (verb, argument, before, message) => {
      world.add(server(before));
      const answer = await act({ [verb]: argument });
      expect([answer.status, answer.text.replaceAll(UUID, 'X')]).toEqual([
        409,
        JSON.stringify({ conflictingRequest: { code: 409, message } }),
      ]);
      expect(gateway.submitted).toEqual([]);
    },
  );

  it('are refused as unsupported only after the checks of lock and state', async () => {
    world.add(server({ locked_by: 'owner' }));
    expect((await act({ pause: null })).status).toBe(501);
    expect((await act({ pause: null }, { conditions: heeding('owner') })).status).toBe(409);
    expect((await act({ resize: {} })).status).toBe(400);
    expect((await act({ 'os-getConsoleOutput': {} })).body).toEqual({
      notImplemented: {
        code: 501,
        message: 'Unable to get console log, functionality not implemented.',
      },
    });
    expect((await act({ changePassword: { adminPass: 'x' } })).status).toBe(409);
    expect((await act({ evacuate: {} })).status).toBe(400);
  });

  it('that are unknown, or several, are refused', async () => {
    world.add(server());
    expect((await act({ explode: null })).status).toBe(400);
    expect((await act({ lock: null, unlock: null })).status).toBe(400);
    expect((await act({})).status).toBe(400);
  });

  it('inject an NMI at once, on the node of the server', async () => {
    world.add(server());
    expect((await act({ trigger_crash_dump: null })).status).toBe(202);
    expect(world.orders).toEqual(['nmi']);
  });

  it('give a password to whoever rescues', async () => {
    world.add(server());
    const answer = await act({ rescue: { adminPass: 'word' } });
    expect(answer.body).toEqual({ adminPass: 'word' });
    expect(world.server(UUID).task).toMatchObject({ arguments: { admin_pass: 'word' } });
  });
});

describe('locks', () => {
  it('are an administrator’s when the locker is of no project of the server’s', async () => {
    world.add(server());
    await act({ lock: null }, { subject: person('sys', null) });
    expect(world.server(UUID).locked_by).toBe('admin');
    await act({ lock: { locked_reason: 'mine now' } });
    expect(world.server(UUID)).toMatchObject({ locked_by: 'admin', locked_reason: null });
  });

  it('of an administrator are removed by no one else, and the answer names the action that would', async () => {
    world.add(server({ locked_by: 'admin' }));
    const answer = await act(
      { unlock: null },
      { action: 'os_compute_api:os-lock-server:unlock', conditions: heeding('admin') },
    );
    expect([answer.status, answer.body]).toEqual([
      403,
      { forbidden: { code: 403, message: `Policy doesn't allow ${OVERRIDE} to be performed.` } },
    ]);
    expect(world.server(UUID).locked_by).toBe('admin');
  });

  it('that come between the decision and the write still hold', async () => {
    world.add(server());
    let isLocked = false;
    world.before = (name) => {
      if (name !== 'update' || isLocked) return;
      isLocked = true;
      world.servers.set(UUID, { ...world.server(UUID), locked_by: 'owner', revision: 5 });
    };
    const answer = await act({ 'os-stop': null }, { conditions: heeding('owner', 'admin') });
    expect(answer.status).toBe(409);
    expect(world.server(UUID)).toMatchObject({ locked_by: 'owner', task: null });
  });

  it('apply only where the policy says so, and a condition on any other field does not hold', async () => {
    world.add(server({ locked_by: 'owner' }));
    const odd = [{ field: 'surprise', op: 'ne' as const, value: 'x', action: 'a' }];
    expect((await act({ 'os-stop': null }, { conditions: odd })).status).toBe(409);
    expect((await act({ 'os-stop': null })).status).toBe(202);
  });
});

describe('lists', () => {
  const listed = async (target: string, more: Call = {}): Promise<Response> =>
    call('get', target, { server: null, filter: serversOf('team'), ...more });
  const idsIn = ({ body }: Response): readonly string[] =>
    (body as { servers: readonly { id: string }[] }).servers.map(({ id }) => id);

  beforeEach(() => {
    world.add(server());
    world.add(server({ uuid: OTHER_UUID, project_id: 'others' }));
  });

  it('are of the project of the token, also for one who may see all', async () => {
    expect(idsIn(await listed('/v2.1/servers'))).toEqual([UUID]);
    expect(idsIn(await listed('/v2.1/servers', { filter: ALL }))).toEqual([UUID]);
    const system = { filter: ALL, subject: person('sys', null) };
    expect(idsIn(await listed('/v2.1/servers', system))).toEqual([]);
    const every = await listed('/v2.1/servers?all_tenants=1', system);
    expect(idsIn(every)).toEqual([UUID, OTHER_UUID]);
    expect(every.headers['x-tenure-policy-filter']).toBe('all');
  });

  it('are under the filter of the policy, whatever the query', async () => {
    expect(idsIn(await listed('/v2.1/servers?all_tenants=1'))).toEqual([UUID]);
    expect(idsIn(await listed('/v2.1/servers?project_id=others'))).toEqual([]);
    expect(
      idsIn(await listed('/v2.1/servers', { filter: { mode: 'none', predicates: [] } })),
    ).toEqual([]);
  });

  it('have a link to the next page', async () => {
    const first = await listed('/v2.1/servers?all_tenants=1&limit=1', { filter: ALL });
    expect(first.body).toMatchObject({
      servers_links: [
        {
          rel: 'next',
          href: `http://api.example:6385/v2.1/servers?all_tenants=1&limit=1&marker=${UUID}`,
        },
      ],
    });
    const second = `/v2.1/servers/detail?all_tenants=1&limit=1&marker=${UUID}`;
    expect(idsIn(await listed(second, { filter: ALL }))).toEqual([OTHER_UUID]);
  });

  it('answer the same for an invisible marker and a missing one', async () => {
    const [hidden, missing] = [
      await listed(`/v2.1/servers?marker=${OTHER_UUID}`),
      await listed('/v2.1/servers?marker=nosuch'),
    ];
    expect([hidden.status, hidden.body]).toEqual([
      400,
      { badRequest: { code: 400, message: `marker [${OTHER_UUID}] not found` } },
    ]);
    expect(hidden.text.replace(OTHER_UUID, 'X')).toBe(missing.text.replace('nosuch', 'X'));
  });

  it('find nothing in a status that no server here has, and refuse an unknown status', async () => {
    expect(idsIn(await listed('/v2.1/servers?status=PAUSED'))).toEqual([]);
    expect(idsIn(await listed('/v2.1/servers?status=active'))).toEqual([UUID]);
    expect((await listed('/v2.1/servers?status=odd')).status).toBe(400);
    expect(idsIn(await listed('/v2.1/servers?status=odd', { minor: 37 }))).toEqual([]);
  });

  it.each([
    'sort_key=driver',
    'sort_dir=up',
    'limit=-1',
    'ip=10.0.0.1',
    'name=(a%2B)%2B',
    'changes-since=soon',
    'locked=maybe',
  ])('refuse %s', async (query) => {
    expect((await listed(`/v2.1/servers?${query}`)).status).toBe(400);
  });
});

describe('key pairs', () => {
  const KEY =
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN5VmzBvp2eaHSGA2AGvpJFvx0JhVSgGoYLMEXL4O8sn a@b';
  const add = (keypair: Readonly<Record<string, unknown>>, more: Call = {}) =>
    call('post', '/v2.1/os-keypairs', { server: null, body: { keypair }, ...more });
  const get = (target: string, more: Call = {}) => call('get', target, { server: null, ...more });

  it('are made for the caller, or for the user who was decided on', async () => {
    const own = await add({ name: 'mine', public_key: KEY });
    expect([own.status, own.body]).toEqual([
      201,
      {
        keypair: {
          name: 'mine',
          public_key: KEY,
          fingerprint: 'f6:7d:d4:a0:28:c7:6e:c6:7b:78:56:d1:d1:17:6c:29',
          type: 'ssh',
          user_id: 'ann',
        },
      },
    ]);
    await add({ name: 'hers', public_key: KEY, user_id: 'ben' });
    const names = async (target: string) =>
      (
        (await get(target)).body as { keypairs: readonly { keypair: { name: string } }[] }
      ).keypairs.map(({ keypair }) => keypair.name);
    expect(await names('/v2.1/os-keypairs')).toEqual(['mine']);
    expect(await names('/v2.1/os-keypairs?user_id=ben')).toEqual(['hers']);
    expect((await get('/v2.1/os-keypairs/hers')).status).toBe(404);
    expect((await get('/v2.1/os-keypairs/hers?user_id=ben')).status).toBe(200);
  });

  it('are made once, removed, and missing afterwards', async () => {
    await add({ name: 'mine', public_key: KEY });
    expect((await add({ name: 'mine', public_key: KEY })).body).toEqual({
      conflictingRequest: { code: 409, message: "Key pair 'mine' already exists." },
    });
    const remove = () => call('delete', '/v2.1/os-keypairs/mine', { server: null });
    expect((await remove()).status).toBe(204);
    const missing = await remove();
    expect([missing.status, missing.headers['x-tenure-missing']]).toEqual([404, 'part']);
  });

  it('are generated only for clients of before 2.92', async () => {
    const answer = await add({ name: 'made' }, { minor: 91 });
    expect(answer.body).toMatchObject({
      keypair: {
        name: 'made',
        public_key: expect.stringMatching(/^ssh-rsa /u),
        private_key: expect.stringContaining('BEGIN RSA PRIVATE KEY'),
      },
    });
    expect((await add({ name: 'none' })).status).toBe(400);
  });

  it.each(['nonsense', 'ssh-rsa AAAA', `${KEY}\nssh-rsa AAAA`, 'ssh-dss AAAAB3NzaC1kc3MAAAA='])(
    'are keys: not %j',
    async (key) => {
      expect((await add({ name: 'bad', public_key: key })).status).toBe(400);
      expect(gateway.keypairs.size).toBe(0);
    },
  );
});

describe('flavors', () => {
  const seen = {
    ...nodesOf('team'),
    predicates: [
      ...nodesOf('team').predicates,
      { field: 'project_id', op: 'eq' as const, value: 'others' },
    ],
  };
  const get = (target: string, more: Call = {}) =>
    call('get', target, { server: null, filter: seen, ...more });

  it('are the classes of the nodes that the policy lets the caller see', async () => {
    expect((await get('/v2.1/flavors')).body).toMatchObject({ flavors: [{ id: 'gold' }] });
    const every = await get('/v2.1/flavors', { filter: ALL });
    expect(every.body).toMatchObject({ flavors: [{ id: 'gold' }, { id: 'secret' }] });
    const none = await get('/v2.1/flavors', { filter: { mode: 'none', predicates: [] } });
    expect(none.body).toEqual({ flavors: [] });
  });

  it('have their requirements of a node', async () => {
    expect((await get('/v2.1/flavors/gold:CUSTOM_A')).body).toMatchObject({
      flavor: {
        id: 'gold:CUSTOM_A',
        vcpus: 8,
        ram: 4096,
        extra_specs: { 'resources:CUSTOM_GOLD': '1', 'trait:CUSTOM_A': 'required' },
      },
    });
  });

  it('of others look the same as missing ones', async () => {
    const [hidden, missing] = [
      await get('/v2.1/flavors/secret'),
      await get('/v2.1/flavors/nosuch'),
    ];
    expect(hidden.status).toBe(404);
    expect(hidden.text.replace('secret', 'X')).toBe(missing.text.replace('nosuch', 'X'));
    expect((await get('/v2.1/flavors/gold:CUSTOM_B')).status).toBe(404);
  });
});

describe('GET /v2.1', () => {
  it('names the versions that are served', async () => {
    expect((await call('get', '/v2.1', { server: null, subject: null })).body).toMatchObject({
      version: { id: 'v2.1', status: 'CURRENT', version: '2.93', min_version: '2.1' },
    });
  });
});
