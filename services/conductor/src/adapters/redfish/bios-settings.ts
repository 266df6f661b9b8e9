import { type BiosCapability } from '../../ports/hardware-capabilities.js';
import { isPasswordSetting } from './bios-resource.js';
import { objectOf } from './json.js';
import { readOptional } from './resource.js';
import { type FindTarget, systemOf } from './target.js';

const valueOf = (value: unknown): string | null => {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
};

/** The attributes of the system's BIOS, without its passwords. */
export const redfishBios = (find: FindTarget): BiosCapability => ({
  settings: async (node, deadline) => {
    const { bmc, system } = await systemOf(find, node, deadline);
    const bios = await readOptional(bmc, system.biosPath, deadline);
    return Object.entries(objectOf(bios?.data['Attributes']))
      .filter(([name]) => !isPasswordSetting(name))
      .map(([name, value]) => ({ name, value: valueOf(value) }));
  },
});
