import { type Deadline } from '@tenure/process';
import { BOOT_MODES, type BootMode } from '../../domain/boot-mode.js';
import { DriverFailure } from '../../domain/driver-failure.js';
import {
  type BootModeCapability,
  type SecureBootCapability,
} from '../../ports/hardware-capabilities.js';
import { settingsPathOf } from './bios-resource.js';
import { type Bmc } from './bmc.js';
import { patchSystem, readSystem, type SystemView } from './computer-system.js';
import { objectOf, textOf } from './json.js';
import { changeAndSee, changeResource, readOptional, readResource } from './resource.js';
import { type FindTarget, systemOf } from './target.js';

const OVERRIDES: Readonly<Record<BootMode, string>> = { uefi: 'UEFI', bios: 'Legacy' };
const BIOS_VALUES: Readonly<Record<BootMode, string>> = { uefi: 'Uefi', bios: 'Bios' };
const NO_EFFECT = 'the BMC took the boot mode, but does not show it';

const setOverride = async (
  bmc: Bmc,
  system: SystemView,
  mode: BootMode,
  deadline: Deadline,
): Promise<void> => {
  const wanted = OVERRIDES[mode];
  if (system.bootMode === wanted) return;
  await changeAndSee(
    () => patchSystem(bmc, system, { Boot: { BootSourceOverrideMode: wanted } }, deadline),
    {
      read: () => readSystem(bmc, system.path, deadline),
      isThere: ({ bootMode }) => bootMode === wanted,
      missing: NO_EFFECT,
    },
    deadline,
  );
};

const biosModeIn = (data: Readonly<Record<string, unknown>>): string | undefined =>
  textOf(objectOf(data['Attributes'])['BootMode']);

/** For a BMC whose boot mode is a BIOS attribute: it is set for the next start, and so read back. */
const setAttribute = async (
  bmc: Bmc,
  biosPath: string | undefined,
  mode: BootMode,
  deadline: Deadline,
): Promise<void> => {
  const bios = await readOptional(bmc, biosPath, deadline);
  const now = bios === undefined ? undefined : biosModeIn(bios.data);
  if (bios === undefined || now === undefined)
    throw new DriverFailure('unsupported', 'the BMC does not offer boot modes');
  const wanted = BIOS_VALUES[mode];
  if (now === wanted) return;
  const path = settingsPathOf(bios);
  const settings = await readResource(bmc, path, deadline);
  const body = { Attributes: { BootMode: wanted } };
  await changeAndSee(
    () => changeResource(bmc, settings, { method: 'PATCH', path, body }, deadline),
    {
      read: () => readResource(bmc, path, deadline),
      isThere: ({ data }) => biosModeIn(data) === wanted,
      missing: NO_EFFECT,
    },
    deadline,
  );
};

const modeOf = (
  names: Readonly<Record<BootMode, string>>,
  value: string | undefined,
): BootMode | null => BOOT_MODES.find((mode) => names[mode] === value) ?? null;

/** Boot mode by `BootSourceOverrideMode`, or by the BIOS attribute `BootMode` where the system has no such member. */
export const redfishBootMode = (find: FindTarget): BootModeCapability => ({
  get: async (node, deadline) => {
    const { bmc, system } = await systemOf(find, node, deadline);
    if (system.bootMode !== undefined) return modeOf(OVERRIDES, system.bootMode);
    const bios = await readOptional(bmc, system.biosPath, deadline);
    return modeOf(BIOS_VALUES, bios === undefined ? undefined : biosModeIn(bios.data));
  },
  set: async (node, mode, deadline) => {
    const { bmc, system } = await systemOf(find, node, deadline);
    if (system.bootMode !== undefined) await setOverride(bmc, system, mode, deadline);
    else await setAttribute(bmc, system.biosPath, mode, deadline);
    return mode;
  },
});

/** Secure boot by `SecureBootEnable`, which is in force from the next start of the system. */
export const redfishSecureBoot = (find: FindTarget): SecureBootCapability => ({
  get: async (node, deadline) => {
    const { bmc, system } = await systemOf(find, node, deadline);
    const secure = await readOptional(bmc, system.secureBootPath, deadline);
    const enabled = secure?.data['SecureBootEnable'];
    return typeof enabled === 'boolean' ? enabled : null;
  },
  set: async (node, enabled, deadline) => {
    const { bmc, system } = await systemOf(find, node, deadline);
    const secure = await readOptional(bmc, system.secureBootPath, deadline);
    if (typeof secure?.data['SecureBootEnable'] !== 'boolean')
      throw new DriverFailure('unsupported', 'the BMC does not offer secure boot');
    if (secure.data['SecureBootEnable'] === enabled) return enabled;
    const { path } = secure;
    const body = { SecureBootEnable: enabled };
    await changeAndSee(
      () => changeResource(bmc, secure, { method: 'PATCH', path, body }, deadline),
      {
        read: () => readResource(bmc, path, deadline),
        isThere: ({ data }) => data['SecureBootEnable'] === enabled,
        missing: 'the BMC took the secure boot setting, but does not show it',
      },
      deadline,
    );
    return enabled;
  },
});
