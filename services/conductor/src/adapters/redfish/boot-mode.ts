import { BOOT_MODES, type BootMode } from '../../domain/boot-mode.js';
import { DriverFailure } from '../../domain/driver-failure.js';
import {
  type BootModeCapability,
  type SecureBootCapability,
} from '../../ports/hardware-capabilities.js';
import { attributesOf, settingsPathOf } from './bios-resource.js';
import { type BmcClient, type Resource } from './bmc-client.js';
import { patchSystem, readSystem, type SystemView } from './computer-system.js';
import { textOf } from './json.js';
import { type FindTarget, systemOf } from './target.js';

const OVERRIDES: Readonly<Record<BootMode, string>> = { uefi: 'UEFI', bios: 'Legacy' };
const BIOS_VALUES: Readonly<Record<BootMode, string>> = { uefi: 'Uefi', bios: 'Bios' };
const NO_EFFECT = 'the BMC took the boot mode, but does not show it';

/** The boot mode of a `BootSourceOverrideMode`; null for other values. */
export const overrideMode = (value: string | undefined): BootMode | null =>
  modeOf(OVERRIDES, value);

/** Boot mode by `BootSourceOverrideMode`, or by the BIOS attribute `BootMode` where the system has no such member. */
export const redfishBootMode = (find: FindTarget): BootModeCapability => ({
  get: async (node, deadline) => {
    const { bmc, system } = await systemOf(find, node, deadline);
    if (system.bootMode !== undefined) return overrideMode(system.bootMode);
    const bios = await bmc.readOptional(system.biosPath);
    return modeOf(BIOS_VALUES, bios && biosModeIn(bios));
  },
  set: async (node, mode, deadline) => {
    const { bmc, system } = await systemOf(find, node, deadline);
    if (system.bootMode !== undefined) await setOverride(bmc, system, mode);
    else await setAttribute(bmc, system.biosPath, mode);
    return mode;
  },
});

/** Secure boot by `SecureBootEnable`, which is in force from the next start of the system. */
export const redfishSecureBoot = (find: FindTarget): SecureBootCapability => ({
  get: async (node, deadline) => {
    const { bmc, system } = await systemOf(find, node, deadline);
    const secure = await bmc.readOptional(system.secureBootPath);
    const enabled = secure?.data['SecureBootEnable'];
    return typeof enabled === 'boolean' ? enabled : null;
  },
  set: async (node, enabled, deadline) => {
    const { bmc, system } = await systemOf(find, node, deadline);
    const secure = await bmc.readOptional(system.secureBootPath);
    if (typeof secure?.data['SecureBootEnable'] !== 'boolean')
      throw new DriverFailure('unsupported', 'the BMC does not offer secure boot');
    if (secure.data['SecureBootEnable'] === enabled) return enabled;
    await bmc.patchAndSee(
      secure,
      { SecureBootEnable: enabled },
      {
        isThere: ({ data }) => data['SecureBootEnable'] === enabled,
        missing: 'the BMC took the secure boot setting, but does not show it',
      },
    );
    return enabled;
  },
});

const modeOf = (
  names: Readonly<Record<BootMode, string>>,
  value: string | undefined,
): BootMode | null => BOOT_MODES.find((mode) => names[mode] === value) ?? null;

const biosModeIn = (bios: Resource): string | undefined => textOf(attributesOf(bios)['BootMode']);

async function setOverride(bmc: BmcClient, system: SystemView, mode: BootMode): Promise<void> {
  const wanted = OVERRIDES[mode];
  if (system.bootMode === wanted) return;
  const body = { Boot: { BootSourceOverrideMode: wanted } };
  await bmc.changeAndSee(() => patchSystem(bmc, system, body), {
    read: () => readSystem(bmc, system.path),
    isThere: ({ bootMode }) => bootMode === wanted,
    missing: NO_EFFECT,
  });
}

/** For a BMC whose boot mode is a BIOS attribute: it is set for the next start, and so read back. */
async function setAttribute(
  bmc: BmcClient,
  biosPath: string | undefined,
  mode: BootMode,
): Promise<void> {
  const bios = await bmc.readOptional(biosPath);
  const now = bios && biosModeIn(bios);
  if (bios === undefined || now === undefined)
    throw new DriverFailure('unsupported', 'the BMC does not offer boot modes');
  const wanted = BIOS_VALUES[mode];
  if (now === wanted) return;
  const settings = await bmc.read(settingsPathOf(bios));
  await bmc.patchAndSee(
    settings,
    { Attributes: { BootMode: wanted } },
    { isThere: (seen) => biosModeIn(seen) === wanted, missing: NO_EFFECT },
  );
}
