import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ContextStatement } from '@tenure/signed-context';
import { faultOf } from '@tenure/testing';
import { makeNode, uuidOf } from './testing/fixtures.js';
import { forcing, masking, startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await startTestApp();
});
afterEach(() => app.close());

type Values = Readonly<Record<string, unknown>>;

const add = (number: number, values: Values = {}) =>
  app.stores.nodes.insert((epoch) =>
    makeNode({ uuid: uuidOf(number), name: `n${String(number)}`, ...values }, epoch),
  );
const stored = (number: number) => app.stores.nodes.findBy('uuid', uuidOf(number));
const create = (body: Values, context: Partial<ContextStatement> = {}) =>
  app.call({ from: 'gateway', method: 'POST', target: '/v1/nodes', body, context });
const patch = (number: number, body: unknown, context: Partial<ContextStatement> = {}) =>
  app.onNode(uuidOf(number), { method: 'PATCH', body, context });
const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }];

const WHOLE_AT_1_65 = [
  'uuid',
  'created_at',
  'updated_at',
  'automated_clean',
  'bios_interface',
  'boot_interface',
  'clean_step',
  'conductor_group',
  'console_enabled',
  'console_interface',
  'deploy_interface',
  'deploy_step',
  'description',
  'driver',
  'driver_info',
  'driver_internal_info',
  'extra',
  'fault',
  'inspection_finished_at',
  'inspection_started_at',
  'inspect_interface',
  'instance_info',
  'instance_uuid',
  'last_error',
  'lessee',
  'maintenance',
  'maintenance_reason',
  'management_interface',
  'name',
  'network_interface',
  'owner',
  'power_interface',
  'power_state',
  'properties',
  'protected',
  'protected_reason',
  'provision_state',
  'provision_updated_at',
  'raid_config',
  'raid_interface',
  'rescue_interface',
  'reservation',
  'resource_class',
  'retired',
  'retired_reason',
  'storage_interface',
  'target_power_state',
  'target_provision_state',
  'target_raid_config',
  'traits',
  'vendor_interface',
  'links',
  'conductor',
  'allocation_uuid',
  'chassis_uuid',
  'ports',
  'states',
  'portgroups',
  'volume',
];

