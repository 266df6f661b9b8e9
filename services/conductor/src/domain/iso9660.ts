/** Files and directories by name. */
export interface IsoTree {
  readonly [name: string]: IsoTree | string;
}

/** Bytes of a sector of an image. */
export const SECTOR = 2048;
/** Where the descriptors end: 16 empty sectors, primary, Joliet, terminator. */
const FIRST_FREE = 19;
const IS_DIRECTORY = 2;
// 2000-01-01 00:00 UTC: a fixed time, so that the same files make the same image.
const DATE = Buffer.from([100, 1, 1, 0, 0, 0, 0]);

/** UCS-2 with the high byte first, which Node writes only the other way round. */
const ucs2 = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

/** How names are written: one tree has the narrow names of ISO 9660, the other (Joliet) the names as they are. */
interface Naming {
  readonly file: (name: string) => Buffer;
  readonly directory: (name: string) => Buffer;
}

const narrow = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9_.]/gu, '_');

const PRIMARY: Naming = {
  file: (name) => Buffer.from(`${narrow(name)}${name.includes('.') ? '' : '.'};1`, 'latin1'),
  directory: (name) => Buffer.from(narrow(name).replaceAll('.', '_'), 'latin1'),
};
const JOLIET: Naming = { file: (name) => ucs2(`${name};1`), directory: ucs2 };

interface Extent {
  sector: number;
  readonly bytes: number;
}

interface Directory extends Extent {
  readonly name: Buffer;
  readonly parent: Directory | undefined;
  readonly directories: Directory[];
  readonly files: { readonly name: Buffer; readonly extent: Extent }[];
}

const ITSELF = Buffer.from([0]);
const PARENT = Buffer.from([1]);

interface Volume {
  readonly type: number;
  readonly label: Buffer;
  readonly root: Directory;
  readonly sectors: number;
  readonly tableBytes: number;
  /** First of two sectors, each with a path table. */
  readonly tableSector: number;
}

/** A number as ISO 9660 writes it: in both byte orders. */
export function both32(value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeUInt32LE(value, 0);
  buffer.writeUInt32BE(value, 4);
  return buffer;
}

/**
 * An ISO 9660 image with these files, once under plain names and once (Joliet) under their own.
 * @param label of the volume; at most 16 characters
 * @throws RangeError when one directory has more entries than go into one sector
 */
export function isoImage(label: string, tree: IsoTree): Buffer {
  const contents = new Set<string>();
  const gather = (of: IsoTree): void => {
    for (const value of Object.values(of))
      if (typeof value === 'string') contents.add(value);
      else gather(value);
  };
  gather(tree);
  const extents = new Map(
    [...contents].map((text) => [text, { sector: 0, bytes: Buffer.byteLength(text) }]),
  );
  const roots = [PRIMARY, JOLIET].map((naming) => directoryOf(tree, { naming, extents }));
  let next = FIRST_FREE;
  const tables = roots.map(() => (next += 2) - 2);
  for (const one of roots.flatMap(breadthFirst)) one.sector = next++;
  for (const extent of extents.values()) {
    extent.sector = next;
    next += Math.max(1, sectorsOf(extent.bytes));
  }
  const labels = [Buffer.from(label, 'latin1'), ucs2(label)];
  const descriptors = roots.map((root, index) =>
    descriptor({
      type: index + 1,
      label: labels[index] ?? Buffer.alloc(0),
      root,
      sectors: next,
      tableBytes: pathTable(breadthFirst(root), false).length,
      tableSector: tables[index] ?? 0,
    }),
  );
  const terminator = sector(Buffer.from('\u00ffCD001\u0001', 'latin1'));
  return Buffer.concat([
    Buffer.alloc(16 * SECTOR),
    ...descriptors,
    terminator,
    ...roots.flatMap((root) =>
      [false, true].map((isBig) => sector(pathTable(breadthFirst(root), isBig))),
    ),
    ...roots.flatMap(breadthFirst).map((one) => sector(recordsOf(one))),
    ...[...extents].map(([text, { bytes }]) =>
      Buffer.concat([
        Buffer.from(text),
        Buffer.alloc(Math.max(1, sectorsOf(bytes)) * SECTOR - bytes),
      ]),
    ),
  ]);
}

