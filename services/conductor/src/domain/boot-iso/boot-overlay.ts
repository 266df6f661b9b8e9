import { both32, SECTOR } from '../iso9660.js';
import { type ByteSource, PatchedSource } from './byte-source.js';
import { extendCommandLines, grammarOf, LOOKED_FOR } from './command-line.js';
import { FatImage } from './fat-image.js';
import { imageProblem } from './iso-problem.js';
import { type IsoFile, type IsoVolume, readVolume, recordChanges } from './iso-volume.js';

/** Larger files are no configurations of boot loaders. */
const MAX_CONFIGURATION = 1024 * 1024;
const VOLUME_SECTORS = 80;

/** Values that need no quotes in the command line of any boot loader. */
const HARMLESS = /^[A-Za-z0-9._:/@=%+~-]+$/u;

const CATALOG_ENTRY = 32;
const IS_BOOTABLE = 0x88;
const SECTION_HEADERS: readonly number[] = [0x90, 0x91];

const MBR_SIGNATURE = 0xaa55;
const MBR_ENTRIES = 446;
const MBR_ENTRY = 16;
const PROTECTIVE = 0xee;
const BLOCKS_PER_SECTOR = SECTOR / 512;

/**
 * A word of a kernel's command line.
 * @throws Error for a value that a boot loader would not take as it is: nothing that others choose may come here
 */
export function parameter(name: string, value: string): string {
  if (!HARMLESS.test(value))
    throw new Error(`the value of ${name} does not go into a command line`);
  return `${name}=${value}`;
}

/**
 * An ISO image whose kernels are booted with additional parameters on their command lines. The image is not copied: the changed
 * boot loader configurations are appended to it, or replaced in place in its EFI boot image, and its directories refer to them.
 * The same image and parameters make the same bytes.
 * @param parameters each as `parameter` makes it
 * @throws DriverFailure (`settings`) when the image is no ISO 9660 image, or no command line is found in it
 */
export async function bootOverlay(
  base: ByteSource,
  parameters: readonly string[],
): Promise<ByteSource> {
  const image = new PatchedSource(base);
  const volume = await readVolume(base);
  const line = parameters.join(' ');
  if (volume.sectors > sectorsOf(base.size)) throw imageProblem('is shorter than it says');
  let total = await extendFiles(image, volume, line);
  const sectors =
    volume.bootCatalog === undefined ? [] : await bootImages(base, volume.bootCatalog);
  for (const sector of new Set(sectors)) total += await extendBootImage(image, sector, line);
  if (total === 0)
    throw imageProblem(
      `has no command line of a kernel that the agent's secret could be put into (looked for in ${LOOKED_FOR})`,
    );
  const after = sectorsOf(image.size);
  if (after > sectorsOf(base.size)) {
    for (const at of volume.descriptors) image.write(at + VOLUME_SECTORS, both32(after));
    await growPartition(image, volume.sectors);
  }
  return image;
}

const sectorsOf = (bytes: number): number => Math.ceil(bytes / SECTOR);

/** Adds the parameters to the files of the ISO file system: their new contents are appended to the image. */
async function extendFiles(
  image: PatchedSource,
  { files }: IsoVolume,
  parameters: string,
): Promise<number> {
  let total = 0;
  for (const file of files.filter(isConfiguration)) {
    const path = file.paths.find((one) => grammarOf(one) !== undefined) ?? '';
    const made = extended(path, await image.read(file.sector * SECTOR, file.bytes), parameters);
    if (made === undefined) continue;
    total += made.count;
    const extent = { sector: append(image, made.data), bytes: made.data.length };
    for (const record of file.records)
      for (const { at, data } of recordChanges(record, extent)) image.write(at, data);
  }
  return total;
}

/** Sectors of the images that firmware boots: those of El Torito. */
async function bootImages(image: ByteSource, catalog: number): Promise<readonly number[]> {
  const bytes = await image.read(catalog * SECTOR, SECTOR);
  const found: number[] = [];
  for (let at = CATALOG_ENTRY; at + CATALOG_ENTRY <= bytes.length; at += CATALOG_ENTRY) {
    const kind = bytes.readUInt8(at);
    if (kind === IS_BOOTABLE) found.push(bytes.readUInt32LE(at + 8));
    else if (!SECTION_HEADERS.includes(kind) && kind !== 0x44 && at > CATALOG_ENTRY) break;
  }
  return found;
}

/** Adds the parameters to the files of the EFI boot image, in place. */
async function extendBootImage(
  image: PatchedSource,
  sector: number,
  parameters: string,
): Promise<number> {
  const fat = await FatImage.open(image, sector * SECTOR);
  if (fat === undefined) return 0;
  let total = 0;
  for (const file of await fat.files()) {
    if (grammarOf(file.path) === undefined || file.bytes > MAX_CONFIGURATION) continue;
    const content = await fat.read(file);
    const made = content === undefined ? undefined : extended(file.path, content, parameters);
    if (made === undefined) continue;
    fat.replace(file, made.data);
    total += made.count;
  }
  return total;
}

/**
 * A partition that is the whole image (for images that are written to a disk, too) is to have what was added. A partition
 * table of the GPT kind is left alone: its copy at the end of the disk is where it was.
 */
async function growPartition(image: PatchedSource, before: number): Promise<void> {
  const sector = await image.read(0, 512);
  if (sector.length < 512 || sector.readUInt16LE(510) !== MBR_SIGNATURE) return;
  for (let at = MBR_ENTRIES; at < 510; at += MBR_ENTRY) {
    const type = sector.readUInt8(at + 4);
    const isWhole =
      sector.readUInt32LE(at + 8) === 0 &&
      sector.readUInt32LE(at + 12) >= before * BLOCKS_PER_SECTOR;
    if (type === 0 || type === PROTECTIVE || !isWhole) continue;
    const blocks = Buffer.alloc(4);
    blocks.writeUInt32LE(sectorsOf(image.size) * BLOCKS_PER_SECTOR, 0);
    image.write(at + 12, blocks);
  }
}

const isConfiguration = ({ paths, bytes, isPlain }: IsoFile): boolean =>
  isPlain && bytes <= MAX_CONFIGURATION && paths.some((path) => grammarOf(path) !== undefined);

/** The configuration with the parameters; undefined when it boots no kernel. */
function extended(
  path: string,
  content: Buffer,
  parameters: string,
): { readonly data: Buffer; readonly count: number } | undefined {
  const grammar = grammarOf(path);
  if (grammar === undefined) return undefined;
  // Each byte stays what it is, in whatever character set the file was written.
  const { text, count } = extendCommandLines(content.toString('latin1'), grammar, parameters);
  return count === 0 ? undefined : { data: Buffer.from(text, 'latin1'), count };
}

function append(image: PatchedSource, data: Buffer): number {
  const sector = sectorsOf(image.size);
  image.write(sector * SECTOR, Buffer.concat([data], sectorsOf(data.length) * SECTOR));
  return sector;
}
