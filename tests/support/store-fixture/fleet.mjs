// A small fleet with every kind of record that the inventory keeps.

const uuid = (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const MADE = '2026-11-20T08:00:00+00:00';

export const HISTORY_NODE = uuid(1);
export const LOCKED_NODE = uuid(3);
export const LATE_NODE = uuid(5);

const node = (number, values) => ({
  uuid: uuid(number),
  name: `n${number}`,
  driver: 'fake-hardware',
  created_at: MADE,
  provision_state: 'available',
  power_state: 'power off',
  resource_class: 'baremetal',
  properties: { cpus: 64, memory_mb: 262_144, local_gb: 960, cpu_arch: 'x86_64' },
  ...values,
});

export const FLEET = {
  chassis: [{ uuid: uuid(101), description: 'rack 1', extra: { row: 'A' }, created_at: MADE }],
  nodes: [
    node(1, {
      owner: 'p-a',
      chassis_uuid: uuid(101),
      provision_state: 'active',
      power_state: 'power on',
      instance_uuid: uuid(201),
      allocation_uuid: uuid(201),
      driver_info: { redfish_address: 'https://bmc-1.example', redfish_password: 'fixture' },
      traits: ['CUSTOM_GPU', 'CUSTOM_FAST'],
      extra: { 'a.b': { $c: [1, null] } },
      description: 'Größe 2 “u”',
    }),
    node(2, { owner: 'p-b', lessee: 'p-a', resource_class: 'large', shard: 's1' }),
    node(3, { maintenance: true, maintenance_reason: 'disk', conductor_group: 'west' }),
    node(4, { owner: 'p-b', parent_node: uuid(2), resource_class: null, name: null }),
    node(5, { owner: 'p-c' }),
  ],
  portgroups: [
    {
      uuid: uuid(301),
      node_uuid: uuid(1),
      name: 'pg1',
      address: '52:54:00:00:01:00',
      created_at: MADE,
    },
  ],
  ports: [
    {
      uuid: uuid(311),
      node_uuid: uuid(1),
      portgroup_uuid: uuid(301),
      address: '52:54:00:00:01:01',
      internal_info: { tenant_vif_port_id: 'vif-1' },
      created_at: MADE,
    },
    {
      uuid: uuid(312),
      node_uuid: uuid(2),
      address: '52:54:00:00:02:01',
      name: 'eth0',
      created_at: MADE,
    },
  ],
  volume_connectors: [
    {
      uuid: uuid(321),
      node_uuid: uuid(1),
      type: 'iqn',
      connector_id: 'iqn.2026-11.example:1',
      created_at: MADE,
    },
  ],
  volume_targets: [
    {
      uuid: uuid(331),
      node_uuid: uuid(1),
      volume_type: 'iscsi',
      boot_index: 0,
      volume_id: 'vol-1',
      properties: { auth_password: 'fixture' },
      created_at: MADE,
    },
  ],
  deploy_templates: [
    {
      uuid: uuid(341),
      name: 'CUSTOM_FAST',
      steps: [
        { interface: 'bios', step: 'apply_configuration', args: { settings: [] }, priority: 150 },
      ],
      created_at: MADE,
    },
  ],
  allocations: [
    {
      uuid: uuid(201),
      name: 'web',
      owner: 'p-a',
      resource_class: 'baremetal',
      traits: ['CUSTOM_GPU'],
      state: 'active',
      node_uuid: uuid(1),
      created_at: MADE,
    },
    {
      uuid: uuid(202),
      owner: null,
      resource_class: 'huge',
      state: 'error',
      last_error: 'none free',
      created_at: MADE,
    },
  ],
  leases: [
    {
      uuid: uuid(401),
      node_uuid: uuid(2),
      owner: 'p-b',
      lessee: 'p-a',
      status: 'active',
      start_time: MADE,
      end_time: '2099-01-01T00:00:00+00:00',
      started_at: MADE,
      on_end: { undeploy: true, clean: true },
      purpose: 'tests',
      created_at: MADE,
    },
  ],
  servers: [
    {
      uuid: uuid(501),
      name: 's1',
      description: null,
      project_id: 'p-a',
      user_id: 'ann',
      flavor_id: 'baremetal',
      resource_class: 'baremetal',
      traits: [],
      flavor: { vcpus: 64, ram: 262_144, disk: 960 },
      image_ref: 'http://images.example/a.iso',
      key_name: 'ann-key',
      public_key: 'ssh-ed25519 AAAA',
      metadata: { 'a.b': 'c' },
      tags: ['blue'],
      hostname: 's1',
      availability_zone: '',
      vifs: [],
      config_drive: false,
      user_data: null,
      vm_state: 'error',
      task_state: null,
      status: 'ERROR',
      power_state: 0,
      node_uuid: null,
      locked_by: null,
      locked_reason: null,
      fault: { code: 500, message: 'no node', created: MADE },
      task: null,
      candidate_filter: {
        mode: 'any_of',
        predicates: [{ field: 'owner', op: 'eq', value: 'p-a' }],
      },
      launched_at: null,
      created_at: MADE,
      updated_at: MADE,
    },
  ],
  keypairs: [
    {
      uuid: uuid(601),
      user_id: 'ann',
      name: 'ann-key',
      type: 'ssh',
      public_key: 'ssh-ed25519 AAAA',
      fingerprint: '00:11',
      created_at: MADE,
    },
  ],
  claims: [
    {
      uuid: 'vif:vif-1',
      kind: 'vif',
      id: 'vif-1',
      project_id: 'p-a',
      place: { section: 'ports', uuid: uuid(311) },
    },
    { uuid: 'volume:vol-1', kind: 'volume', id: 'vol-1', project_id: 'p-a' },
  ],
  node_documents: [
    {
      uuid: `${uuid(1)}:bios`,
      node_uuid: uuid(1),
      document: { settings: [{ name: 'Boot', value: 'UEFI' }] },
      created_at: MADE,
    },
  ],
  node_history: [
    {
      uuid: uuid(701),
      node_uuid: uuid(1),
      created_at: MADE,
      severity: 'INFO',
      event: 'deployed',
      event_type: 'provision',
      user: 'ann',
    },
  ],
};
