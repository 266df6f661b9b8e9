import { both32, SECTOR } from '../iso9660.js';
import { type ByteSource } from './byte-source.js';
import { malformedImage, imageProblem } from './iso-problem.js';

const FIRST_DESCRIPTOR = 16;
const MAX_DESCRIPTORS = 64;
const MAX_DEPTH = 16;
const MAX_RECORDS = 200_000;
const MAX_DIRECTORY_BYTES = 4 * 1024 * 1024;

const IS_DIRECTORY = 2;
const IS_CONTINUED = 0x80;

/** A file of the image: the sectors of its content, and the directory records that refer to it. */
export interface IsoFile {
  /** First sector of the content. */
  readonly sector: number;
  readonly bytes: number;
  /** By every name that it has, from the root, with slashes; in lower case. */
  readonly paths: string[];
  /** Bytes into the image at which the directory records of the file begin. */
  readonly records: number[];
  /** In several pieces, or interleaved: such a file is left alone. */
  readonly isPlain: boolean;
}

/** The parts of an ISO volume that a boot medium is made from. */
export interface IsoVolume {
  readonly files: readonly IsoFile[];
  /** Bytes into the image at which its volume descriptors begin. */
  readonly descriptors: readonly number[];
  /** Sector of the El Torito boot catalog. */
  readonly bootCatalog: number | undefined;
  /** Sectors that the descriptors say the volume has. */
  readonly sectors: number;
}

interface Extent {
  readonly sector: number;
  readonly bytes: number;
}

interface Tree extends Extent {
  readonly isJoliet: boolean;
}

interface Found extends Omit<IsoVolume, 'files'> {
  readonly trees: readonly Tree[];
}

const IS_LAST = 255;

const NAME_CONTINUES = 1;

interface Entry extends Extent {
  readonly name: string;
  /** Bytes into the image. */
  readonly at: number;
  readonly flags: number;
  readonly isPlain: boolean;
}

const RECORD_SECTOR = 2;
const RECORD_BYTES = 10;

/**
 * Reads what an ISO 9660 image has: the files of its plain tree (with Rock Ridge names, where it has them) and of its Joliet
 * tree.
 * @throws DriverFailure (`settings`) when it is none
 */
export async function readVolume(image: ByteSource): Promise<IsoVolume> {
  const { trees, ...volume } = await readDescriptors(image);
  const files = new Map<number, IsoFile>();
  for (const tree of trees) await walk(image, tree, files);
  return { ...volume, files: [...files.values()] };
}

/** Changes that let a directory record name another content. */
export const recordChanges = (
  record: number,
  { sector, bytes }: Extent,
): readonly { readonly at: number; readonly data: Buffer }[] => [
  { at: record + 1, data: Buffer.from([0]) },
  { at: record + RECORD_SECTOR, data: both32(sector) },
  { at: record + RECORD_BYTES, data: both32(bytes) },
];

async function readDescriptors(image: ByteSource): Promise<Found> {
  const trees: Tree[] = [];
  const descriptors: number[] = [];
  let bootCatalog: number | undefined;
  let sectors = 0;
  for (let index = 0; index < MAX_DESCRIPTORS; index += 1) {
    const at = (FIRST_DESCRIPTOR + index) * SECTOR;
    const sector = await exactly(image, at, SECTOR);
    if (sector.toString('latin1', 1, 6) !== 'CD001') throw malformedImage();
    if (sector.readUInt8(0) === IS_LAST) {
      if (trees.length === 0) throw malformedImage();
      await assertNoUdf(image, FIRST_DESCRIPTOR + index + 1);
      return { trees, descriptors, bootCatalog, sectors };
    }
    bootCatalog ??= bootCatalogIn(sector);
    const tree = treeIn(sector);
    if (tree === undefined) continue;
    trees.push(tree);
    descriptors.push(at);
    sectors = Math.max(sectors, sector.readUInt32LE(80));
  }
  throw malformedImage();
}

/** Every file below the root of a tree, noted by its first sector: one content may have several names. */
async function walk(image: ByteSource, tree: Tree, files: Map<number, IsoFile>): Promise<void> {
  const seen = new Set<number>();
  const open = [{ ...tree, path: '', depth: 0 }];
  let records = 0;
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const { path, depth } = one;
    if (seen.has(one.sector) || depth > MAX_DEPTH) continue;
    seen.add(one.sector);
    const entries = await entriesIn(image, one);
    records += entries.length;
    if (records > MAX_RECORDS) throw malformedImage();
    for (const { name, at, flags, isPlain, sector, bytes } of entries) {
      const own = `${path}/${name}`;
      if ((flags & IS_DIRECTORY) !== 0)
        open.push({ sector, bytes, isJoliet: tree.isJoliet, path: own, depth: depth + 1 });
      else if (bytes > 0) {
        const file = files.get(sector);
        if (file === undefined)
          files.set(sector, { sector, bytes, paths: [own], records: [at], isPlain });
        else {
          file.paths.push(own);
          file.records.push(at);
        }
      }
    }
  }
}

