import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_OBLIGATIONS, type NodeRecord } from '@tenure/contracts';
import { aNode, type FakeInventory } from '@tenure/testing';
import { ConductorHarness } from './testing/conductor-harness.js';
import { aRedfishNode } from './testing/nodes.js';
import { SignedCalls } from './testing/signed-calls.js';

let harness: ConductorHarness;
let inventory: FakeInventory;
let call: SignedCalls['call'];

beforeEach(() => {
  harness = new ConductorHarness();
  ({ inventory } = harness);
  ({ call } = new SignedCalls(harness));
});

afterEach(async () => {
  await harness.close();
});

const at = (node: NodeRecord, path: string): string => `/v1/nodes/${node.uuid}/${path}`;

describe('PUT management/inject_nmi', () => {
  it('injects one under the lock', async () => {
    const bmc = await harness.openBmc();
    const node = inventory.put(aRedfishNode(bmc));
    const response = await call('put', at(node, 'management/inject_nmi'), node, { body: {} });
    expect([response.status, response.text]).toEqual([204, '']);
    expect(bmc.resets).toEqual(['Nmi']);
    expect(inventory.node(node.uuid)).toMatchObject({ reservation: null, fence: 1 });
  });

  it('needs no body, and takes none with members', async () => {
    const node = inventory.put(aNode());
    const target = at(node, 'management/inject_nmi');
    expect((await call('put', target, node)).status).toBe(204);
    expect((await call('put', target, node, { body: { x: 1 } })).status).toBe(400);
  });

  it('waits for the lock', async () => {
    const bmc = await harness.openBmc();
    const node = inventory.put(aRedfishNode(bmc, {}, { reservation: 'other' }));
    const response = await call('put', at(node, 'management/inject_nmi'), node);
    expect(response.status).toBe(409);
    expect(bmc.requests).toEqual([]);
  });

  it('returns the error of the hardware, and releases the lock', async () => {
    const node = inventory.put(aNode({ driver_info: { fake_failure: 'nmi' } }));
    const response = await call('put', at(node, 'management/inject_nmi'), node);
    expect(response.status).toBe(502);
    expect(inventory.node(node.uuid).reservation).toBeNull();
  });
});

describe('management/indicators', () => {
  it('are listed as Ironic lists them', async () => {
    const node = inventory.put(aNode());
    const response = await call('get', at(node, 'management/indicators'), node);
    const links = (name: string) => [
      {
        href: `http://tenure.example:6385/v1/nodes/${node.uuid}/management/indicators/${name}`,
        rel: 'self',
      },
      {
        href: `http://tenure.example:6385/nodes/${node.uuid}/management/indicators/${name}`,
        rel: 'bookmark',
      },
    ];
    const led0 = {
      name: 'led-0@chassis',
      component: 'chassis',
      readonly: true,
      states: ['off', 'on'],
      links: links('led-0@chassis'),
    };
    expect(response.body).toEqual({
      indicators: [
        led0,
        {
          name: 'led@system',
          component: 'system',
          readonly: false,
          states: ['blinking', 'off', 'on'],
          links: links('led@system'),
        },
      ],
    });
    expect((await call('get', at(node, 'management/indicators/chassis'), node)).body).toEqual({
      indicators: [led0],
    });
  });

  it.each(['led@system', 'system/led'])('%s is set, stored and returned', async (name) => {
    const node = inventory.put(aNode());
    const target = at(node, `management/indicators/${name}`);
    expect((await call('get', target, node)).body).toEqual({ state: 'off' });
    expect((await call('put', target, node, { body: { state: 'ON' } })).status).toBe(204);
    expect((await call('get', target, node)).body).toEqual({ state: 'on' });
    expect(inventory.node(node.uuid).reservation).toBeNull();
  });

  it.each([
    ['led@system', { state: 'purple' }, 400],
    ['led@system', {}, 400],
    ['led@system', { state: 'unknown' }, 400],
    ['led-0@chassis', { state: 'on' }, 400],
    ['led', { state: 'on' }, 400],
    ['lamp@system', { state: 'on' }, 404],
  ])('PUT %s %j answers %i', async (name, body, status) => {
    const node = inventory.put(aNode());
    const response = await call('put', at(node, `management/indicators/${name}`), node, { body });
    expect(response.status).toBe(status);
    expect(inventory.node(node.uuid)).toMatchObject({
      reservation: null,
      driver_internal_info: {},
    });
  });

  it.each(['lamp@system', 'kitchen', 'system/lamp'])('%s is a relayed 404', async (name) => {
    const node = inventory.put(aNode());
    const response = await call('get', at(node, `management/indicators/${name}`), node);
    expect([response.status, response.headers['x-tenure-missing']]).toEqual([404, 'part']);
  });
});

