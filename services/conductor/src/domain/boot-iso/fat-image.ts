import { type PatchedSource } from './byte-source.js';
import { imageProblem } from './iso-problem.js';

const ENTRY = 32;
const IS_LABEL = 0x08;
const IS_DIRECTORY = 0x10;
const LONG_NAME = 0x0f;
const MAX_TABLE_BYTES = 16 * 1024 * 1024;
const MAX_DEPTH = 8;
const MAX_DIRECTORIES = 1000;
const MAX_DIRECTORY_CLUSTERS = 4096;
/** Offset of the free cluster count in the FSInfo sector of FAT32, and its value for "unknown". */
const FREE_COUNT = 488;
const UNKNOWN = Buffer.from([0xff, 0xff, 0xff, 0xff]);

/** A file of a FAT file system. */
export interface FatFile {
  /** By its short name, from the root, with slashes; in lower case. */
  readonly path: string;
  readonly bytes: number;
  /** Bytes into the image at which its directory entry begins. */
  readonly entry: number;
  readonly cluster: number;
}

type Bits = 12 | 16 | 32;

interface Geometry {
  /** Bytes into the image. */
  readonly tables: readonly number[];
  readonly tableBytes: number;
  readonly rootAt: number;
  /** Of the root directory of FAT12 and FAT16; 0 for FAT32. */
  readonly rootBytes: number;
  readonly rootCluster: number;
  readonly dataAt: number;
  readonly clusterBytes: number;
  /** One more than the last. */
  readonly endCluster: number;
  readonly bits: Bits;
  /** Position of FAT32's count of free clusters; undefined without one. */
  readonly freeCountAt: number | undefined;
}

const isPowerOfTwo = (value: number): boolean => value > 0 && (value & (value - 1)) === 0;

/** The fields of a boot sector, in bytes where possible. */
interface BootSector {
  readonly sector: number;
  readonly clusterBytes: number;
  readonly reservedBytes: number;
  readonly copies: number;
  readonly tableBytes: number;
  readonly rootBytes: number;
  readonly totalBytes: number;
}

const isBetween = (value: number, least: number, most: number): boolean =>
  value >= least && value <= most;

const isSane = (said: BootSector): boolean =>
  isBetween(said.sector, 512, 4096) &&
  isPowerOfTwo(said.sector) &&
  isPowerOfTwo(said.clusterBytes) &&
  said.reservedBytes > 0 &&
  isBetween(said.copies, 1, 4) &&
  isBetween(said.tableBytes, 1, MAX_TABLE_BYTES);

/** The allocation table, which links clusters to chains. */
class ClusterTable {
  readonly #bytes: Buffer;
  readonly #geometry: Geometry;

  constructor(bytes: Buffer, geometry: Geometry) {
    this.#bytes = bytes;
    this.#geometry = geometry;
  }

  get(cluster: number): number {
    const { bits } = this.#geometry;
    if (bits === 32) return this.#bytes.readUInt32LE(cluster * 4) & 0x0f_ff_ff_ff;
    if (bits === 16) return this.#bytes.readUInt16LE(cluster * 2);
    const pair = this.#bytes.readUInt16LE(Math.floor(cluster * 1.5));
    return cluster % 2 === 0 ? pair & 0xfff : pair >> 4;
  }

  set(cluster: number, next: number): void {
    const { bits } = this.#geometry;
    if (bits === 32) {
      const kept = this.#bytes.readUInt32LE(cluster * 4) & 0xf0_00_00_00;
      this.#bytes.writeUInt32LE((kept | next) >>> 0, cluster * 4);
    } else if (bits === 16) this.#bytes.writeUInt16LE(next, cluster * 2);
    else {
      const at = Math.floor(cluster * 1.5);
      const pair = this.#bytes.readUInt16LE(at);
      const value = cluster % 2 === 0 ? (pair & 0xf000) | next : (pair & 0x000f) | (next << 4);
      this.#bytes.writeUInt16LE(value, at);
    }
  }

