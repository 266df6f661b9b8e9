import { type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { devicesFor, fromBootTarget, toBootTarget } from '../domain/boot-device.js';
import { DriverFailure } from '../domain/driver-failure.js';
import { redfishSettingsOf } from '../domain/redfish-settings.js';
import { type BootDevice, type HardwareDriver } from '../ports/hardware-driver.js';
import { type BmcDirectory } from './redfish/bmc-directory.js';
import { redfishCapabilities } from './redfish/capabilities.js';
import {
  clearBootOverride,
  enabledFor,
  overrideBoot,
  readSystem,
  type SystemView,
} from './redfish/computer-system.js';
import { changePower, type PowerPace, powerStateOf } from './redfish/power-change.js';
import { redfishProvisioning } from './redfish/provisioning.js';
import { createFindTarget, systemOf } from './redfish/target.js';

const only = (name: string) => ({ default: name, enabled: [name] });
const withNone = (name: string) => ({ default: 'redfish', enabled: ['redfish', `no-${name}`] });

const CHOICES = {
  bios: withNone('bios'),
  boot: only('redfish-virtual-media'),
  // Switched on for a node by its operator: a user of it needs an account of the BMC.
  console: { default: 'no-console', enabled: ['no-console', 'redfish-serial'] },
  deploy: { default: 'direct', enabled: ['direct', 'ramdisk'] },
  firmware: withNone('firmware'),
  inspect: { default: 'redfish', enabled: ['redfish', 'agent', 'no-inspect'] },
  management: only('redfish'),
  network: only('noop'),
  power: only('redfish'),
  raid: withNone('raid'),
  rescue: { default: 'no-rescue', enabled: ['no-rescue', 'agent'] },
  storage: only('noop'),
  vendor: withNone('vendor'),
};

const PROPERTIES = {
  deploy_iso:
    'Http or https address of an ISO image with an agent that reports here. Needed for deploy_interface direct, rescue, and whatever else an agent does.',
  redfish_address: 'Scheme, host and port of the BMC; https when there is no scheme. Required.',
  redfish_auth_type: "How to log in: 'auto', 'session' or 'basic'. Optional, 'auto' by default.",
  redfish_password: 'Password of the account. Goes with redfish_username.',
  redfish_system_id: 'Path or id of the system. Required when the BMC has more than one.',
  redfish_username: 'Account on the BMC. Goes with redfish_password.',
  redfish_verify_ca:
    'True, false, or the path of a file of CA certificates. Optional, true by default.',
};

export interface RedfishDriverOptions {
  readonly directory: BmcDirectory;
  readonly pace: PowerPace;
}

/** `redfish`: real machines, over their BMC's Redfish service. */
export function createRedfishDriver({ directory, pace }: RedfishDriverOptions): HardwareDriver {
  const targetOf = createFindTarget(directory);
  const viewOf = async (node: NodeRecord, deadline: Deadline): Promise<SystemView> =>
    (await systemOf(targetOf, node, deadline)).system;
  const driver: Omit<HardwareDriver, 'provisioning'> = {
    name: 'redfish',
    interfaces: {
      fromSettings: ['bios', 'boot', 'console', 'firmware', 'management', 'power', 'raid'],
      always: ['network', 'storage'],
    },
    choices: CHOICES,
    properties: PROPERTIES,
    ...redfishCapabilities(targetOf),
    validate: async (node) => {
      await directory.admit(redfishSettingsOf(node));
    },
    getPowerState: async (node, deadline) => powerStateOf(await viewOf(node, deadline)),
    setPowerState: async (node, change, deadline) => {
      const { bmc, path } = await targetOf(node, deadline);
      return changePower(bmc, path, { change, pace });
    },
    getBootDevice: async (node, deadline) => bootDeviceOf(await viewOf(node, deadline)),
    setBootDevice: async (node, { device, persistent, mayBeSet = false }, deadline) => {
      const { bmc, system } = await systemOf(targetOf, node, deadline);
      const target = toBootTarget(device);
      if (target === undefined || !devicesFor(system.bootTargets).includes(device))
        throw new DriverFailure('unsupported', `invalid boot device ${device} specified`);
      const isSet = system.bootTarget === target && system.bootEnabled === enabledFor(persistent);
      if (mayBeSet && isSet) return {};
      await overrideBoot(bmc, system, { target, persistent });
      const after = await readSystem(bmc, system.path);
      // Whether it reads back as Once or Continuous differs between BMCs; the device must not.
      if (after.bootTarget !== target)
        throw new DriverFailure('no_effect', 'the BMC took the boot device, but does not show it');
      return {};
    },
    clearBootDevice: async (node, deadline) => {
      const { bmc, system } = await systemOf(targetOf, node, deadline);
      if (bootDeviceOf(system).boot_device === null) return {};
      await clearBootOverride(bmc, system);
      if (bootDeviceOf(await readSystem(bmc, system.path)).boot_device !== null)
        throw new DriverFailure('no_effect', 'the BMC still shows the boot device that was set');
      return {};
    },
    supportedBootDevices: async (node, deadline) =>
      devicesFor((await viewOf(node, deadline)).bootTargets),
  };
  return { ...driver, provisioning: redfishProvisioning(targetOf, driver, pace) };
}

function bootDeviceOf(system: SystemView): BootDevice {
  const { bootTarget, bootEnabled } = system;
  if (bootTarget === undefined || bootTarget === 'None' || bootEnabled === 'Disabled')
    return { boot_device: null, persistent: null };
  return {
    boot_device: fromBootTarget(bootTarget) ?? null,
    persistent: bootEnabled === undefined ? null : bootEnabled === 'Continuous',
  };
}
