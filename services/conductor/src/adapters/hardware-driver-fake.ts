import { type NodeRecord } from '@tenure/contracts';
import { INTERFACES } from '../domain/interfaces.js';
import { membersOf } from '../domain/members.js';
import { isPowerState } from '../domain/power.js';
import { type BootDevice, type HardwareDriver } from '../ports/hardware-driver.js';
import { fakeCapabilities } from './fake/capabilities.js';
import { fakeProvisioning } from './fake/provisioning.js';
import { act, delayOf } from './fake/simulate.js';

const BOOT_DEVICES = ['pxe', 'disk', 'cdrom', 'bios', 'safe'] as const;
const BOOT_DEVICE_KEY = 'fake_boot_device';

const both = (name: string) => ({ default: 'fake', enabled: ['fake', `no-${name}`] });
const only = (name: string) => ({ default: name, enabled: [name] });

const CHOICES = {
  bios: both('bios'),
  boot: only('fake'),
  console: both('console'),
  deploy: only('fake'),
  firmware: both('firmware'),
  inspect: { default: 'fake', enabled: ['fake', 'agent', 'no-inspect'] },
  management: only('fake'),
  network: only('noop'),
  power: only('fake'),
  raid: both('raid'),
  rescue: both('rescue'),
  storage: only('noop'),
  vendor: both('vendor'),
};

/**
 * `fake-hardware`: a machine that exists in its record only. Its power is `power_state`, its boot device a member
 * of `driver_internal_info`, so that neither is lost with the process.
 */
export const createFakeDriver = (): HardwareDriver => ({
  name: 'fake-hardware',
  interfaces: { fromSettings: INTERFACES, always: [] },
  choices: CHOICES,
  properties: {
    fake_delay_ms: 'Milliseconds that everything takes, at most 600000. Optional.',
    fake_failure: 'What fails: power, boot_device, console, … Optional.',
  },
  ...fakeCapabilities,
  validate: async (node) => {
    await Promise.resolve(delayOf(node));
  },
  getPowerState: (node) =>
    Promise.resolve(isPowerState(node.power_state) ? node.power_state : 'power off'),
  setPowerState: async (node, step, deadline) => {
    if (node.power_state === step.goal) return step.goal;
    await act(node, 'power', deadline);
    return step.goal;
  },
  getBootDevice: (node) => Promise.resolve(storedBootDevice(node)),
  setBootDevice: async (node, { device, persistent }, deadline) => {
    await act(node, 'boot_device', deadline);
    return { [BOOT_DEVICE_KEY]: { boot_device: device, persistent } };
  },
  supportedBootDevices: () => Promise.resolve(BOOT_DEVICES),
  provisioning: fakeProvisioning,
});

function storedBootDevice(node: NodeRecord): BootDevice {
  const stored = membersOf(node.driver_internal_info[BOOT_DEVICE_KEY]);
  const { boot_device: device, persistent } = stored;
  return {
    boot_device: typeof device === 'string' ? device : 'pxe',
    persistent: persistent === true,
  };
}
