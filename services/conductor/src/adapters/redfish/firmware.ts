import { type Deadline } from '@tenure/process';
import {
  type FirmwareCapability,
  type FirmwareComponent,
} from '../../ports/hardware-capabilities.js';
import { type Bmc } from './bmc.js';
import { readMembers } from './collection.js';
import { softwareOf, type Software } from './firmware-names.js';
import { linkOf, textOf } from './json.js';
import { readOptional, readResource } from './resource.js';
import { type FindTarget, systemOf } from './target.js';

const ROOT = '/redfish/v1/';
const MAX_COMPONENTS = 200;
const MAX_TEXT = 255;

const inventoryOf = async (bmc: Bmc, deadline: Deadline): Promise<readonly Software[]> => {
  const root = await readResource(bmc, ROOT, deadline);
  const service = await readOptional(bmc, linkOf(root.data['UpdateService']), deadline);
  const path = linkOf(service?.data['FirmwareInventory']);
  const options = { limit: MAX_COMPONENTS, expand: true };
  const found = (await readMembers(bmc, path, deadline, options)).flatMap(softwareOf);
  // What was installed last comes before what was current until then.
  return found.toSorted((a, b) => Number(a.isSuperseded) - Number(b.isSuperseded));
};

const componentOf = (name: string, version: string): FirmwareComponent => ({
  component: name.slice(0, MAX_TEXT),
  initial_version: version.slice(0, MAX_TEXT),
  current_version: version.slice(0, MAX_TEXT),
  last_version_flashed: null,
});

/** Versions by name. The first of a name keeps it; another of the same name is told apart by its id. */
const named = (
  known: ReadonlyMap<string, string>,
  found: readonly Software[],
): ReadonlyMap<string, string> => {
  const all = new Map(known);
  for (const { name, version, id, isSuperseded } of found) {
    const isTaken = all.has(name);
    // BIOS and BMC say their own version, and have one only.
    if (isTaken && (name === 'bios' || name === 'bmc' || isSuperseded)) continue;
    all.set(isTaken ? `${name}:${id}` : name, version);
  }
  return all;
};

/** Versions of the BIOS, of the BMC, and of whatever else its update service knows to be installed. */
export const redfishFirmware = (find: FindTarget): FirmwareCapability => ({
  components: async (node, deadline) => {
    const { bmc, system } = await systemOf(find, node, deadline);
    const manager = await readOptional(bmc, system.managerPaths[0], deadline);
    const own = [
      ['bios', system.biosVersion],
      ['bmc', textOf(manager?.data['FirmwareVersion'])],
    ] as const;
    const known = new Map(
      own.flatMap(([name, version]) => (version === undefined ? [] : [[name, version]])),
    );
    const all = named(known, await inventoryOf(bmc, deadline));
    return [...all].map(([name, version]) => componentOf(name, version));
  },
});
