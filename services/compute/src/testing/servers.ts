import { type NewServer, type ServerTask } from '@tenure/contracts';

export const UUID = '11111111-1111-4111-8111-111111111111';
export const OTHER_UUID = '22222222-2222-4222-8222-222222222222';
export const NOW = new Date('2026-11-21T08:00:00.000Z');

export const task = (values: Partial<ServerTask> = {}): ServerTask => ({
  kind: 'build',
  since: '2026-11-21T08:00:00.000Z',
  step: 'begin',
  seen: null,
  holder: null,
  held_until: null,
  failure: null,
  request_id: 'req-1',
  user_id: 'ann',
  arguments: {},
  ...values,
});

/** An active server of the project `team`, made by `ann`, with some fields set. */
export const server = (values: Partial<NewServer> = {}): NewServer => ({
  uuid: UUID,
  name: 'web',
  description: null,
  project_id: 'team',
  user_id: 'ann',
  flavor_id: 'gold',
  resource_class: 'gold',
  traits: [],
  flavor: { vcpus: 8, ram: 4096, disk: 100 },
  image_ref: 'http://images.example/a.iso',
  key_name: null,
  public_key: null,
  metadata: {},
  tags: [],
  hostname: 'web',
  availability_zone: 'nova',
  vifs: [],
  config_drive: false,
  user_data: null,
  vm_state: 'active',
  task_state: null,
  status: 'ACTIVE',
  power_state: 1,
  node_uuid: 'node-1',
  locked_by: null,
  locked_reason: null,
  fault: null,
  task: null,
  candidate_filter: { mode: 'any_of', predicates: [{ field: 'owner', op: 'eq', value: 'team' }] },
  launched_at: '2026-11-21T07:00:00+00:00',
  created_at: '2026-11-21T07:00:00+00:00',
  updated_at: '2026-11-21T07:00:00+00:00',
  ...values,
});

/** A server that was just requested. */
export const building = (values: Partial<NewServer> = {}): NewServer =>
  server({
    vm_state: 'building',
    task_state: 'scheduling',
    status: 'BUILD',
    power_state: 0,
    node_uuid: null,
    launched_at: null,
    task: task(),
    ...values,
  });
