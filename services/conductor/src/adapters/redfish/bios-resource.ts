import { DriverFailure } from '../../domain/driver-failure.js';
import { type BmcClient, type Resource } from './bmc-client.js';
import { type Json, linkOf, objectOf } from './json.js';

/** Passwords are neither returned by BMCs nor stored by the conductor. */
export const isPasswordSetting = (name: string): boolean => /passw/iu.test(name);

/** Where settings for the next start are written: the settings resource, or the BIOS itself on a BMC without one. */
export const settingsPathOf = (bios: Resource): string =>
  linkOf(objectOf(bios.data['@Redfish.Settings'])['SettingsObject']) ?? bios.path;

export const attributesOf = ({ data }: Resource): Json => objectOf(data['Attributes']);

/** @throws DriverFailure `unsupported` for a system whose BMC shows no BIOS settings */
export async function readBios(bmc: BmcClient, path: string | undefined): Promise<Resource> {
  const bios = await bmc.readOptional(path);
  if (bios === undefined || Object.keys(attributesOf(bios)).length === 0)
    throw new DriverFailure('unsupported', 'the BMC does not offer BIOS settings');
  return bios;
}
