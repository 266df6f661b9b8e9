import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aNode, type FakeInventory, faultOf } from '@tenure/testing';
import request from 'supertest';
import { ConductorHarness } from './testing/conductor-harness.js';
import { aRedfishNode } from './testing/nodes.js';
import { SignedCalls } from './testing/signed-calls.js';

let harness: ConductorHarness;
let inventory: FakeInventory;
let gateway: SignedCalls;

const call: SignedCalls['call'] = (...args) => gateway.call(...args);

function use(started: ConductorHarness): void {
  harness = started;
  ({ inventory } = harness);
  gateway = new SignedCalls(harness);
}

beforeEach(() => {
  use(new ConductorHarness());
});

afterEach(async () => {
  await harness.close();
});

describe('who may call', () => {
  it('is refused without a context, on any path', async () => {
    expect((await request(gateway.app).put('/v1/nodes/x/states/power')).status).toBe(401);
    expect((await request(gateway.app).get('/no/such/path')).status).toBe(401);
  });

  it('is for everything but running a server the gateway only', async () => {
    gateway = new SignedCalls(harness, 'compute');
    const node = inventory.put(aNode());
    const requests: readonly (readonly ['get' | 'put' | 'post' | 'patch' | 'delete', string])[] = [
      ['put', `/v1/nodes/${node.uuid}/maintenance`],
      ['put', `/v1/nodes/${node.uuid}/states/raid`],
      ['put', `/v1/nodes/${node.uuid}/states/power/`],
      ['put', `/v1/nodes/${node.uuid}/management/boot_device`],
      ['get', `/v1/nodes/${node.uuid}/vifs`],
      ['get', `/v1/nodes/${node.uuid}/states/provision`],
      ['post', `/v1/nodes/${node.uuid}/vmedia`],
      ['get', '/v1/drivers/fake-hardware/properties'],
      ['get', '/no/such/path'],
    ];
    for (const [method, target] of requests)
      expect((await call(method, target, node)).status).toBe(403);
    expect(inventory.writes).toEqual([]);
  });

  it('is for the verbs of a server the compute service too, about the node that it names', async () => {
    gateway = new SignedCalls(harness, 'compute');
    const node = inventory.put(aNode());
    const power = (about: typeof node | null) =>
      call('put', `/v1/nodes/${node.uuid}/states/power`, about, { body: { target: 'power on' } });
    expect((await power(null)).status).toBe(400);
    expect((await power({ ...node, tenancy_revision: node.tenancy_revision + 1 })).status).toBe(
      412,
    );
    expect((await power(node)).status).toBe(202);
    await harness.completed(node);
    expect(inventory.node(node.uuid)).toMatchObject({ power_state: 'power on' });
  });
});

