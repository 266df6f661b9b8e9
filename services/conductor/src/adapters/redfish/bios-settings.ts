import { type BiosCapability } from '../../ports/hardware-capabilities.js';
import { attributesOf, isPasswordSetting, settingsPathOf } from './bios-resource.js';
import { type Json, objectOf } from './json.js';
import { type FindTarget, systemOf } from './target.js';

/** The attributes of the system's BIOS, without its passwords. */
export const redfishBios = (find: FindTarget): BiosCapability => ({
  settings: async (node, deadline) => {
    const { bmc, system } = await systemOf(find, node, deadline);
    const bios = await bmc.readOptional(system.biosPath);
    return settingsIn(objectOf(bios?.data['Attributes']));
  },
  settingsToCome: async (node, deadline) => {
    const { bmc, system } = await systemOf(find, node, deadline);
    const bios = await bmc.readOptional(system.biosPath);
    if (bios === undefined) return [];
    const settings = await bmc.read(settingsPathOf(bios));
    return settingsIn({ ...attributesOf(bios), ...attributesOf(settings) });
  },
});

const settingsIn = (attributes: Json): Awaited<ReturnType<BiosCapability['settings']>> =>
  Object.entries(attributes)
    .filter(([name]) => !isPasswordSetting(name))
    .map(([name, value]) => ({ name, value: valueOf(value) }));

function valueOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}
