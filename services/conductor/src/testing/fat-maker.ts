type Bits = 12 | 16 | 32;

/** Files and directories by their short names. */
export interface FatTree {
  readonly [name: string]: FatTree | string;
}

const SECTOR = 512;
const ENTRY = 32;
const ROOT_ENTRIES = 64;
/** Enough for each kind of table, and not for the next. */
const CLUSTERS: Readonly<Record<Bits, number>> = { 12: 200, 16: 4200, 32: 65_600 };
const LAST: Readonly<Record<Bits, number>> = { 12: 0xfff, 16: 0xffff, 32: 0x0f_ff_ff_ff };

/** A FAT file system with clusters of one sector. */
class Maker {
  readonly bits: Bits;
  readonly table: Buffer;
  readonly data: Buffer;
  #next = 2;

  constructor(bits: Bits) {
    this.bits = bits;
    const bytes = Math.ceil(((CLUSTERS[bits] + 2) * bits) / 8);
    this.table = Buffer.alloc(Math.ceil(bytes / SECTOR) * SECTOR);
    this.data = Buffer.alloc(CLUSTERS[bits] * SECTOR);
    setIn(this.table, bits, 0, LAST[bits] - 7);
    setIn(this.table, bits, 1, LAST[bits]);
  }

  /** Puts a content into clusters of its own; the first of them. */
  put(content: Buffer): number {
    const first = this.#next;
    const count = Math.max(1, Math.ceil(content.length / SECTOR));
    content.copy(this.data, (first - 2) * SECTOR);
    for (let index = 0; index < count; index += 1)
      setIn(
        this.table,
        this.bits,
        first + index,
        index === count - 1 ? LAST[this.bits] : first + index + 1,
      );
    this.#next += count;
    return first;
  }

  directory(tree: FatTree): Buffer {
    const entries = Object.entries(tree).map(([name, value]) => {
      const isFile = typeof value === 'string';
      const content = isFile ? Buffer.from(value, 'latin1') : this.directory(value);
      const cluster = this.put(content);
      const entry = Buffer.alloc(ENTRY);
      shortName(name).copy(entry);
      entry.writeUInt8(isFile ? 0x20 : 0x10, 11);
      entry.writeUInt16LE(cluster >>> 16, 20);
      entry.writeUInt16LE(cluster & 0xffff, 26);
      entry.writeUInt32LE(isFile ? content.length : 0, 28);
      return entry;
    });
    const label = Buffer.alloc(ENTRY);
    label.write('AGENT      ', 0, 'latin1');
    label.writeUInt8(0x08, 11);
    return Buffer.concat([label, ...entries]);
  }

  fill(): void {
    for (let at = this.#next; at < CLUSTERS[this.bits] + 2; at += 1)
      setIn(this.table, this.bits, at, LAST[this.bits]);
  }
}

/**
 * A FAT image with these files.
 * @param isFull no cluster is free
 */
export function fatImage(bits: Bits, tree: FatTree, isFull = false): Buffer {
  const maker = new Maker(bits);
  const root = maker.directory(tree);
  const rootCluster = bits === 32 ? maker.put(root) : 0;
  if (isFull) maker.fill();
  const fixed = bits === 32 ? Buffer.alloc(0) : Buffer.concat([root], ROOT_ENTRIES * ENTRY);
  const boot = bootSector(maker, rootCluster);
  return Buffer.concat([boot, maker.table, maker.table, fixed, maker.data]);
}

function setIn(table: Buffer, bits: Bits, cluster: number, value: number): void {
  if (bits === 32) table.writeUInt32LE(value, cluster * 4);
  else if (bits === 16) table.writeUInt16LE(value, cluster * 2);
  else {
    const at = Math.floor(cluster * 1.5);
    const pair = table.readUInt16LE(at);
    const made = cluster % 2 === 0 ? (pair & 0xf000) | value : (pair & 0x000f) | (value << 4);
    table.writeUInt16LE(made, at);
  }
}

function shortName(name: string): Buffer {
  const [base = '', extension = ''] = name.toUpperCase().split('.');
  return Buffer.from(`${base.padEnd(8)}${extension.padEnd(3)}`, 'latin1');
}

/** The boot sector, which precedes the tables and the files. */
function bootSector(maker: Maker, rootCluster: number): Buffer {
  const boot = Buffer.alloc(SECTOR);
  const isLarge = maker.bits === 32;
  const rootEntries = isLarge ? 0 : ROOT_ENTRIES;
  const tableSectors = maker.table.length / SECTOR;
  const total =
    reservedOf(maker.bits) + 2 * tableSectors + (rootEntries * ENTRY + maker.data.length) / SECTOR;
  boot.write('\u00eb<\u0090MKFS', 0, 'latin1');
  boot.writeUInt16LE(SECTOR, 11);
  boot.writeUInt8(1, 13);
  boot.writeUInt16LE(reservedOf(maker.bits), 14);
  boot.writeUInt8(2, 16);
  boot.writeUInt16LE(rootEntries, 17);
  boot.writeUInt16LE(isLarge ? 0 : tableSectors, 22);
  boot.writeUInt32LE(total, 32);
  boot.writeUInt32LE(isLarge ? tableSectors : 0, 36);
  boot.writeUInt32LE(rootCluster, 44);
  // Here FAT32 notes how many clusters are free.
  boot.writeUInt16LE(isLarge ? 1 : 0, 48);
  boot.writeUInt16LE(0xaa55, 510);
  return Buffer.concat([boot], reservedOf(maker.bits) * SECTOR);
}

const reservedOf = (bits: Bits): number => (bits === 32 ? 2 : 1);
