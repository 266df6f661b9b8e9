import { type NodeRecord } from '@tenure/contracts';
import { type Deadline, pause, remainingMs } from '../deadline.js';
import { DriverFailure } from '../domain/driver-failure.js';
import { INTERFACES } from '../domain/interfaces.js';
import { isPowerState } from '../domain/power.js';
import { type BootDevice, type HardwareDriver } from '../ports/hardware-driver.js';

const BOOT_DEVICES = ['pxe', 'disk', 'cdrom', 'bios', 'safe'] as const;
const BOOT_DEVICE_KEY = 'fake_boot_device';
const MAX_DELAY_MS = 600_000;

const delayOf = (node: NodeRecord): number => {
  const delay = node.driver_info['fake_delay_ms'] ?? 0;
  if (typeof delay !== 'number' || !Number.isInteger(delay) || delay < 0 || delay > MAX_DELAY_MS)
    throw new DriverFailure(
      'settings',
      'fake_delay_ms must be a whole number of milliseconds up to 600000',
    );
  return delay;
};

// `fake_failure` names what fails: `power` or `boot_device`.
const act = async (
  node: NodeRecord,
  what: 'power' | 'boot_device',
  deadline: Deadline,
): Promise<void> => {
  const delay = delayOf(node);
  const late = delay > remainingMs(deadline);
  await pause(delay, deadline);
  if (late) throw new DriverFailure('timeout', 'the simulated hardware did not answer in time');
  if (node.driver_info['fake_failure'] === what)
    throw new DriverFailure('simulated', 'the simulated hardware failed, as fake_failure asks');
};

const storedBootDevice = (node: NodeRecord): BootDevice => {
  const stored = node.driver_internal_info[BOOT_DEVICE_KEY];
  if (typeof stored !== 'object' || stored === null)
    return { boot_device: 'pxe', persistent: false };
  const { boot_device: device, persistent } = stored as Readonly<Record<string, unknown>>; // both members are checked here
  return {
    boot_device: typeof device === 'string' ? device : 'pxe',
    persistent: persistent === true,
  };
};

/**
 * `fake-hardware`: a machine that exists in its record only. Its power is `power_state`, its boot device a member
 * of `driver_internal_info`, so that neither is lost with the process.
 */
export const createFakeDriver = (): HardwareDriver => ({
  name: 'fake-hardware',
  interfaces: { fromSettings: INTERFACES, always: [] },
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
});