describe('one node', () => {
  it('is returned whole, in the order of its members', async () => {
    await add(1);
    const { status, body } = await app.onNode(uuidOf(1), {});
    expect(status).toBe(200);
    expect(Object.keys(body as object)).toEqual(WHOLE_AT_1_65);
  });

  it('is returned as it was at 1.1 for a request at 1.1', async () => {
    await add(1);
    const { body } = await app.onNode(uuidOf(1), { context: { api_version: '1.1' } });
    expect(Object.keys(body as object)).toEqual([
      'uuid',
      'created_at',
      'updated_at',
      'console_enabled',
      'driver',
      'driver_info',
      'extra',
      'instance_info',
      'instance_uuid',
      'last_error',
      'maintenance',
      'maintenance_reason',
      'power_state',
      'properties',
      'provision_state',
      'provision_updated_at',
      'reservation',
      'target_power_state',
      'target_provision_state',
      'links',
      'chassis_uuid',
      'ports',
    ]);
  });

  it('is returned in part with fields=', async () => {
    await add(1);
    const { body } = await app.onNode(uuidOf(1), { below: '?fields=uuid,name' });
    expect(Object.keys(body as object)).toEqual(['uuid', 'name', 'links']);
  });

  it('is masked the same on every way', async () => {
    await add(1, {
      last_error: 'host x',
      reservation: 'c1',
      driver_info: { a: 1 },
      driver_internal_info: { b: 1 },
    });
    const context = {
      obligations: masking('driver_info', 'driver_internal_info', 'last_error', 'reservation'),
    };
    const masked = {
      driver_info: {},
      driver_internal_info: {},
      last_error: null,
      reservation: true,
    };
    expect((await app.onNode(uuidOf(1), { context })).body).toMatchObject(masked);
    expect(
      (await app.onNode(uuidOf(1), { context, below: '?fields=last_error,reservation' })).body,
    ).toMatchObject({ last_error: null, reservation: true });
    expect((await app.onNode(uuidOf(1), { context, below: '/states' })).body).toMatchObject({
      last_error: null,
    });
    expect((await app.onNode(uuidOf(1), { below: '/states' })).body).toMatchObject({
      last_error: 'host x',
    });
    await add(2, { last_error: 'host x', driver_info: { a: 1 } });
    expect((await patch(2, replace('/extra', { a: 1 }), context)).body).toMatchObject({
      driver_info: {},
      last_error: null,
      reservation: false,
      extra: { a: 1 },
    });
  });

  it('has states', async () => {
    await add(1, {
      provision_state: 'available',
      provision_updated_at: '2026-11-21T07:10:58.123Z',
    });
    expect((await app.onNode(uuidOf(1), { below: '/states' })).body).toEqual({
      console_enabled: false,
      last_error: null,
      power_state: null,
      provision_state: 'available',
      target_power_state: null,
      target_provision_state: null,
      provision_updated_at: '2026-11-21T07:10:58+00:00',
      raid_config: {},
      target_raid_config: {},
    });
  });

  it('that was removed is not found, by the name the caller used', async () => {
    const context = { resources: [{ type: 'node', uuid: uuidOf(9), tenancy_revision: 1 }] };
    const answer = await app.call({ from: 'gateway', target: '/v1/nodes/some-name', context });
    expect([answer.status, faultOf(answer)]).toEqual([404, 'Node some-name could not be found.']);
  });

  it.each(['GET', 'PATCH', 'DELETE'])(
    'of another tenancy than decided on is refused to %s',
    async (method) => {
      const node = await add(1, { owner: 'p-a' });
      const resources = [
        { type: 'node', uuid: uuidOf(1), tenancy_revision: node.tenancy_revision + 1 },
      ];
      const body = method === 'PATCH' ? { body: replace('/extra', {}) } : {};
      const answer = await app.onNode(uuidOf(1), { method, context: { resources }, ...body });
      expect([answer.status, answer.headers.get('x-tenure-stale')]).toEqual([412, 'tenancy']);
      expect(await stored(1)).toEqual(node);
    },
  );

  it('is the one in the context, never the one in the path', async () => {
    await add(1);
    await add(2);
    const context = { resources: [{ type: 'node', uuid: uuidOf(2), tenancy_revision: 1 }] };
    expect(
      (await app.call({ from: 'gateway', target: `/v1/nodes/${uuidOf(1)}`, context })).body,
    ).toMatchObject({ uuid: uuidOf(2) });
    expect((await app.call({ from: 'gateway', target: `/v1/nodes/${uuidOf(1)}` })).status).toBe(
      401,
    );
  });
});

