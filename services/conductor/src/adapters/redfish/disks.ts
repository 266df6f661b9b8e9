import { type BmcClient, type Resource } from './bmc-client.js';
import { BmcCallFailure } from './bmc-error.js';
import { readMembers } from './collection.js';
import { type Json, linkOf, linksOf, objectOf, textOf } from './json.js';

/** A disk as an inventory shows it; `size` in bytes. */
export interface Disk {
  readonly name: string | null;
  readonly size: number;
  readonly model: string | null;
  readonly vendor: string | null;
  readonly serial: string | null;
  readonly rotational: boolean | null;
}

/** Maximum drives that are read of one machine. */
const MAX_DRIVES = 200;

const MEDIA: ReadonlyMap<unknown, boolean> = new Map([
  ['HDD', true],
  ['SSD', false],
]);

const GIB = 1024 ** 3;
const SMALLEST_BYTES = 4 * GIB;

/** The disks that an operating system sees: volumes where there are any, else drives; of an old BMC its simple storage. */
export async function readDisks(bmc: BmcClient, system: Json): Promise<readonly Disk[]> {
  const controllers = await orNone(readMembers(bmc, linkOf(system['Storage'])));
  for (const disks of [await volumesOf(bmc, controllers), await drivesOf(bmc, controllers)])
    if (disks.length > 0) return disks;
  return orNone(simpleDisksOf(bmc, system));
}

/**
 * `local_gb` as Ironic counts it: the smallest disk that an image fits on, less one GiB, which partition tables may need.
 * Undefined for a machine without disks.
 */
export function localGbOf(disks: readonly Disk[]): number | undefined {
  const sizes = disks.map(({ size }) => size).filter((size) => size >= SMALLEST_BYTES);
  return sizes.length === 0 ? undefined : Math.floor(Math.min(...sizes) / GIB) - 1;
}

/** A linked resource for which the BMC answers with an error counts as missing. A BMC that does not answer is a failure. */
async function orNone<T>(read: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof BmcCallFailure && error.kind === 'answer') return [];
    throw error;
  }
}

async function volumesOf(
  bmc: BmcClient,
  controllers: readonly Resource[],
): Promise<readonly Disk[]> {
  const found: Json[] = [];
  for (const { data } of controllers)
    found.push(...dataOf(await readMembers(bmc, linkOf(data['Volumes']))));
  return disksIn(found);
}

async function drivesOf(
  bmc: BmcClient,
  controllers: readonly Resource[],
): Promise<readonly Disk[]> {
  const paths = controllers.flatMap(({ data }) => linksOf(data['Drives']));
  const found: Json[] = [];
  for (const path of paths.slice(0, MAX_DRIVES)) found.push((await bmc.read(path)).data);
  return disksIn(found);
}

async function simpleDisksOf(bmc: BmcClient, system: Json): Promise<readonly Disk[]> {
  const controllers = await readMembers(bmc, linkOf(system['SimpleStorage']));
  return disksIn(
    controllers.flatMap(({ data: { Devices: devices } }) =>
      Array.isArray(devices) ? devices.map((device) => objectOf(device)) : [],
    ),
  );
}

const dataOf = (found: readonly Resource[]): readonly Json[] => found.map(({ data }) => data);

const disksIn = (found: readonly Json[]): readonly Disk[] =>
  found.map((data) => diskOf(data)).filter((disk) => disk !== undefined);

/** Undefined for what has no size, as an empty slot. */
function diskOf(data: Json): Disk | undefined {
  const size = data['CapacityBytes'];
  return typeof size === 'number' && Number.isSafeInteger(size) && size > 0
    ? {
        name: textOf(data['Name']) ?? textOf(data['Id']) ?? null,
        size,
        model: textOf(data['Model']) ?? null,
        vendor: textOf(data['Manufacturer']) ?? null,
        serial: textOf(data['SerialNumber']) ?? null,
        rotational: MEDIA.get(data['MediaType']) ?? null,
      }
    : undefined;
}
