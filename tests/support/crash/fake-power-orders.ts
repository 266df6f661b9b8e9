import { ACTIVE, AVAILABLE, OFF, ON } from './fake-states.js';
import { type Order, power } from './orders.js';

export const POWER_ORDERS: readonly Order[] = [
  {
    name: 'power on',
    node: AVAILABLE,
    ...power('power on'),
    // A plain order is written with the lock.
    writtenWith: 1,
    before: OFF,
    done: ON,
  },
  {
    name: 'power off',
    node: ACTIVE,
    ...power('power off'),
    writtenWith: 1,
    before: ON,
    done: OFF,
  },
  {
    name: 'reboot',
    node: ACTIVE,
    ...power('rebooting'),
    writtenWith: 2,
    before: ON,
    done: ON,
  },
  {
    name: 'soft power off',
    node: ACTIVE,
    ...power('soft power off'),
    writtenWith: 2,
    before: ON,
    done: OFF,
  },
  {
    name: 'soft reboot',
    node: ACTIVE,
    ...power('soft rebooting'),
    writtenWith: 2,
    before: ON,
    done: ON,
  },
];
