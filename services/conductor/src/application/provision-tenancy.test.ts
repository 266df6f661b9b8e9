import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aNode } from '@tenure/testing';
import { AT_REST, ConductorHarness } from '../testing/conductor-harness.js';

let harness: ConductorHarness;

beforeEach(() => {
  harness = new ConductorHarness();
});

afterEach(async () => {
  await harness.close();
});

describe('a lessee', () => {
  const leased = { instance_info: { project_id: 'project-b' } };

  it('is who the instance is for, and goes with it', async () => {
    const node = harness.inventory.put(aNode(leased));
    const deployed = await harness.done(node, { target: 'active' });
    expect(deployed).toMatchObject({
      lessee: 'project-b',
      driver_internal_info: { automatic_lessee: true },
    });
    const after = await harness.done(deployed, { target: 'deleted' });
    expect(after).toMatchObject({ lessee: null, driver_internal_info: {} });
  });

  it('is nobody for a caller who may not write the lessee, or into a lease that is to come', async () => {
    const refused = harness.inventory.put(aNode(leased));
    expect(await harness.done(refused, { target: 'active' }, false)).toMatchObject({
      provision_state: 'active',
      lessee: null,
      driver_internal_info: {},
    });
    const promised = harness.inventory.put(
      aNode({ ...leased, lease_uuid: '11111111-2222-4333-8444-555555555555' }),
    );
    expect(await harness.done(promised, { target: 'active' })).toMatchObject({ lessee: null });
  });

  it('that was there before is not replaced, and stays', async () => {
    const node = harness.inventory.put(aNode({ ...leased, lessee: 'project-c' }));
    expect(await harness.done(node, { target: 'active' })).toMatchObject({
      lessee: 'project-c',
      driver_internal_info: {},
    });
    expect(await harness.done(node, { target: 'deleted' })).toMatchObject({ lessee: 'project-c' });
  });

  it.each([[''], [7], [null], ['x'.repeat(256)], ['project-b '], ['project\u200b']])(
    'is nobody for project_id %j',
    async (project) => {
      const node = harness.inventory.put(aNode({ instance_info: { project_id: project } }));
      expect(await harness.done(node, { target: 'active' })).toMatchObject({ lessee: null });
    },
  );

  it('survives a rebuild', async () => {
    const node = harness.inventory.put(aNode(leased));
    const deployed = await harness.done(node, { target: 'active' });
    expect(await harness.done(deployed, { target: 'rebuild' })).toMatchObject({
      lessee: 'project-b',
      driver_internal_info: { automatic_lessee: true },
    });
  });
});

describe('tearing down', () => {
  it('leaves nothing of the instance', async () => {
    const node = harness.inventory.put(
      aNode({
        provision_state: 'active',
        instance_uuid: '11111111-2222-4333-8444-555555555555',
        instance_name: 'web-1',
        allocation_uuid: '11111111-2222-4333-8444-555555555555',
        instance_info: { image_source: 'http://images.example/a', configdrive: 'AAAA' },
        driver_internal_info: { agent_url: 'http://192.0.2.7:9999', fake_boot_device: {} },
      }),
    );
    const port = harness.parts.put('ports', node.uuid, {
      internal_info: { tenant_vif_port_id: 'vif-1', cleaning: 'kept' },
    });
    const group = harness.parts.put('portgroups', node.uuid, {
      internal_info: { tenant_vif_port_id: 'vif-2' },
    });
    expect(await harness.done(node, { target: 'deleted' })).toMatchObject({
      ...AT_REST,
      provision_state: 'available',
      instance_uuid: null,
      allocation_uuid: null,
      instance_name: null,
      instance_info: {},
      driver_internal_info: { fake_boot_device: {} },
    });
    expect(harness.parts.port(port.uuid).internal_info).toEqual({ cleaning: 'kept' });
    expect(harness.parts.port(group.uuid).internal_info).toEqual({});
  });

  it('keeps the allocation while the instance is there', async () => {
    const uuid = '11111111-2222-4333-8444-555555555555';
    const node = harness.inventory.put(aNode({ allocation_uuid: uuid, instance_uuid: uuid }));
    await harness.done(node, { target: 'active' });
    await harness.done(node, { target: 'rebuild' });
    expect(harness.inventory.node(node.uuid).allocation_uuid).toBe(uuid);
  });
});
