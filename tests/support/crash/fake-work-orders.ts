import { askLatest } from '../http-client.js';
import { systemAdmin } from '../personas.js';
import { ACTIVE, AVAILABLE, MANAGEABLE, OFF, ON } from './fake-states.js';
import { type Check, type Order, provision } from './orders.js';
import { attached, holdsVif } from './vif-checks.js';

const ERASE = { interface: 'deploy', step: 'erase_devices_metadata' };
const RESET_BIOS = { interface: 'bios', step: 'factory_reset' };
const NO_RAID = { interface: 'raid', step: 'delete_configuration' };
const HOLD = { step: 'hold' };

export const CLEAN_ORDERS: readonly Order[] = [
  {
    name: 'clean with steps',
    node: MANAGEABLE,
    ...provision('clean', { clean_steps: [ERASE, RESET_BIOS, NO_RAID] }),
    before: MANAGEABLE,
    done: { ...MANAGEABLE, clean_step: {}, raid_config: {} },
  },
  {
    name: 'clean up to a hold',
    node: MANAGEABLE,
    ...provision('clean', { clean_steps: [ERASE, HOLD, NO_RAID] }),
    before: MANAGEABLE,
    done: { provision_state: 'clean hold', target_provision_state: 'manageable' },
    isWaiting: true,
  },
  {
    name: 'go on from a hold',
    node: {
      provision_state: 'clean hold',
      target_provision_state: 'manageable',
      ...OFF,
      driver_internal_info: {
        pending_provision: { event: 'clean', steps: [HOLD, NO_RAID], steps_done: 1 },
        clean_steps: [HOLD, NO_RAID].map((step) => ({
          ...step,
          args: {},
          priority: 0,
          abortable: false,
        })),
        clean_step_index: null,
      },
    },
    ...provision('unhold'),
    before: { provision_state: 'clean hold', target_provision_state: 'manageable' },
    done: MANAGEABLE,
    isWaiting: true,
  },
  {
    name: 'abort at a hold',
    node: {
      provision_state: 'clean hold',
      target_provision_state: 'manageable',
      ...OFF,
      driver_internal_info: {
        pending_provision: { event: 'clean', steps: [HOLD], steps_done: 1 },
      },
    },
    ...provision('abort'),
    before: { provision_state: 'clean hold', target_provision_state: 'manageable' },
    done: {
      provision_state: 'clean failed',
      target_provision_state: 'manageable',
      last_error: /was aborted by request\.$/u,
    },
    isWaiting: true,
  },
  {
    name: 'provide',
    node: MANAGEABLE,
    ...provision('provide'),
    before: MANAGEABLE,
    done: AVAILABLE,
  },
];

export const INSTANCE_ORDERS: readonly Order[] = [
  { name: 'deploy', node: AVAILABLE, ...provision('active'), before: AVAILABLE, done: ACTIVE },
  {
    name: 'deploy with a step',
    node: AVAILABLE,
    ...provision('active', { deploy_steps: [{ ...RESET_BIOS, args: {}, priority: 150 }] }),
    before: AVAILABLE,
    done: { ...ACTIVE, deploy_step: {} },
  },
  { name: 'rebuild', node: ACTIVE, ...provision('rebuild'), before: ACTIVE, done: ACTIVE },
  {
    name: 'tear down and clean',
    node: { ...ACTIVE, instance_info: { image_source: 'an-image' } },
    isInstance: true,
    ports: attached,
    ...provision('deleted'),
    before: { ...ACTIVE, instance_info: { image_source: 'an-image' } },
    done: { ...AVAILABLE, instance_uuid: null, instance_info: {} },
    check: holdsVif('before'),
  },
  {
    name: 'rescue',
    node: ACTIVE,
    ...provision('rescue', { rescue_password: 'a-rescue-password' }),
    before: ACTIVE,
    done: { provision_state: 'rescue', ...ON },
  },
  {
    name: 'unrescue',
    node: { provision_state: 'rescue', ...ON },
    ...provision('unrescue'),
    before: { provision_state: 'rescue', ...ON },
    done: ACTIVE,
  },
  {
    name: 'service with a step',
    node: ACTIVE,
    ...provision('service', { service_steps: [NO_RAID] }),
    before: ACTIVE,
    done: { ...ACTIVE, service_step: {} },
  },
];

const inspected = (ending: string, finished: unknown): readonly string[] =>
  (ending === 'done') === (typeof finished === 'string') ? [] : ['inspection_finished_at'];

const hasInventory: Check = async (tenure, { node: { uuid } }, ending) => {
  const node = await askLatest(tenure, systemAdmin, `GET /v1/nodes/${uuid}`);
  const found = await askLatest(tenure, systemAdmin, `GET /v1/nodes/${uuid}/inventory`);
  const { inspection_finished_at: finished } = node.json as Readonly<Record<string, unknown>>;
  return [
    ...inspected(ending, finished),
    ...(ending === 'done' && found.status !== 200 ? [`inventory ${String(found.status)}`] : []),
  ];
};

export const MANAGE_ORDERS: readonly Order[] = [
  {
    name: 'manage',
    node: { provision_state: 'enroll', power_state: null },
    ...provision('manage'),
    before: { provision_state: 'enroll', power_state: null },
    done: MANAGEABLE,
  },
  {
    name: 'manage without work',
    node: AVAILABLE,
    ...provision('manage'),
    before: AVAILABLE,
    done: MANAGEABLE,
  },
  {
    name: 'adopt',
    node: MANAGEABLE,
    ...provision('adopt'),
    before: MANAGEABLE,
    done: { provision_state: 'active' },
  },
  {
    name: 'inspect',
    node: MANAGEABLE,
    ...provision('inspect'),
    before: { ...MANAGEABLE, properties: {} },
    done: {
      ...MANAGEABLE,
      properties: { cpus: 4, cpu_arch: 'x86_64', memory_mb: 8192, local_gb: 100 },
    },
    check: hasInventory,
  },
  {
    name: 'inspect by an agent',
    node: { ...MANAGEABLE, inspect_interface: 'agent' },
    ...provision('inspect'),
    before: MANAGEABLE,
    done: { provision_state: 'inspect wait', target_provision_state: 'manageable' },
  },
];
