import { describe, expect, it } from '@jest/globals';
import { makeNode, uuidOf } from '../../testing/fixtures.js';
import { nodeView, statesView } from './node-view.js';

const options = { base: 'http://h:1', minor: 109, masked: new Set<string>(), conductor: 'c1' };
const node = makeNode({ uuid: uuidOf(1), name: 'n', provision_state: 'available', traits: ['T'] });

const link = (below: string) => [
  { href: `http://h:1/v1/nodes/${uuidOf(1)}${below}`, rel: 'self' },
  { href: `http://h:1/nodes/${uuidOf(1)}${below}`, rel: 'bookmark' },
];

describe('a whole node', () => {
  it('has its members in the order of the API', () => {
    expect(Object.keys(nodeView(node, options))).toEqual([
      'uuid',
      'created_at',
      'updated_at',
      'automated_clean',
      'bios_interface',
      'boot_interface',
      'boot_mode',
      'clean_step',
      'conductor_group',
      'console_enabled',
      'console_interface',
      'disable_power_off',
      'deploy_interface',
      'deploy_step',
      'description',
      'driver',
      'driver_info',
      'driver_internal_info',
      'extra',
      'fault',
      'firmware_interface',
      'health',
      'inspection_finished_at',
      'inspection_started_at',
      'inspect_interface',
      'instance_info',
      'instance_name',
      'instance_uuid',
      'last_error',
      'lessee',
      'maintenance',
      'maintenance_reason',
      'management_interface',
      'name',
      'network_data',
      'network_interface',
      'owner',
      'parent_node',
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
      'secure_boot',
      'service_step',
      'shard',
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
    ]);
  });

  it('has links to itself and what is below it', () => {
    expect(nodeView(node, options)).toMatchObject({
      links: link(''),
      ports: link('/ports'),
      states: link('/states'),
      portgroups: link('/portgroups'),
      volume: link('/volume'),
    });
  });

  it('never shows what only the store needs', () => {
    for (const name of ['revision', 'tenancy_revision', 'fence'])
      expect(nodeView(node, options)).not.toHaveProperty(name);
  });
});

describe('fields=', () => {
  it('has the requested members, in that order, and links', () => {
    expect(nodeView(node, options, ['provision_state', 'links', 'uuid'])).toEqual({
      provision_state: 'available',
      uuid: uuidOf(1),
      links: link(''),
    });
  });
});

describe('masked values', () => {
  const masked = new Set([
    'driver_info',
    'last_error',
    'reservation',
    'conductor',
    'conductor_group',
  ]);
  const seen = { ...options, masked };

  it('are empty, null, or whether there is one', () => {
    const full = {
      ...node,
      driver_info: { a: 1 },
      last_error: 'x',
      reservation: 'c1',
      conductor_group: 'g',
    };
    const expected = { driver_info: {}, last_error: null, conductor: null, conductor_group: null };
    expect(nodeView(full, seen)).toMatchObject({ ...expected, reservation: true });
    expect(nodeView({ ...full, reservation: null }, seen)).toMatchObject({
      ...expected,
      reservation: false,
    });
    expect(statesView(full, seen)).toMatchObject({ last_error: null });
  });
});

describe('older versions', () => {
  it.each([
    ['available', 1, null],
    ['available', 2, 'available'],
    ['inspect wait', 38, 'inspecting'],
    ['inspect wait', 39, 'inspect wait'],
  ])('state %s at 1.%d is %j', (state, minor, view) => {
    expect(
      nodeView({ ...node, provision_state: state }, { ...options, minor })['provision_state'],
    ).toBe(view);
  });
});
