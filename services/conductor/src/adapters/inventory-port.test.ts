import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ContextClaims, TenancyChangedError } from '@tenure/contracts';
import {
  createServiceClient,
  type Listener,
  type ServiceClient,
  startListener,
} from '@tenure/http';
import { newCallContext } from '@tenure/signed-context';
import { aboutNode } from '../application/about-node.js';
import { type InventoryPort } from '../ports/inventory-port.js';
import { sharedKeys } from '../testing/context-keys.js';
import { FakeInventory } from '../testing/fake-inventory.js';
import { createInventoryService } from '../testing/inventory-service.js';
import { aNode } from '../testing/nodes.js';
import { createHttpInventory } from './inventory-port-http.js';

let fake: FakeInventory;
let listener: Listener;
let client: ServiceClient;
let http: InventoryPort;
let claims: ContextClaims[];

beforeEach(async () => {
  fake = new FakeInventory();
  claims = [];
  const keys = sharedKeys('conductor', 'inventory');
  listener = await startListener(
    createInventoryService(fake, keys.audience, (seen) => {
      claims.push(seen);
    }),
    { host: '127.0.0.1', port: 0, drainMs: 0 },
  );
  client = createServiceClient({
    part: 'inventory',
    baseUrl: `http://127.0.0.1:${String(listener.port)}`,
    keys: keys.caller,
    deadlineMs: 15_000,
  });
  http = createHttpInventory(client);
});

afterEach(async () => {
  await client.close();
  await listener.stop();
});