describe('PUT states/power', () => {
  it('is accepted with an empty 202 and the place to look', async () => {
    const node = inventory.put(aNode({ name: 'rack-1' }));
    const response = await call('put', '/v1/nodes/rack-1/states/power', node, {
      body: {
        target: 'power on',
      },
    });
    expect(response.status).toBe(202);
    expect(response.text).toBe('');
    expect(response.headers).toMatchObject({
      'content-length': '0',
      location: 'http://tenure.example:6385/v1/nodes/rack-1/states',
    });
    await harness.completed(node);
    expect(inventory.node(node.uuid)).toMatchObject({ power_state: 'power on', reservation: null });
  });

  it.each([
    [{}],
    [{ target: 1 }],
    [{ target: 'power on', extra: 1 }],
    [{ target: 'power on', timeout: 0 }],
    [{ target: 'power on', timeout: '5' }],
    [[]],
  ])('refuses the body %j', async (body) => {
    const node = inventory.put(aNode());
    expect((await call('put', `/v1/nodes/${node.uuid}/states/power`, node, { body })).status).toBe(
      400,
    );
    expect(inventory.writes).toEqual([]);
  });

  it('says as Ironic does that a target is none', async () => {
    const node = inventory.put(aNode({ power_state: 'power on' }));
    const response = await call('put', `/v1/nodes/${node.uuid}/states/power`, node, {
      body: {
        target: 'bogus',
      },
    });
    expect(response.status).toBe(400);
    expect(faultOf(response)).toBe(
      `The requested action "bogus" can not be performed on node "${node.uuid}" while it is in state "power on".`,
    );
  });

  it.each([
    [{ target: 'soft power off' }, '1.26', 406],
    [{ target: 'soft rebooting' }, '1.1', 406],
    [{ target: 'power on', timeout: 5 }, '1.26', 406],
    [{ target: 'soft power off' }, '1.27', 202],
    [{ target: 'power on', timeout: 5 }, '1.27', 202],
    [{ target: 'rebooting' }, '1.1', 202],
  ])('%j at %s answers %i', async (body, version, status) => {
    const node = inventory.put(aNode({ power_state: 'power on' }));
    expect(
      (
        await call('put', `/v1/nodes/${node.uuid}/states/power`, node, {
          body,
          api_version: version,
        })
      ).status,
    ).toBe(status);
  });

  it("answers 409 with Ironic's message when the node is locked", async () => {
    const node = inventory.put(aNode({ reservation: 'other' }));
    const response = await call('put', `/v1/nodes/${node.uuid}/states/power`, node, {
      body: {
        target: 'power on',
      },
    });
    expect(response.status).toBe(409);
    expect(faultOf(response)).toBe(
      `Node ${node.uuid} is locked by host other, please retry after the current operation is completed.`,
    );
  });

  it("passes the caller's obligations on, and relays the inventory's message", async () => {
    const node = inventory.put(aNode({ reservation: 'other' }));
    const obligations = {
      filter: { mode: 'none' as const, predicates: [] },
      fields: { masked: ['reservation'], read_only: [] },
      set: {},
      conditions: [
        { field: 'provision_state', op: 'ne' as const, value: 'active', action: 'baremetal:x' },
      ],
    };
    const body = { target: 'power on' };
    const target = `/v1/nodes/${node.uuid}`;
    const power = await call('put', `${target}/states/power`, node, { body, obligations });
    const maintenance = await call('put', `${target}/maintenance`, node, { body: {}, obligations });
    const boot = await call('put', `${target}/management/boot_device`, node, {
      body: { boot_device: 'pxe' },
      obligations,
    });
    for (const response of [power, maintenance, boot]) {
      expect(response.status).toBe(409);
      expect(faultOf(response)).toBe(
        `Node ${node.uuid} is locked, please retry after the current operation is completed.`,
      );
    }
    inventory.breakLock(node.uuid);
    await call('put', `${target}/states/power`, node, { body, obligations });
    await harness.completed(node);
    expect(inventory.writes.map(({ context }) => context.obligations)).toEqual([
      obligations,
      obligations,
    ]);
  });

  it.each([
    ['allows it', { fields: { masked: [], read_only: [] } }, 'd-1', 'project-b'],
    ['has it read-only', { fields: { masked: [], read_only: ['lessee'] } }, 'd-1', null],
    ['is none', {}, null, null],
  ])(
    'makes the project of the instance the lessee where the decision %s',
    async (_what, parts, decision_id, lessee) => {
      const node = inventory.put(aNode({ instance_info: { project_id: 'project-b' } }));
      const obligations = {
        filter: { mode: 'none' as const, predicates: [] },
        fields: { masked: [], read_only: [] },
        set: {},
        ...parts,
      };
      const response = await call('put', `/v1/nodes/${node.uuid}/states/provision`, node, {
        body: { target: 'active' },
        obligations,
        decision_id,
      });
      expect(response.status).toBe(202);
      expect(await harness.completed(node)).toMatchObject({ provision_state: 'active', lessee });
    },
  );

  it('sends a stale decision back to the gateway', async () => {
    const node = inventory.put(aNode());
    inventory.put({ ...node, tenancy_revision: 2 });
    const response = await call('put', `/v1/nodes/${node.uuid}/states/power`, node, {
      body: {
        target: 'power on',
      },
    });
    expect(response.status).toBe(412);
    expect(response.headers['x-tenure-stale']).toBe('tenancy');
  });
});

describe('maintenance', () => {
  it('is set with a reason, and cleared', async () => {
    const node = inventory.put(aNode());
    const set = await call('put', `/v1/nodes/${node.uuid}/maintenance`, node, {
      body: {
        reason: 'broken fan',
      },
    });
    expect([set.status, set.text]).toEqual([202, '']);
    expect(inventory.node(node.uuid)).toMatchObject({
      maintenance: true,
      maintenance_reason: 'broken fan',
      reservation: null,
    });
    expect((await call('delete', `/v1/nodes/${node.uuid}/maintenance`, node)).status).toBe(202);
    expect(inventory.node(node.uuid)).toMatchObject({
      maintenance: false,
      maintenance_reason: null,
      reservation: null,
    });
  });

  it('needs no body', async () => {
    const node = inventory.put(aNode());
    expect((await call('put', `/v1/nodes/${node.uuid}/maintenance`, node)).status).toBe(202);
    expect(inventory.node(node.uuid)).toMatchObject({
      maintenance: true,
      maintenance_reason: null,
    });
  });

  it('waits for the lock', async () => {
    const node = inventory.put(aNode({ reservation: 'other' }));
    expect(
      (await call('put', `/v1/nodes/${node.uuid}/maintenance`, node, { body: {} })).status,
    ).toBe(409);
    expect(inventory.node(node.uuid).maintenance).toBe(false);
  });

  it('refuses another body', async () => {
    const node = inventory.put(aNode());
    expect(
      (await call('put', `/v1/nodes/${node.uuid}/maintenance`, node, { body: { reason: 1 } }))
        .status,
    ).toBe(400);
  });
});

