import {
  type FirmwareCapability,
  type FirmwareComponent,
} from '../../ports/hardware-capabilities.js';
import { type BmcClient } from './bmc-client.js';
import { readMembers } from './collection.js';
import { softwareOf, type Software } from './firmware-names.js';
import { linkOf, textOf } from './json.js';
import { type FindTarget, systemOf } from './target.js';

const MAX_COMPONENTS = 200;
const MAX_TEXT = 255;

/** Versions of the BIOS, of the BMC, and of whatever else its update service knows to be installed. */
export const redfishFirmware = (find: FindTarget): FirmwareCapability => ({
  components: async (node, deadline) => {
    const { bmc, system } = await systemOf(find, node, deadline);
    const manager = await bmc.readOptional(system.managerPaths[0]);
    const own = [
      ['bios', system.biosVersion],
      ['bmc', textOf(manager?.data['FirmwareVersion'])],
    ] as const;
    const versions = new Map(
      own.flatMap(([name, version]) => (version === undefined ? [] : [[name, version]])),
    );
    const all = named(versions, await inventoryOf(bmc));
    return [...all].map(([name, version]) => componentOf(name, version));
  },
});

/** Versions by name. The first component of a name keeps it; the id is appended to the name of any other. */
function named(
  versions: ReadonlyMap<string, string>,
  found: readonly Software[],
): ReadonlyMap<string, string> {
  const all = new Map(versions);
  for (const { name, version, id, isSuperseded } of found) {
    const isTaken = all.has(name);
    // BIOS and BMC say their own version, and have one only.
    if (isTaken && (name === 'bios' || name === 'bmc' || isSuperseded)) continue;
    all.set(isTaken ? `${name}:${id}` : name, version);
  }
  return all;
}

async function inventoryOf(bmc: BmcClient): Promise<readonly Software[]> {
  const root = await bmc.readRoot();
  const service = await bmc.readOptional(linkOf(root.data['UpdateService']));
  const path = linkOf(service?.data['FirmwareInventory']);
  const options = { limit: MAX_COMPONENTS, expand: true };
  const found = (await readMembers(bmc, path, options)).flatMap(softwareOf);
  // The version that was installed last comes before the one that it replaced.
  return found.toSorted((a, b) => Number(a.isSuperseded) - Number(b.isSuperseded));
}

const componentOf = (name: string, version: string): FirmwareComponent => ({
  component: name.slice(0, MAX_TEXT),
  initial_version: version.slice(0, MAX_TEXT),
  current_version: version.slice(0, MAX_TEXT),
  last_version_flashed: null,
});