describe.each([
  ['in memory', () => fake],
  ['over HTTP', () => http],
])('the inventory %s', (_name, inventory: () => InventoryPort) => {
  const context = newCallContext('baremetal:node:set_power_state');

  it('locks once, and writes with the lock', async () => {
    const node = fake.put(aNode());
    const { fence, node: locked } = await inventory().reserve(context, node.uuid, {
      holder: 'me',
      set: { target_power_state: 'power on' },
    });
    expect(fence).toBe(1);
    expect(locked).toMatchObject({ reservation: 'me', target_power_state: 'power on' });
    await expect(inventory().reserve(context, node.uuid, { holder: 'you' })).rejects.toMatchObject({
      status: 409,
      code: 'node_locked',
    });
  });

  it('takes writes of the lock only, and releases', async () => {
    const node = fake.put(aNode());
    const { fence } = await inventory().reserve(context, node.uuid, { holder: 'me' });
    await expect(
      inventory().change(context, node.uuid, { holder: 'me', fence: fence - 1, set: {} }),
    ).rejects.toMatchObject({ status: 409, code: 'lock_lost' });
    const { node: freed } = await inventory().change(context, node.uuid, {
      holder: 'me',
      fence,
      set: { power_state: 'power on' },
      release: true,
    });
    expect(freed).toMatchObject({ reservation: null, power_state: 'power on' });
  });

  it('refuses a decision on another tenancy', async () => {
    const node = fake.put(aNode({ tenancy_revision: 2 }));
    const stale = aboutNode(context, { ...node, tenancy_revision: 1 });
    await expect(inventory().reserve(stale, node.uuid, { holder: 'me' })).rejects.toBeInstanceOf(
      TenancyChangedError,
    );
    await expect(inventory().getNode(stale, node.uuid)).rejects.toBeInstanceOf(TenancyChangedError);
  });

  it('pages through the nodes', async () => {
    const nodes = [fake.put(aNode()), fake.put(aNode()), fake.put(aNode())];
    expect(await inventory().listNodes(context, { limit: 2 })).toEqual(nodes.slice(0, 2));
    expect(
      await inventory().listNodes(context, { limit: 2, marker: nodes[1]?.uuid ?? '' }),
    ).toEqual(nodes.slice(2));
  });

  it('lists only what one holder has reserved', async () => {
    fake.put(aNode());
    const mine = fake.put(aNode({ reservation: 'host-1' }));
    fake.put(aNode({ reservation: 'host-2' }));
    expect(await inventory().listNodes(context, { limit: 5, reservedBy: 'host-1' })).toEqual([
      mine,
    ]);
  });

  it('keeps documents of a node, under its lock when the lock is named', async () => {
    const node = fake.put(aNode());
    expect(await inventory().getDocument(context, node.uuid, 'bios')).toBeUndefined();
    const document = { settings: [{ name: 'NumLock', value: 'true' }] };
    await inventory().putDocument(context, node.uuid, 'bios', { document });
    expect(await inventory().getDocument(context, node.uuid, 'bios')).toEqual(document);
    expect(await inventory().getDocument(context, node.uuid, 'firmware')).toBeUndefined();
    await expect(
      inventory().putDocument(context, node.uuid, 'bios', { holder: 'me', fence: 1, document }),
    ).rejects.toMatchObject({ status: 409, code: 'lock_lost' });
  });

  it('knows no other nodes', async () => {
    await expect(inventory().getNode(context, 'missing')).rejects.toMatchObject({
      status: 404,
      code: 'not_found',
    });
  });

  it('takes a heartbeat', async () => {
    const report = {
      drivers: ['redfish'],
      conductor_group: 'rack',
      timeout_seconds: 60,
      advertised_url: ADDRESS,
      interfaces: { redfish: { bios: { default: 'redfish', enabled: ['redfish', 'no-bios'] } } },
    };
    await inventory().report(context, 'host-1', report);
    expect(fake.reports).toEqual([{ hostname: 'host-1', ...report }]);
  });

  it('tells who is alive', async () => {
    const report = { ...REPORT, conductor_group: 'rack' };
    await inventory().report(context, 'host-1', report);
    await inventory().report(context, 'host-2', { ...report, conductor_group: '' });
    fake.unheard.add('host-1');
    expect(await inventory().listConductors(context)).toEqual([
      {
        hostname: 'host-2',
        drivers: ['redfish'],
        conductor_group: '',
        advertised_url: ADDRESS,
      },
    ]);
  });

  it('says goodbye for a conductor', async () => {
    await inventory().report(context, 'host 1', REPORT);
    await inventory().deregister(context, 'host 1');
    expect(await inventory().listConductors(context)).toEqual([]);
  });

  it('hands the lock of a conductor that is gone to another, and lists such locks', async () => {
    for (const host of ['host-1', 'host-2']) await inventory().report(context, host, REPORT);
    const node = fake.put(aNode({ reservation: 'host-1', fence: 4 }));
    fake.put(aNode({ reservation: 'host-2' }));
    fake.put(aNode({ reservation: 'elsewhere' }));
    const takeOver = (fence: number) =>
      inventory().takeOver(context, node.uuid, { holder: 'host-2', from: 'host-1', fence });
    const left = () => inventory().listNodes(context, { limit: 5, ofDeparted: true });
    const refused = { status: 409, code: 'node_locked' };
    await expect(takeOver(4)).rejects.toMatchObject(refused);
    expect(await left()).toEqual([]);
    fake.unheard.add('host-1');
    expect(await left()).toEqual([node]);
    await expect(takeOver(3)).rejects.toMatchObject(refused);
    expect(await takeOver(4)).toMatchObject({
      fence: 5,
      node: { reservation: 'host-2', fence: 5 },
    });
    await expect(takeOver(4)).rejects.toMatchObject(refused);
    expect(await left()).toEqual([]);
  });

  it('is unavailable when it is away', async () => {
    fake.away = true;
    await expect(inventory().listNodes(context, { limit: 1 })).rejects.toMatchObject({
      status: 503,
      code: 'unavailable',
    });
  });
});

const ADDRESS = 'http://10.0.0.7:8183';
const REPORT = {
  drivers: ['redfish'],
  conductor_group: '',
  advertised_url: ADDRESS,
  timeout_seconds: 60,
  interfaces: {},
};

describe('the inventory over HTTP', () => {
  it('receives the context of each call', async () => {
    const node = fake.put(aNode());
    const subject = {
      user_id: 'u',
      project_id: 'p',
      system_scope: null,
      domain_id: null,
      roles: ['r'],
    };
    await http.getNode(
      {
        ...aboutNode(newCallContext('baremetal:node:validate'), node),
        subject,
        decision_id: 'd-1',
      },
      node.uuid,
    );
    expect(claims).toHaveLength(1);
    expect(claims[0]).toMatchObject({
      iss: 'conductor',
      aud: 'inventory',
      subject,
      action: 'baremetal:node:validate',
      decision_id: 'd-1',
      resources: [{ type: 'node', uuid: node.uuid, tenancy_revision: 1 }],
    });
  });
});