describe('creating', () => {
  it('gives defaults, a location and the whole node', async () => {
    const answer = await create({
      driver: 'fake-hardware',
      name: 'x',
      owner: 'p-a',
      uuid: uuidOf(1),
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`http://127.0.0.1:6385/v1/nodes/${uuidOf(1)}`);
    expect(answer.body).toMatchObject({
      uuid: uuidOf(1),
      name: 'x',
      owner: 'p-a',
      provision_state: 'enroll',
      created_at: '2026-11-21T08:00:00+00:00',
      updated_at: null,
      boot_interface: 'fake',
      network_interface: 'noop',
      storage_interface: 'noop',
      conductor_group: '',
      automated_clean: null,
      traits: [],
    });
  });

  it('gives redfish nodes redfish’s interfaces, unless others are named', async () => {
    expect((await create({ driver: 'redfish', power_interface: 'ipmitool' })).body).toMatchObject({
      management_interface: 'redfish',
      power_interface: 'ipmitool',
    });
  });

  it('writes the owner that the policy forces, whatever the body says', async () => {
    for (const body of [{ driver: 'redfish' }, { driver: 'redfish', owner: 'p-b' }])
      expect((await create(body, { obligations: forcing('p-a') })).body).toMatchObject({
        owner: 'p-a',
      });
  });

  it.each([
    [
      { driver: 'nope' },
      400,
      'No valid host was found. Reason: No conductor service registered which supports driver nope for conductor group "". Ensure the driver is valid and enabled.',
    ],
    [
      { driver: 'fake-hardware', bogus: 1 },
      400,
      "Schema error for node: Additional properties are not allowed ('bogus' was unexpected)",
    ],
    [
      { driver: 'fake-hardware', traits: ['T'] },
      400,
      "Schema error for node: Additional properties are not allowed ('traits' was unexpected)",
    ],
    [
      { driver: 'fake-hardware', provision_state: 'active' },
      400,
      "Schema error for node: Additional properties are not allowed ('provision_state' was unexpected)",
    ],
    [{ name: 'x' }, 400, "Schema error for node: 'driver' is a required property"],
    [{ driver: 'fake-hardware', owner: 5 }, 400, 'Invalid input for field/attribute owner.'],
    [{ driver: 'fake-hardware', name: 'a b' }, 400, 'Cannot use invalid name a b'],
    [{ driver: 'fake-hardware', name: uuidOf(3) }, 400, `Cannot use invalid name ${uuidOf(3)}`],
    [{ driver: 'fake-hardware', name: '.' }, 400, 'Cannot use invalid name .'],
    [{ driver: 'fake-hardware', name: '..' }, 400, 'Cannot use invalid name ..'],
    [
      { driver: 'fake-hardware', deploy_interface: 'nope' },
      400,
      'deploy_interface: there is no interface "nope".',
    ],
    [
      { driver: 'fake-hardware', rescue_interface: 'no-console' },
      400,
      'rescue_interface: there is no interface "no-console".',
    ],
    [{ driver: 'fake-hardware', shard: 'a' }, 406, 'Request not acceptable.'],
    [
      { driver: 'fake-hardware', chassis_uuid: uuidOf(9) },
      400,
      `Chassis ${uuidOf(9)} could not be found.`,
    ],
    [
      { driver: 'fake-hardware', driver_info: { redfish_password: '******' } },
      400,
      'driver_info/redfish_password: "******" is a placeholder for a secret; send the secret itself, or leave it out.',
    ],
  ])('%j is %d', async (body, status, fault) => {
    const answer = await create(body);
    expect([answer.status, faultOf(answer)]).toEqual([status, fault]);
  });

  it.each([
    ['1.1', 'available', null],
    ['1.2', 'available', 'available'],
    ['1.10', 'available', 'available'],
    ['1.11', 'enroll', 'enroll'],
  ])(
    'in %s begins in %s, because old clients do not support enrolment',
    async (version, state, visible) => {
      const body = { driver: 'fake-hardware', uuid: uuidOf(1) };
      const answer = await create(body, { api_version: version });
      expect(answer.body).toMatchObject({ provision_state: visible });
      expect(await stored(1)).toMatchObject({ provision_state: state });
    },
  );

  it('refuses a field that is newer than the version', async () => {
    expect(
      (await create({ driver: 'fake-hardware', owner: 'p-a' }, { api_version: '1.49' })).status,
    ).toBe(406);
  });

  it('refuses a name, uuid or instance that is there already', async () => {
    await create({
      driver: 'fake-hardware',
      name: 'x',
      uuid: uuidOf(1),
      instance_uuid: uuidOf(50),
    });
    const answers = await Promise.all(
      [{ name: 'x' }, { uuid: uuidOf(1) }, { instance_uuid: uuidOf(50) }].map((values) =>
        create({ driver: 'fake-hardware', ...values }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409]);
    expect(faultOf(answers[0] ?? { status: 0, headers: new Headers(), body: undefined })).toBe(
      'A node with name x already exists.',
    );
  });

  it('needs a live conductor for the driver once one has reported', async () => {
    await app.call({
      from: 'conductor',
      method: 'PUT',
      target: '/internal/conductors/c1',
      body: { drivers: ['redfish'], conductor_group: 'g' },
    });
    expect((await create({ driver: 'redfish' })).status).toBe(400);
    expect((await create({ driver: 'redfish', conductor_group: 'G' })).status).toBe(201);
    expect((await create({ driver: 'fake-hardware', conductor_group: 'g' })).status).toBe(400);
  });
});

describe('patching', () => {
  it('with no operation shows the node as it is', async () => {
    await add(1, { extra: { rack: 'r1' } });
    const answer = await patch(1, []);
    expect([answer.status, answer.body]).toMatchObject([200, { extra: { rack: 'r1' } }]);
  });

  it('adds, replaces and removes, at any depth, all or nothing', async () => {
    await add(1, { extra: { rack: 'r1', list: [1, 2] }, name: 'old' });
    const operations = [
      { op: 'add', path: '/extra/a~1b', value: { c: 1 } },
      { op: 'replace', path: '/extra/list/0', value: 9 },
      { op: 'add', path: '/extra/list/-', value: 3 },
      { op: 'remove', path: '/extra/rack' },
      { op: 'remove', path: '/name' },
    ];
    expect(await patch(1, operations)).toMatchObject({
      status: 200,
      body: {
        extra: { 'a/b': { c: 1 }, list: [9, 2, 3] },
        name: null,
        updated_at: '2026-11-21T08:00:00+00:00',
      },
    });
    const before = await stored(1);
    expect(
      (await patch(1, [...replace('/extra', {}), { op: 'remove', path: '/extra/missing' }])).status,
    ).toBe(400);
    expect(await stored(1)).toEqual(before);
  });

  it('names what can be patched when something else is', async () => {
    await add(1);
    const answer = await patch(1, replace('/nope', 1));
    expect(answer.status).toBe(400);
    expect(faultOf(answer)).toMatch(
      /^Cannot patch \/nope\. Only the following can be updated: automated_clean, bios_interface, boot_interface, chassis_uuid, .*vendor_interface$/u,
    );
  });

  it.each([
    ['/provision_state', 'active', 400],
    ['/uuid', uuidOf(5), 400],
    ['/traits', ['T'], 400],
    ['/reservation', 'x', 400],
    ['/last_error', 'x', 400],
    ['/fence', 1, 400],
    ['/owner', 5, 400],
    ['/owner/x', 'a', 400],
    ['/extra/__proto__/x', 1, 400],
    ['/driver', null, 400],
    ['/name', 'a b', 400],
    ['/name', '.', 400],
    ['/name', '..', 400],
    ['/boot_interface', 'nope', 400],
    ['/boot_interface', 5, 400],
    ['/shard', 'a', 406],
    ['/driver_info/redfish_password', '******', 400],
    ['/driver_info', { a: { b_token: '******' } }, 400],
    ['/extra/nothing/below', 1, 400],
  ])('refuses %s = %j with %d', async (path, value, status) => {
    const before = await add(1, { driver_info: { redfish_password: 'pw' } });
    expect((await patch(1, [{ op: 'add', path, value }])).status).toBe(status);
    expect(await stored(1)).toEqual(before);
  });

  it.each([
    { op: 'move', path: '/a' },
    { op: 'test', path: '/extra', value: {} },
    { op: 'add', path: '/extra' },
    { op: 'add', path: '' },
  ])('refuses %j', async (operation) => {
    await add(1);
    expect((await patch(1, [operation])).status).toBe(400);
    expect((await patch(1, operation)).status).toBe(400);
  });

  it('of a node that is locked is refused, as Ironic says it', async () => {
    await add(1, { reservation: 'c1' });
    const answer = await patch(1, replace('/owner', 'p-b'));
    expect([answer.status, faultOf(answer)]).toEqual([
      409,
      `Node ${uuidOf(1)} is locked by host c1, please retry after the current operation is completed.`,
    ]);
  });

  it('of a node that is locked does not reveal by whom, if that is masked', async () => {
    await add(1, { reservation: 'c1' });
    for (const call of [{ method: 'PATCH', body: replace('/extra', {}) }, { method: 'DELETE' }]) {
      const context = { obligations: masking('reservation') };
      const answer = await app.onNode(uuidOf(1), { ...call, context });
      expect([answer.status, faultOf(answer)]).toEqual([
        409,
        `Node ${uuidOf(1)} is locked, please retry after the current operation is completed.`,
      ]);
    }
  });

  it('of the driver does not reveal the conductor group, if that is masked', async () => {
    await add(1, { conductor_group: 'rack-7' });
    const context = { obligations: masking('conductor_group') };
    const answer = await patch(1, replace('/driver', 'nope'), context);
    expect([answer.status, faultOf(answer)]).toEqual([
      400,
      'No valid host was found. Reason: No conductor service registered which supports driver nope. Ensure the driver is valid and enabled.',
    ]);
  });

  describe('under a condition', () => {
    const ownerIfNotActive: Partial<ContextStatement> = {
      obligations: {
        ...masking(),
        conditions: [
          {
            field: 'provision_state',
            op: 'ne',
            value: 'active',
            action: 'baremetal:node:update_owner_provisioned',
          },
        ],
      },
    };

    it.each([
      { op: 'add', path: '/owner', value: 'p-b' },
      { op: 'replace', path: '/owner', value: 'p-b' },
      { op: 'remove', path: '/owner' },
    ])('that does not hold is refused, naming the action: %j', async (operation) => {
      const before = await add(1, { owner: 'p-a', provision_state: 'active' });
      const answer = await patch(1, [operation], ownerIfNotActive);
      expect([answer.status, faultOf(answer)]).toEqual([
        409,
        `Cannot change owner of node ${uuidOf(1)} while its provision_state is active; baremetal:node:update_owner_provisioned is required.`,
      ]);
      expect(await stored(1)).toEqual(before);
    });

    it('that holds is done, and so is what has no condition', async () => {
      await add(1, { owner: 'p-a', provision_state: 'available' });
      await add(2, { owner: 'p-a', provision_state: 'active' });
      expect((await patch(1, replace('/owner', 'p-b'), ownerIfNotActive)).status).toBe(200);
      expect((await patch(2, replace('/owner', 'p-b'))).status).toBe(200);
    });

    it('that does not hold of what is made or deleted is refused', async () => {
      await add(1, { provision_state: 'active', maintenance: true });
      const deletion = { method: 'DELETE', context: ownerIfNotActive };
      expect((await app.onNode(uuidOf(1), deletion)).status).toBe(409);
      const condition = { field: 'driver', op: 'ne', value: 'redfish', action: 'a:b' } as const;
      const obligations = { ...masking(), conditions: [condition] };
      expect((await create({ driver: 'redfish' }, { obligations })).status).toBe(409);
      expect((await create({ driver: 'fake-hardware' }, { obligations })).status).toBe(201);
    });
  });

  describe('of a BMC’s address', () => {
    const BMC = {
      redfish_address: 'https://bmc-1.example',
      redfish_username: 'u',
      redfish_password: 'pw',
    };
    const address = (value: unknown) => ({
      op: 'add',
      path: '/driver_info/redfish_address',
      value,
    });
    const password = { op: 'add', path: '/driver_info/redfish_password', value: 'new' };

    it.each([
      [[address('https://elsewhere.example')]],
      [[address('http://bmc-1.example')]],
      [[address('https://bmc-1.example:8443')]],
      [[address('https://bmc-1.example@elsewhere.example')]],
      [[{ op: 'remove', path: '/driver_info/redfish_address' }, address('elsewhere.example')]],
      [
        [
          address('https://elsewhere.example'),
          { op: 'add', path: '/driver_info/redfish_username', value: 'v' },
        ],
      ],
    ])('is refused without its password: %j', async (operations) => {
      const before = await add(1, { driver_info: BMC });
      const answer = await patch(1, operations);
      expect([answer.status, faultOf(answer)]).toEqual([
        400,
        'driver_info/redfish_address names another host: set driver_info/redfish_password again in the same request.',
      ]);
      expect(await stored(1)).toEqual(before);
    });

    it('cannot be done in two steps either', async () => {
      await add(1, { driver_info: BMC });
      const removed = await patch(1, [{ op: 'remove', path: '/driver_info/redfish_address' }]);
      expect(removed.status).toBe(200);
      expect((await patch(1, [address('https://elsewhere.example')])).status).toBe(400);
    });

    it.each([
      [[address('https://elsewhere.example'), password]],
      [[address('bmc-1.example')]],
      [[address('https://BMC-1.example:443/')]],
      [
        [
          address('https://elsewhere.example'),
          { op: 'remove', path: '/driver_info/redfish_password' },
        ],
      ],
      [
        [
          {
            op: 'replace',
            path: '/driver_info',
            value: { ...BMC, redfish_address: 'https://elsewhere.example' },
          },
        ],
      ],
      [
        [
          {
            op: 'replace',
            path: '/driver_info',
            value: { redfish_address: 'https://elsewhere.example' },
          },
        ],
      ],
      [[{ op: 'add', path: '/driver_info/ipmi_address', value: '192.0.2.1' }]],
    ])('is done with it, or to the same host: %j', async (operations) => {
      await add(1, { driver_info: BMC });
      expect((await patch(1, operations)).status).toBe(200);
    });
  });

  it('of owner or lessee makes every earlier decision stale', async () => {
    await add(1, { owner: 'p-a' });
    const stale = { resources: [{ type: 'node', uuid: uuidOf(1), tenancy_revision: 1 }] };
    expect((await patch(1, replace('/lessee', 'p-b'), stale)).status).toBe(200);
    expect(await stored(1)).toMatchObject({ lessee: 'p-b', tenancy_revision: 2 });
    expect((await patch(1, replace('/extra', {}), stale)).status).toBe(412);
    expect((await patch(1, replace('/extra', {}))).status).toBe(200);
    expect(await stored(1)).toMatchObject({ tenancy_revision: 2, revision: 3 });
  });

  it('of the owner is refused while an allocation with an owner holds the node', async () => {
    await add(1, { owner: 'p-a', provision_state: 'available', power_state: 'power off' });
    await app.call({
      from: 'allocation',
      method: 'POST',
      target: '/internal/allocations',
      body: { uuid: uuidOf(8), owner: 'p-a', candidate_filter: { mode: 'all', predicates: [] } },
    });
    await app.call({
      from: 'allocation',
      method: 'POST',
      target: `/internal/allocations/${uuidOf(8)}/claim`,
      body: { node_uuid: uuidOf(1) },
    });
    for (const operation of [
      { op: 'replace', path: '/owner', value: 'p-b' },
      { op: 'remove', path: '/owner' },
    ])
      expect((await patch(1, [operation])).status).toBe(409);
    expect((await patch(1, replace('/lessee', 'p-b'))).status).toBe(200);
  });

  it('of instance_uuid claims a node once', async () => {
    await add(1);
    await add(2);
    expect((await patch(1, replace('/instance_uuid', uuidOf(50)))).status).toBe(200);
    expect((await patch(1, replace('/instance_uuid', uuidOf(50)))).status).toBe(200);
    expect((await patch(1, replace('/instance_uuid', uuidOf(51)))).status).toBe(409);
    expect((await patch(2, replace('/instance_uuid', uuidOf(50)))).status).toBe(409);
    expect((await patch(1, [{ op: 'remove', path: '/instance_uuid' }])).status).toBe(200);
    expect((await patch(2, replace('/instance_uuid', uuidOf(50)))).status).toBe(200);
  });

  it('at once with others loses nothing', async () => {
    await add(1);
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((number) =>
        patch(1, [{ op: 'add', path: `/extra/k${String(number)}`, value: number }]),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await stored(1)).toMatchObject({ extra: { k1: 1, k2: 2, k3: 3, k4: 4, k5: 5 } });
  });

  it('of maintenance takes its reason along', async () => {
    await add(1, { maintenance: true, maintenance_reason: 'why', fault: 'power failure' });
    expect((await patch(1, replace('/maintenance', 'False'))).body).toMatchObject({
      maintenance: false,
      maintenance_reason: null,
      fault: null,
    });
  });

  it('of automated_clean knows true, false and nothing', async () => {
    await add(1);
    expect((await patch(1, replace('/automated_clean', false))).body).toMatchObject({
      automated_clean: false,
    });
    expect((await patch(1, [{ op: 'remove', path: '/automated_clean' }])).body).toMatchObject({
      automated_clean: null,
    });
  });

  it('of the driver brings its interfaces with it', async () => {
    await app.stores.nodes.insert((epoch) =>
      makeNode({ uuid: uuidOf(1), boot_interface: 'fake', power_interface: 'special' }, epoch),
    );
    expect((await patch(1, replace('/driver', 'redfish'))).body).toMatchObject({
      driver: 'redfish',
      boot_interface: 'redfish-virtual-media',
      power_interface: 'special',
    });
    expect((await patch(1, [{ op: 'remove', path: '/power_interface' }])).body).toMatchObject({
      power_interface: 'redfish',
    });
    expect((await patch(1, replace('/driver', 'nope'))).status).toBe(400);
  });

  it('of the driver waits until nothing relies on it', async () => {
    await add(1, { provision_state: 'active' });
    expect((await patch(1, replace('/driver', 'redfish'))).status).toBe(409);
    expect((await patch(1, replace('/owner', 'p-b'))).status).toBe(200);
  });
});

describe('deleting', () => {
  it('removes the node and what belongs to it', async () => {
    await add(1);
    await app.stores.resources.ports.insert(() => ({
      uuid: uuidOf(5),
      node_uuid: uuidOf(1),
      created_at: '2026-11-21T07:10:57+00:00',
      updated_at: null,
      revision: 1,
    }));
    expect((await app.onNode(uuidOf(1), { method: 'DELETE' })).status).toBe(204);
    expect(await stored(1)).toBeUndefined();
    expect(await app.stores.resources.ports.findBy('uuid', uuidOf(5))).toBeUndefined();
  });

  it.each([
    [{ reservation: 'c1' }, 409],
    [{ instance_uuid: uuidOf(50) }, 409],
    [{ provision_state: 'active' }, 409],
    [{ protected: true }, 403],
    [{ protected: true, maintenance: true }, 403],
    [{ provision_state: 'active', instance_uuid: uuidOf(50), maintenance: true }, 204],
    [{ provision_state: 'manageable' }, 204],
  ])('of a node with %j is %d', async (values, status) => {
    await add(1, values);
    expect((await app.onNode(uuidOf(1), { method: 'DELETE' })).status).toBe(status);
    expect((await stored(1)) === undefined).toBe(status === 204);
  });

  it('and making it again leaves old decisions without effect', async () => {
    const old = await add(1, { owner: 'p-a' });
    await app.onNode(uuidOf(1), { method: 'DELETE' });
    await create({ driver: 'fake-hardware', uuid: uuidOf(1), owner: 'p-b' });
    const context = {
      resources: [{ type: 'node', uuid: uuidOf(1), tenancy_revision: old.tenancy_revision }],
    };
    expect((await app.onNode(uuidOf(1), { method: 'DELETE', context })).status).toBe(412);
  });
});

describe('version documents', () => {
  const root = (target: string, version: string) =>
    app.call({
      from: 'gateway',
      target,
      context: { api_version: version, public_base: 'http://h:1' },
    });

  it('name the versions served', async () => {
    const v1 = {
      id: 'v1',
      links: [{ href: 'http://h:1/v1/', rel: 'self' }],
      status: 'CURRENT',
      min_version: '1.1',
      version: '1.91',
    };
    expect((await root('/', '1.1')).body).toMatchObject({
      name: 'OpenStack Ironic API',
      default_version: v1,
      versions: [v1],
    });
  });

  it('list the resources of the requested version', async () => {
    expect(Object.keys((await root('/v1', '1.1')).body as object)).toEqual([
      'id',
      'links',
      'media_types',
      'chassis',
      'nodes',
      'ports',
      'drivers',
      'version',
    ]);
    expect((await root('/v1/', '1.65')).body).toMatchObject({
      nodes: [
        { href: 'http://h:1/v1/nodes/', rel: 'self' },
        { href: 'http://h:1/nodes/', rel: 'bookmark' },
      ],
    });
  });
});