describe('validate', () => {
  it.each([
    '/v1/nodes/ID/validate',
    '/v1/nodes/validate?node=ID',
    '/v1/nodes/validate?node_uuid=ID',
  ])('%s names every interface', async (template) => {
    const node = inventory.put(aNode());
    const response = await call('get', template.replace('ID', node.uuid), node);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      boot: { result: true },
      deploy: { result: true },
      management: { result: true },
      network: { result: true },
      power: { result: true },
      bios: { result: true },
      console: { result: true },
      firmware: { result: true },
      inspect: { result: true },
      raid: { result: true },
      rescue: { result: true },
      storage: { result: true },
    });
  });

  it('says what is missing without repeating a secret', async () => {
    const node = inventory.put(
      aNode({
        driver: 'redfish',
        driver_info: {
          redfish_address: 'https://admin:s3cret@192.0.2.1',
          redfish_username: 'u',
          redfish_password: 's3cret',
        },
      }),
    );
    const response = await call('get', `/v1/nodes/${node.uuid}/validate`, node);
    expect((response.body as Record<string, unknown>)['power']).toEqual({
      result: false,
      reason: 'redfish_address must not hold credentials',
    });
    expect((response.body as Record<string, unknown>)['console']).toEqual({
      result: null,
      reason: 'not supported',
    });
    expect(response.text).not.toContain('s3cret');
  });
});

describe('boot device', () => {
  it('is set, stored in the record, and returned', async () => {
    const node = inventory.put(aNode());
    const target = `/v1/nodes/${node.uuid}/management/boot_device`;
    expect((await call('get', target, node)).body).toEqual({
      boot_device: 'pxe',
      persistent: false,
    });
    const set = await call('put', target, node, {
      body: { boot_device: 'disk', persistent: true },
    });
    expect([set.status, set.text]).toEqual([204, '']);
    expect(inventory.node(node.uuid).reservation).toBeNull();
    expect((await call('get', target, node)).body).toEqual({
      boot_device: 'disk',
      persistent: true,
    });
    expect((await call('get', `${target}/supported`, node)).body).toEqual({
      supported_boot_devices: ['pxe', 'disk', 'cdrom', 'bios', 'safe'],
    });
  });

  it.each([[{ boot_device: 'toaster' }], [{}], [{ boot_device: 'pxe', persistent: 'yes' }]])(
    'refuses %j and releases the lock',
    async (body) => {
      const node = inventory.put(aNode());
      expect(
        (await call('put', `/v1/nodes/${node.uuid}/management/boot_device`, node, { body })).status,
      ).toBe(400);
      expect(inventory.node(node.uuid)).toMatchObject({
        reservation: null,
        driver_internal_info: {},
      });
    },
  );

  it('waits for the lock', async () => {
    const node = inventory.put(aNode({ reservation: 'other' }));
    expect(
      (
        await call('put', `/v1/nodes/${node.uuid}/management/boot_device`, node, {
          body: {
            boot_device: 'pxe',
          },
        })
      ).status,
    ).toBe(409);
  });

  it('answers 502 for a BMC that hangs, and releases the lock', async () => {
    use(new ConductorHarness(undefined, undefined, { bmcCallMs: 500 }));
    const bmc = await harness.openBmc();
    bmc.faults.hang = true;
    const node = inventory.put(aRedfishNode(bmc));
    const target = `/v1/nodes/${node.uuid}/management/boot_device`;
    const response = await call('put', target, node, { body: { boot_device: 'pxe' } });
    expect(response.status).toBe(502);
    expect(faultOf(response)).toBe('The BMC is unreachable.');
    expect(inventory.node(node.uuid).reservation).toBeNull();
    expect((await call('get', target, node)).status).toBe(502);
  });
});