function directoryOf(
  tree: IsoTree,
  {
    naming,
    extents,
    name = ITSELF,
    parent,
  }: {
    readonly naming: Naming;
    readonly extents: ReadonlyMap<string, Extent>;
    readonly name?: Buffer;
    readonly parent?: Directory;
  },
): Directory {
  const made: Directory = { sector: 0, bytes: SECTOR, name, parent, directories: [], files: [] };
  for (const [key, value] of Object.entries(tree)) {
    const extent = typeof value === 'string' ? extents.get(value) : undefined;
    if (extent !== undefined) made.files.push({ name: naming.file(key), extent });
    else if (typeof value !== 'string')
      made.directories.push(
        directoryOf(value, { naming, extents, name: naming.directory(key), parent: made }),
      );
  }
  return made;
}

/** Every directory, those of one level together and after those above, as a path table wants them. */
function breadthFirst(root: Directory): readonly Directory[] {
  const all = [root];
  for (const one of all)
    all.push(
      ...one.directories.toSorted((first, second) => Buffer.compare(first.name, second.name)),
    );
  return all;
}

const sectorsOf = (bytes: number): number => Math.ceil(bytes / SECTOR);

function descriptor(volume: Volume): Buffer {
  const isJoliet = volume.type === 2;
  const blank = isJoliet ? ucs2(' ') : Buffer.from(' ');
  const buffer = Buffer.alloc(SECTOR);
  buffer.writeUInt8(volume.type, 0);
  buffer.write('CD001\u0001', 1, 'latin1');
  buffer.fill(blank, 8, 72);
  volume.label.copy(buffer, 40);
  both32(volume.sectors).copy(buffer, 80);
  if (isJoliet) buffer.write('%/E', 88, 'latin1');
  both16(1).copy(buffer, 120);
  both16(1).copy(buffer, 124);
  both16(SECTOR).copy(buffer, 128);
  both32(volume.tableBytes).copy(buffer, 132);
  buffer.writeUInt32LE(volume.tableSector, 140);
  buffer.writeUInt32BE(volume.tableSector + 1, 148);
  record(ITSELF, volume.root, IS_DIRECTORY).copy(buffer, 156);
  buffer.fill(blank, 190, 813);
  for (const at of [813, 830, 847, 864]) buffer.fill('0', at, at + 16);
  buffer.writeUInt8(1, 881);
  return buffer;
}

const pathTable = (directories: readonly Directory[], isBig: boolean): Buffer =>
  Buffer.concat(
    directories.map(({ name, sector, parent }) => {
      const head = Buffer.alloc(8);
      const number = parent === undefined ? 1 : directories.indexOf(parent) + 1;
      head.writeUInt8(name.length, 0);
      if (isBig) head.writeUInt32BE(sector, 2);
      else head.writeUInt32LE(sector, 2);
      if (isBig) head.writeUInt16BE(number, 6);
      else head.writeUInt16LE(number, 6);
      return Buffer.concat([head, name, Buffer.alloc(name.length % 2)]);
    }),
  );

/** At most one sector, as everything here but files is. @throws RangeError for a tree that is too large */
function sector(content: Buffer): Buffer {
  if (content.length > SECTOR) throw new RangeError('too many files for one directory of an image');
  return Buffer.concat([content, Buffer.alloc(SECTOR - content.length)]);
}

function recordsOf(directory: Directory): Buffer {
  const entries = [
    ...directory.directories.map((one) => ({ name: one.name, extent: one, flags: IS_DIRECTORY })),
    ...directory.files.map((one) => ({ ...one, flags: 0 })),
  ].toSorted((one, other) => Buffer.compare(one.name, other.name));
  return Buffer.concat([
    record(ITSELF, directory, IS_DIRECTORY),
    record(PARENT, directory.parent ?? directory, IS_DIRECTORY),
    ...entries.map(({ name, extent, flags }) => record(name, extent, flags)),
  ]);
}

function both16(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt16LE(value, 0);
  buffer.writeUInt16BE(value, 2);
  return buffer;
}

function record(name: Buffer, { sector, bytes }: Extent, flags: number): Buffer {
  const body = Buffer.concat([
    both32(sector),
    both32(bytes),
    DATE,
    Buffer.from([flags, 0, 0]),
    both16(1),
    Buffer.from([name.length]),
    name,
    Buffer.alloc(name.length % 2 === 0 ? 1 : 0),
  ]);
  return Buffer.concat([Buffer.from([body.length + 2, 0]), body]);
}