  get last(): number {
    return { 12: 0xfff, 16: 0xffff, 32: 0x0f_ff_ff_ff }[this.#geometry.bits];
  }

  /** The clusters of a chain in their order; undefined when it leads in a circle or out of the file system. */
  chain(first: number): readonly number[] | undefined {
    const { endCluster } = this.#geometry;
    const chain: number[] = [];
    const end = this.last - 7;
    for (let cluster = first; cluster < end; cluster = this.get(cluster)) {
      if (cluster < 2 || cluster >= endCluster || chain.length >= endCluster) return undefined;
      chain.push(cluster);
    }
    return chain;
  }

  free(count: number): readonly number[] {
    const found: number[] = [];
    for (let at = 2; at < this.#geometry.endCluster && found.length < count; at += 1)
      if (this.get(at) === 0) found.push(at);
    return found;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }
}

/** A FAT file system inside of an image, as the firmware of a machine reads it. */
export class FatImage {
  readonly #image: PatchedSource;
  readonly #geometry: Geometry;
  readonly #table: ClusterTable;

  private constructor(image: PatchedSource, geometry: Geometry, table: ClusterTable) {
    this.#image = image;
    this.#geometry = geometry;
    this.#table = table;
  }

  /** @returns undefined when there is no FAT file system `at` bytes into the image */
  static async open(image: PatchedSource, at: number): Promise<FatImage | undefined> {
    const geometry = geometryOf(await image.read(at, 512), at);
    if (geometry === undefined) return undefined;
    const [first = 0] = geometry.tables;
    const table = await image.read(first, geometry.tableBytes);
    if (table.length !== geometry.tableBytes) return undefined;
    return new FatImage(image, geometry, new ClusterTable(Buffer.from(table), geometry));
  }

  #placeOf(cluster: number): number {
    return this.#geometry.dataAt + (cluster - 2) * this.#geometry.clusterBytes;
  }

  /** The positions of a directory's content, piece by piece. */
  #piecesOf(cluster: number): readonly { readonly at: number; readonly bytes: number }[] {
    const { rootAt, rootBytes, rootCluster, clusterBytes } = this.#geometry;
    if (cluster === 0 && rootCluster === 0) return [{ at: rootAt, bytes: rootBytes }];
    const chain = this.#table.chain(cluster === 0 ? rootCluster : cluster) ?? [];
    if (chain.length > MAX_DIRECTORY_CLUSTERS) return [];
    return chain.map((one) => ({ at: this.#placeOf(one), bytes: clusterBytes }));
  }

  async #entriesOf(
    cluster: number,
  ): Promise<readonly { readonly at: number; readonly data: Buffer }[]> {
    const entries: { readonly at: number; readonly data: Buffer }[] = [];
    for (const { at, bytes } of this.#piecesOf(cluster)) {
      const content = await this.#image.read(at, bytes);
      for (let from = 0; from + ENTRY <= content.length; from += ENTRY) {
        const data = content.subarray(from, from + ENTRY);
        const [first = 0] = data;
        if (first === 0) return entries;
        const attributes = data.readUInt8(11);
        const isName = attributes === LONG_NAME || (attributes & IS_LABEL) !== 0;
        if (first !== 0xe5 && first !== 0x2e && !isName) entries.push({ at: at + from, data });
      }
    }
    return entries;
  }

  /** Every file, in no particular order. */
  async files(): Promise<readonly FatFile[]> {
    const files: FatFile[] = [];
    const open = [{ cluster: 0, path: '', depth: 0 }];
    for (let seen = 0; seen < MAX_DIRECTORIES; seen += 1) {
      const one = open.pop();
      if (one === undefined) break;
      for (const { at, data } of await this.#entriesOf(one.cluster)) {
        const path = `${one.path}/${shortName(data)}`;
        const high = this.#geometry.bits === 32 ? data.readUInt16LE(20) : 0;
        const cluster = (high << 16) | data.readUInt16LE(26);
        const bytes = data.readUInt32LE(28);
        if ((data.readUInt8(11) & IS_DIRECTORY) === 0)
          files.push({ path, bytes, entry: at, cluster });
        else if (cluster !== 0 && one.depth < MAX_DEPTH)
          open.push({ cluster, path, depth: one.depth + 1 });
      }
    }
    return files;
  }

  /** @returns undefined when the file system is corrupt at the file */
  async read({ cluster, bytes }: FatFile): Promise<Buffer | undefined> {
    const { clusterBytes } = this.#geometry;
    const chain = this.#table.chain(cluster);
    if (chain === undefined || chain.length * clusterBytes < bytes) return undefined;
    const parts: Buffer[] = [];
    for (const one of chain) parts.push(await this.#image.read(this.#placeOf(one), clusterBytes));
    return Buffer.concat(parts).subarray(0, bytes);
  }

  #writeTable(): void {
    const { tables, freeCountAt } = this.#geometry;
    for (const at of tables) this.#image.write(at, Buffer.from(this.#table.bytes));
    if (freeCountAt !== undefined) this.#image.write(freeCountAt, UNKNOWN);
  }

  /**
   * Replaces the content of a file, in the clusters that it has and, where they do not do, in free ones.
   * @throws DriverFailure (`settings`) when there are not enough
   */
  replace(file: FatFile, content: Buffer): void {
    const { clusterBytes } = this.#geometry;
    const own = this.#table.chain(file.cluster) ?? [];
    const lacking = Math.max(0, Math.ceil(content.length / clusterBytes) - own.length);
    const more = this.#table.free(lacking);
    if (more.length < lacking)
      throw imageProblem(
        `has no space for more parameters in ${file.path} of its EFI boot image; leave some kilobytes free there`,
      );
    const chain = [...own, ...more];
    for (const [index, cluster] of chain.entries()) {
      const data = Buffer.alloc(clusterBytes);
      content.copy(data, 0, index * clusterBytes, (index + 1) * clusterBytes);
      this.#image.write(this.#placeOf(cluster), data);
      if (index >= own.length - 1 && more.length > 0)
        this.#table.set(cluster, chain[index + 1] ?? this.#table.last);
    }
    if (more.length > 0) this.#writeTable();
    const size = Buffer.alloc(4);
    size.writeUInt32LE(content.length, 0);
    this.#image.write(file.entry + 28, size);
  }
}

/** The geometry of the file system whose boot sector this is; undefined when it is none. */
function geometryOf(boot: Buffer, at: number): Geometry | undefined {
  if (boot.length < 512 || boot.readUInt16LE(510) !== 0xaa55) return undefined;
  const said = readBootSector(boot);
  if (!isSane(said)) return undefined;
  const { sector, clusterBytes, reservedBytes, copies, tableBytes, rootBytes } = said;
  const rootAt = reservedBytes + copies * tableBytes;
  const dataAt = rootAt + Math.ceil(rootBytes / sector) * sector;
  const clusters = Math.floor((said.totalBytes - dataAt) / clusterBytes);
  if (clusters < 1) return undefined;
  const bits = bitsOf(clusters);
  const isLarge = bits === 32;
  return {
    tables: Array.from({ length: copies }, (_, copy) => at + reservedBytes + copy * tableBytes),
    tableBytes,
    rootAt: at + rootAt,
    rootBytes,
    rootCluster: isLarge ? boot.readUInt32LE(44) : 0,
    dataAt: at + dataAt,
    clusterBytes,
    endCluster: Math.min(clusters + 2, Math.floor((tableBytes * 8) / bits)),
    bits,
    freeCountAt: isLarge ? at + boot.readUInt16LE(48) * sector + FREE_COUNT : undefined,
  };
}

function shortName(entry: Buffer): string {
  const base = entry.toString('latin1', 0, 8).trimEnd();
  const extension = entry.toString('latin1', 8, 11).trimEnd();
  return (extension === '' ? base : `${base}.${extension}`).toLowerCase();
}

function readBootSector(boot: Buffer): BootSector {
  const sector = boot.readUInt16LE(11);
  return {
    sector,
    clusterBytes: boot.readUInt8(13) * sector,
    reservedBytes: boot.readUInt16LE(14) * sector,
    copies: boot.readUInt8(16),
    tableBytes: (boot.readUInt16LE(22) || boot.readUInt32LE(36)) * sector,
    rootBytes: boot.readUInt16LE(17) * ENTRY,
    totalBytes: (boot.readUInt16LE(19) || boot.readUInt32LE(32)) * sector,
  };
}

function bitsOf(clusters: number): Bits {
  if (clusters < 4085) return 12;
  return clusters < 65_525 ? 16 : 32;
}
