import { ACTIVE, AVAILABLE, MANAGEABLE } from './fake-states.js';
import { change, maintenance, type Order } from './orders.js';
import { attached, holdsVif } from './vif-checks.js';

export const CHANGE_ORDERS: readonly Order[] = [
  {
    name: 'boot mode',
    node: { ...MANAGEABLE, last_error: 'An older failure.' },
    ...change('boot_mode', { target: 'uefi' }),
    before: { boot_mode: null, last_error: 'An older failure.' },
    done: { boot_mode: 'uefi' },
  },
  {
    name: 'secure boot',
    node: MANAGEABLE,
    ...change('secure_boot', { target: true }),
    before: { secure_boot: null },
    done: { secure_boot: true },
  },
  {
    name: 'console',
    node: ACTIVE,
    ...change('console', { enabled: true }),
    before: { console_enabled: false },
    done: { console_enabled: true },
  },
  {
    name: 'maintenance',
    node: AVAILABLE,
    ...maintenance('PUT'),
    before: { maintenance: false },
    done: { maintenance: true },
  },
  {
    name: 'maintenance ended',
    node: { ...AVAILABLE, maintenance: true, maintenance_reason: 'a fan' },
    ...maintenance('DELETE'),
    before: { maintenance: true, maintenance_reason: 'a fan' },
    done: { maintenance: false, maintenance_reason: null },
  },
  {
    name: 'RAID to be built',
    node: MANAGEABLE,
    ...change('raid', { logical_disks: [{ size_gb: 'MAX', raid_level: '1' }] }),
    answer: 204,
    before: { target_raid_config: {} },
    done: { target_raid_config: { logical_disks: [{ size_gb: 'MAX', raid_level: '1' }] } },
  },
  {
    name: 'attach a VIF',
    node: ACTIVE,
    ports: () => [{}],
    ask: ({ node: { uuid }, vif }) => ({ line: `POST /v1/nodes/${uuid}/vifs`, body: { id: vif } }),
    answer: 204,
    // the lock, and the port with whose it is
    writtenWith: 2,
    before: ACTIVE,
    done: ACTIVE,
    check: holdsVif('done'),
  },
  {
    name: 'detach a VIF',
    node: ACTIVE,
    ports: attached,
    ask: ({ node: { uuid }, vif }) => ({ line: `DELETE /v1/nodes/${uuid}/vifs/${vif}` }),
    answer: 204,
    writtenWith: 2,
    before: ACTIVE,
    done: ACTIVE,
    check: holdsVif('before'),
  },
];