async function exactly(image: ByteSource, at: number, length: number): Promise<Buffer> {
  const bytes = await image.read(at, length);
  if (bytes.length !== length) throw malformedImage();
  return bytes;
}

/** A Universal Disk Format beside ISO 9660: a boot loader may read either, so one of them alone must not be changed. */
async function assertNoUdf(image: ByteSource, from: number): Promise<void> {
  for (let sector = from; sector < from + 4; sector += 1) {
    const name = (await image.read(sector * SECTOR, 6)).toString('latin1', 1, 6);
    if (name === 'NSR02' || name === 'NSR03')
      throw imageProblem('has a UDF file system, into which no parameters can be put');
  }
}

const bootCatalogIn = (sector: Buffer): number | undefined =>
  sector.readUInt8(0) === 0 && sector.toString('latin1', 7, 30) === 'EL TORITO SPECIFICATION'
    ? sector.readUInt32LE(0x47)
    : undefined;

/** The tree that a descriptor names; undefined for descriptors of anything else. */
function treeIn(sector: Buffer): Tree | undefined {
  const type = sector.readUInt8(0);
  const joliet = type === 2 && isJoliet(sector);
  if (type !== 1 && !joliet) return undefined;
  if (sector.readUInt16LE(128) !== SECTOR) throw malformedImage();
  return { ...extentIn(sector.subarray(156, 190)), isJoliet: joliet };
}

const isJoliet = (descriptor: Buffer): boolean =>
  ['%/@', '%/C', '%/E'].includes(descriptor.toString('latin1', 88, 91));

const extentIn = (record: Buffer): Extent => ({
  // Extended attributes, which are obsolete, precede the content.
  sector: record.readUInt32LE(2) + record.readUInt8(1),
  bytes: record.readUInt32LE(10),
});

/** The records of a directory but those of itself and its parent. */
async function entriesIn(image: ByteSource, tree: Tree): Promise<readonly Entry[]> {
  const { sector, bytes, isJoliet: joliet } = tree;
  if (bytes > MAX_DIRECTORY_BYTES) throw malformedImage();
  const content = await exactly(image, sector * SECTOR, bytes);
  const entries: Entry[] = [];
  for (let at = 0; at < bytes;) {
    const length = content.readUInt8(at);
    if (length === 0) {
      // No record goes over the end of a sector.
      at = (Math.floor(at / SECTOR) + 1) * SECTOR;
      continue;
    }
    if (length < 34 || at + length > bytes) throw malformedImage();
    const record = content.subarray(at, at + length);
    if (33 + record.readUInt8(32) > length) throw malformedImage();
    const isDot = record.readUInt8(32) === 1 && record.readUInt8(33) <= 1;
    const flags = record.readUInt8(25);
    const isWhole = record.readUInt8(26) === 0 && (flags & IS_CONTINUED) === 0;
    if (!isDot)
      entries.push({
        ...extentIn(record),
        name: nameIn(record, joliet),
        at: sector * SECTOR + at,
        flags,
        isPlain: isWhole,
      });
    at += length;
  }
  return entries;
}

function nameIn(record: Buffer, joliet: boolean): string {
  const length = record.readUInt8(32);
  const raw = record.subarray(33, 33 + length);
  const plain = joliet
    ? Buffer.from(raw.subarray(0, raw.length - (raw.length % 2)))
        .swap16()
        .toString('utf16le')
    : raw.toString('latin1');
  const system = record.subarray(33 + length + (length % 2 === 0 ? 1 : 0));
  const given = joliet ? undefined : rockRidgeName(system);
  return (given ?? plain.replace(/;\d*$/u, '').replace(/\.$/u, '')).toLowerCase();
}

/** The name that Rock Ridge gives a file; undefined when it gives none. */
function rockRidgeName(system: Buffer): string | undefined {
  let name: string | undefined;
  for (let at = 0; at + 4 <= system.length;) {
    const length = system.readUInt8(at + 2);
    if (length < 4 || at + length > system.length) break;
    if (system.toString('latin1', at, at + 2) === 'NM' && length > 5) {
      name = `${name ?? ''}${system.toString('utf8', at + 5, at + length)}`;
      if ((system.readUInt8(at + 4) & NAME_CONTINUES) === 0) break;
    }
    at += length;
  }
  return name;
}
