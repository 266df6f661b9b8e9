import { describe, expect, it } from '@jest/globals';
import { makeNode } from '../testing/fixtures.js';
import { remembered, withoutLesseeValues, withoutOwnerValues } from './tenant-fields.js';

const TENANCY = { owner: 'p-owner', lessee: 'p-a' };
const bare = makeNode({ ...TENANCY, custody: { before: {} } });

describe('what a tenant changes', () => {
  it('is remembered as it was before, the first time', () => {
    const first = { ...bare, description: 'one', extra: { a: 1 } };
    const before = remembered(bare, first, true);
    expect(before).toEqual({ description: null, extra: {} });
    const remembering = { ...first, custody: { before: before ?? {} } };
    expect(remembered(remembering, { ...remembering, description: 'two' }, true)).toBeUndefined();
    expect(remembered(remembering, { ...remembering, name: 'mine' }, true)).toEqual({
      description: null,
      extra: {},
      name: null,
    });
  });

  it('includes what services write for it, and not what others change meanwhile', () => {
    const after = { ...bare, instance_info: { image_source: 'x' }, description: 'the owner’s' };
    expect(remembered(bare, after, false)).toEqual({ instance_info: {} });
  });

  it('is not what is cleared away of the tenancy before', () => {
    const node = { ...bare, handover_uuid: 'h-1', instance_uuid: 'left' };
    expect(remembered(node, { ...node, instance_uuid: null }, false)).toBeUndefined();
  });
});

describe('a tenancy that ends', () => {
  it('leaves a machine in maintenance that its tenant took out of service, without the tenant’s values', () => {
    const node = makeNode({
      ...TENANCY,
      maintenance: true,
      maintenance_reason: 'broken by A',
      custody: { before: { maintenance: false, maintenance_reason: null } },
    });
    expect(withoutLesseeValues(node, { ...node, lessee: null }).node).toMatchObject({
      maintenance: true,
      maintenance_reason: 'Set by a former tenant.',
    });
  });

  it('puts a maintenance back that its tenant had ended', () => {
    const node = makeNode({
      ...TENANCY,
      custody: { before: { maintenance: true, maintenance_reason: 'disk' } },
    });
    expect(withoutLesseeValues(node, { ...node, lessee: null }).node).toMatchObject({
      maintenance: true,
      maintenance_reason: 'disk',
    });
  });

  it('leaves no project and no mark by which anybody would become lessee', () => {
    const node = makeNode({
      ...TENANCY,
      instance_info: { project_id: 'p-a', image_source: 'x' },
      driver_internal_info: { automatic_lessee: true, kept: 1 },
      custody: { before: {} },
    });
    expect(withoutLesseeValues(node, { ...node, lessee: null }).node).toMatchObject({
      instance_info: { image_source: 'x' },
      driver_internal_info: { kept: 1 },
    });
  });

  it('of which nobody kept who wrote what leaves nothing that would be deployed', () => {
    const node = makeNode({
      ...TENANCY,
      instance_info: { image_source: 'x' },
      extra: { rack: '7' },
    });
    expect(withoutLesseeValues(node, { ...node, lessee: null })).toMatchObject({
      node: { instance_info: {}, extra: { rack: '7' } },
      fields: ['instance_info'],
      sealed: { instance_info: { image_source: 'x' } },
    });
  });

  it('keeps an instance with its allocation until that is released', () => {
    const node = makeNode({
      ...TENANCY,
      instance_uuid: 'i',
      allocation_uuid: 'i',
      custody: { before: { instance_uuid: null } },
    });
    expect(withoutLesseeValues(node, { ...node, lessee: null }).node.instance_uuid).toBe('i');
  });
});

describe('a new owner', () => {
  it('finds the values of the old one removed, and sealed', () => {
    const node = makeNode({ owner: 'p-owner', extra: { rack: 1 }, description: 'mine' });
    const { node: after, sealed } = withoutOwnerValues(node, { ...node, owner: 'p-new' });
    expect(after).toMatchObject({ extra: {}, description: null, network_data: {} });
    expect(sealed).toMatchObject({ extra: { rack: 1 }, description: 'mine' });
  });
});
