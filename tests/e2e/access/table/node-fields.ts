import { type Row } from '../row.js';

const writes = (
  field: string,
  value: unknown,
  expect: string,
  node?: Readonly<Record<string, unknown>>,
): Row => ({
  line: 'PATCH /v1/nodes/{node}',
  about: `of ${field} to ${JSON.stringify(value)}`,
  ok: 200,
  body: [{ op: 'replace', path: `/${field}`, value }],
  expect,
  ...(node !== undefined && { node }),
});

const INTERFACES = [
  'bios_interface',
  'boot_interface',
  'console_interface',
  'deploy_interface',
  'inspect_interface',
  'management_interface',
  'power_interface',
  'raid_interface',
  'rescue_interface',
  'vendor_interface',
];

/** Fields of a node, and who writes each. */
export const nodeFieldRows: readonly Row[] = [
  writes('name', '{name}', 'AAA3A AAA3A 33334 44444 A'),
  writes('driver_info', { fake_delay_ms: 0 }, 'AAA3A AAA3A 33334 44444 A'),
  writes('properties', { cpus: 4 }, 'AAA3A AAA3A 33334 44444 A'),
  writes('instance_info', { image_source: 'x' }, 'AAA3A AAA3A AAA34 44444 A'),
  writes('instance_uuid', '{uuid}', 'AAA3A AAA3A 33334 44444 A'),
  writes('extra', { rack: 1 }, 'AAA3A AAA33 AAA34 44444 A'),
  writes('description', 'in the corner', 'AAA3A AAA33 AAA34 44444 A'),
  writes('lessee', 'someone-else', 'AAA3A AAA3A 33334 44444 A'),
  writes('owner', 'someone-else', 'AAA33 33333 33334 44444 3'),
  writes('network_data', { links: [], networks: [], services: [] }, 'AAA3A AAA3A 33334 44444 A'),
  writes('retired', true, 'AAA3A AAA3A 33334 44444 A', { provision_state: 'manageable' }),
  writes('maintenance', true, 'AAA3A AAA3A 33334 44444 A'),
  writes('protected', true, 'AAA3A AAA33 33334 44444 A', {
    provision_state: 'active',
    instance_uuid: '{uuid}',
  }),
  writes('resource_class', 'gold', 'AAA3A AAA33 33334 44444 A', { provision_state: 'manageable' }),
  writes('automated_clean', true, 'AAA3A AAA33 33334 44444 A'),
  writes('automated_clean', false, 'A3333 33333 33334 44444 3'),
  writes('driver', 'fake-hardware', 'AAA3A AA33A 33334 44444 A', {
    provision_state: 'manageable',
  }),
  ...INTERFACES.map((field) =>
    writes(field, 'fake', 'AAA3A AA33A 33334 44444 A', { provision_state: 'manageable' }),
  ),
  writes('conductor_group', '', 'AAA33 33333 33334 44444 A'),
  writes('parent_node', null, 'AAA33 33333 33334 44444 A'),
  writes('chassis_uuid', '{chassis}', 'A3333 33333 33334 44444 3'),
  writes('shard', 'north', 'A3333 33333 33334 44444 3'),
];

const refused = (field: string, value: unknown): Row => ({
  ...writes(field, value, '33333 33333 33334 44444 3'),
  // A field that nobody writes is a bad request for who may see the node, and nothing more for who may not.
  ok: 400,
});

/** Fields that nobody writes. */
export const readOnlyFieldRows: readonly Row[] = [
  'uuid',
  'power_state',
  'target_power_state',
  'provision_state',
  'target_provision_state',
  'last_error',
  'reservation',
  'driver_internal_info',
  'console_enabled',
  'raid_config',
  'clean_step',
  'deploy_step',
  'fault',
  'links',
  'ports',
  'traits',
  'conductor',
  'allocation_uuid',
  'created_at',
].map((field) => refused(field, 'x'));
