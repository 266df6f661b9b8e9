import { type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '../deadline.js';
import { devicesFor, fromBootTarget, toBootTarget } from '../domain/boot-device.js';
import { DriverFailure } from '../domain/driver-failure.js';
import { redfishSettingsOf } from '../domain/redfish-settings.js';
import { type BootDevice, type HardwareDriver } from '../ports/hardware-driver.js';
import { type BmcDirectory } from './redfish/bmc-directory.js';
import { type Bmc } from './redfish/bmc.js';
import { overrideBoot, readSystem, type SystemView } from './redfish/computer-system.js';
import { RedfishLibraryClient } from './redfish/library-client.js';
import { changePower, POWER_PACE, type PowerPace, powerStateOf } from './redfish/power-change.js';
import { loadTrust } from './redfish/trust.js';

interface Target {
  readonly bmc: Bmc;
  readonly path: string;
}

const onlySystemOf = async (bmc: Bmc, deadline: Deadline): Promise<string> => {
  let ids: readonly string[];
  try {
    ids = await new RedfishLibraryClient(bmc, deadline).getAvailableSystemIds();
  } catch (error) {
    if (error instanceof DriverFailure) throw error;
    throw new DriverFailure('malformed', 'the BMC lists no systems', { cause: error });
  }
  const [id, ...others] = ids;
  if (id === undefined || others.length > 0)
    throw new DriverFailure(
      'settings',
      'redfish_system_id is missing in driver_info, and the BMC has more than one system',
    );
  return `/redfish/v1/Systems/${encodeURIComponent(id)}`;
};

const bootDeviceOf = (system: SystemView): BootDevice => {
  const { bootTarget, bootEnabled } = system;
  if (bootTarget === undefined || bootTarget === 'None' || bootEnabled === 'Disabled')
    return { boot_device: null, persistent: null };
  return {
    boot_device: fromBootTarget(bootTarget) ?? null,
    persistent: bootEnabled === undefined ? null : bootEnabled === 'Continuous',
  };
};

export interface RedfishDriverOptions {
  readonly directory: BmcDirectory;
  readonly caDirectory: string | undefined;
  readonly pace?: PowerPace;
}

/** `redfish`: real machines, over their BMC's Redfish service. */
export const createRedfishDriver = ({
  directory,
  caDirectory,
  pace = POWER_PACE,
}: RedfishDriverOptions): HardwareDriver => {
  const targetOf = async (node: NodeRecord, deadline: Deadline): Promise<Target> => {
    const settings = redfishSettingsOf(node);
    const bmc = await directory.find(settings);
    return { bmc, path: settings.systemPath ?? (await onlySystemOf(bmc, deadline)) };
  };
  const systemOf = async (node: NodeRecord, deadline: Deadline): Promise<SystemView> => {
    const { bmc, path } = await targetOf(node, deadline);
    return readSystem(bmc, path, deadline);
  };
  return {
    name: 'redfish',
    interfaces: { fromSettings: ['boot', 'management', 'power'], always: ['network', 'storage'] },
    validate: async (node) => {
      await loadTrust(redfishSettingsOf(node).trust, caDirectory);
    },
    getPowerState: async (node, deadline) => powerStateOf(await systemOf(node, deadline)),
    setPowerState: async (node, step, deadline) => {
      const { bmc, path } = await targetOf(node, deadline);
      return changePower(bmc, path, { step, pace }, deadline);
    },
    getBootDevice: async (node, deadline) => bootDeviceOf(await systemOf(node, deadline)),
    setBootDevice: async (node, { device, persistent }, deadline) => {
      const { bmc, path } = await targetOf(node, deadline);
      const target = toBootTarget(device);
      const system = await readSystem(bmc, path, deadline);
      if (target === undefined || !devicesFor(system.bootTargets).includes(device))
        throw new DriverFailure('unsupported', `invalid boot device ${device} specified`);
      await overrideBoot(bmc, system, { target, persistent }, deadline);
      const after = await readSystem(bmc, path, deadline);
      // Whether it reads back as Once or Continuous differs between BMCs; the device must not.
      if (after.bootTarget !== target)
        throw new DriverFailure('no_effect', 'the BMC took the boot device, but does not show it');
      return {};
    },
    supportedBootDevices: async (node, deadline) =>
      devicesFor((await systemOf(node, deadline)).bootTargets),
  };
};