describe('vmedia', () => {
  const body = { device_type: 'cdrom', image_url: 'http://images.example/a.iso' };

  it('are attached, listed and detached in the record of a fake node', async () => {
    const node = inventory.put(aNode());
    const target = at(node, 'vmedia');
    const attached = await call('post', target, node, { body });
    expect([attached.status, attached.text]).toEqual([204, '']);
    expect((await call('get', target, node)).body).toEqual([
      { media_types: ['CD', 'DVD'], inserted: true, image: 'http://images.example/a.iso' },
      { media_types: ['USBStick'], inserted: false, image: null },
      { media_types: ['Floppy'], inserted: false, image: null },
    ]);
    expect((await call('delete', `${target}?device_types=floppy,disk`, node)).status).toBe(204);
    expect(inventory.node(node.uuid).driver_internal_info).toEqual({
      fake_virtual_media: { cdrom: 'http://images.example/a.iso' },
    });
    expect((await call('delete', target, node)).status).toBe(204);
    expect(inventory.node(node.uuid)).toMatchObject({
      reservation: null,
      driver_internal_info: { fake_virtual_media: {} },
    });
  });

  it('of a former tenant are not visible to the next one before they are detached', async () => {
    const left = { fake_virtual_media: { cdrom: 'http://images.example/a.iso' } };
    const node = inventory.put(aNode({ driver_internal_info: left, handover_uuid: randomUUID() }));
    const action = 'baremetal:node:use_in_handover';
    const conditions = [{ field: 'handover_uuid', op: 'null' as const, action }];
    const obligations = { ...NO_OBLIGATIONS, conditions };
    const refused = await call('get', at(node, 'vmedia'), node, { obligations });
    expect(refused.status).toBe(409);
    expect(refused.text).not.toContain('images.example');
    expect((await call('get', at(node, 'vmedia'), node)).status).toBe(200);
    const free = inventory.put(aNode());
    expect((await call('get', at(free, 'vmedia'), free, { obligations })).status).toBe(200);
  });

  it('are in the BMC once the answer is there', async () => {
    const bmc = await harness.openBmc();
    const node = inventory.put(aRedfishNode(bmc));
    const response = await call('post', at(node, 'vmedia'), node, {
      body: { ...body, image_download_source: 'http' },
    });
    expect(response.status).toBe(204);
    expect(bmc.machine.drives['Cd']?.image).toBe('http://images.example/a.iso');
    expect(inventory.node(node.uuid).reservation).toBeNull();
    expect((await call('delete', at(node, 'vmedia?device_types=cdrom'), node)).status).toBe(204);
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
  });

  it.each([{ device_types: 'floppy,disk' }, { device_types: ['floppy', 'disk'] }])(
    'are detached by name in the body: %j',
    async (body) => {
      const drives = { cdrom: 'http://images.example/a.iso', disk: 'http://images.example/b.img' };
      const node = inventory.put(aNode({ driver_internal_info: { fake_virtual_media: drives } }));
      expect((await call('delete', at(node, 'vmedia'), node, { body })).status).toBe(204);
      expect(inventory.node(node.uuid).driver_internal_info).toEqual({
        fake_virtual_media: { cdrom: 'http://images.example/a.iso' },
      });
    },
  );

  it('keep and show neither credentials nor signatures, nor log them', async () => {
    const node = inventory.put(aNode());
    const secret = 'https://u:s3cret@images.example/a.iso?sig=s3cret#s3cret';
    await call('post', at(node, 'vmedia'), node, { body: { ...body, image_url: secret } });
    const view = await call('get', at(node, 'vmedia'), node);
    expect((view.body as { image: string }[])[0]?.image).toBe('https://images.example/a.iso');
    expect(JSON.stringify([inventory.node(node.uuid), harness.lines])).not.toContain('s3cret');
  });

  it.each([
    [{ ...body, image_url: 'file:///etc/passwd' }],
    [{ ...body, image_url: 'ftp://images.example/a.iso' }],
    [{ ...body, image_url: 'https://u:%zz@images.example/a.iso' }],
    [{ ...body, image_url: 'a.iso' }],
    [{ ...body, device_type: 'tape' }],
    [{ ...body, image_download_source: 'carrier pigeon' }],
    [{ device_type: 'cdrom' }],
    [{ ...body, extra: 1 }],
  ])('refuse %j without repeating the address', async (wrong) => {
    const node = inventory.put(aNode());
    const response = await call('post', at(node, 'vmedia'), node, { body: wrong });
    expect(response.status).toBe(400);
    expect(response.text).not.toContain('images.example');
    expect(inventory.writes).toEqual([]);
  });

  it.each(['device_types=tape', 'device_types=cdrom&device_types=disk'])(
    'DELETE refuses %s',
    async (query) => {
      const node = inventory.put(aNode());
      expect((await call('delete', at(node, `vmedia?${query}`), node)).status).toBe(400);
      expect(inventory.writes).toEqual([]);
    },
  );

  it('wait for the lock', async () => {
    const node = inventory.put(aNode({ reservation: 'other' }));
    expect((await call('post', at(node, 'vmedia'), node, { body })).status).toBe(409);
    expect((await call('delete', at(node, 'vmedia'), node)).status).toBe(409);
  });
});
