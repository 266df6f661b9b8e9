import { describe, expect, it } from '@jest/globals';
import { fatImage } from '../../testing/fat-maker.js';
import { failureOf } from '../../testing/redfish-bench.js';
import { isoImage, SECTOR } from '../iso9660.js';
import { bootOverlay } from './boot-overlay.js';
import { type ByteSource, PatchedSource } from './byte-source.js';
import { FatImage } from './fat-image.js';

const sourceOf = (bytes: Buffer): ByteSource => ({
  size: bytes.length,
  read: (at, length) => Promise.resolve(Buffer.from(bytes.subarray(at, at + length))),
});

const LINUX = 'menuentry a {\n  linux /vmlinuz quiet\n}\n';
// The configuration fills its cluster to the last byte.
const FULL = `${LINUX}${'#'.repeat(512 - LINUX.length)}`;
const TREE = { EFI: { BOOT: { 'GRUB.CFG': FULL, 'BOOTX64.EFI': 'e'.repeat(3000) } } };

async function textIn(image: PatchedSource, at: number, path: string): Promise<string> {
  // Read anew, from the bytes alone.
  const fat = await FatImage.open(image, at);
  const file = (await fat?.files())?.find((one) => one.path === path);
  const content = file === undefined ? undefined : await fat?.read(file);
  return content?.toString('latin1') ?? 'not found';
}

/** An ISO image whose El Torito catalog names a FAT image at its end. */
function withBootImage(fat: Buffer): { readonly iso: Buffer; readonly at: number } {
  const iso = Buffer.from(isoImage('AGENT', { readme: 'none' }));
  const catalog = Buffer.alloc(SECTOR);
  catalog.writeUInt8(1, 0);
  // The first entry boots with a BIOS, the section after it with EFI.
  catalog.writeUInt8(0x88, 32);
  catalog.writeUInt32LE(5, 40);
  catalog.writeUInt8(0x91, 64);
  catalog.writeUInt8(0xef, 65);
  catalog.writeUInt8(0x88, 96);
  catalog.writeUInt32LE(iso.length / SECTOR + 1, 104);
  const record = Buffer.alloc(SECTOR);
  record.write('\u0000CD001\u0001EL TORITO SPECIFICATION', 0, 'latin1');
  record.writeUInt32LE(iso.length / SECTOR, 0x47);
  // In the place of the Joliet tree.
  record.copy(iso, 17 * SECTOR);
  const padded = Buffer.concat([fat], Math.ceil(fat.length / SECTOR) * SECTOR);
  return { iso: Buffer.concat([iso, catalog, padded]), at: iso.length + SECTOR };
}

describe.each([12, 16, 32] as const)('an EFI boot image of FAT%i', (bits) => {
  it('has the parameters in its configuration, in one more cluster when they need it', async () => {
    const { iso, at } = withBootImage(fatImage(bits, TREE));
    const made = await bootOverlay(sourceOf(iso), ['X=1']);
    // In its place: nothing is added to the image.
    expect(made.size).toBe(iso.length);
    const bytes = await made.read(0, made.size);
    const image = new PatchedSource(sourceOf(bytes));
    expect(await textIn(image, at, '/efi/boot/grub.cfg')).toBe(FULL.replace('quiet', 'quiet X=1'));
    expect(await textIn(image, at, '/efi/boot/bootx64.efi')).toBe('e'.repeat(3000));
    // Both copies of the table say the same.
    const fat = bytes.subarray(at);
    const table = (fat.readUInt16LE(22) || fat.readUInt32LE(36)) * 512;
    const from = fat.readUInt16LE(14) * 512;
    const first = fat.subarray(from, from + table);
    expect(first.equals(fat.subarray(from + table, from + 2 * table))).toBe(true);
    expect(first.equals(iso.subarray(at + from, at + from + table))).toBe(false);
  });

  it('without space for them is reported as full', async () => {
    const { iso } = withBootImage(fatImage(bits, TREE, true));
    expect(await failureOf(bootOverlay(sourceOf(iso), ['X=1']))).toMatchObject({
      kind: 'settings',
      message:
        'the image of driver_info.deploy_iso has no space for more parameters in /efi/boot/grub.cfg of its EFI boot image; leave some kilobytes free there',
    });
  });
});

describe('an EFI boot image', () => {
  it('that boots no kernel itself is left alone', async () => {
    const { iso } = withBootImage(fatImage(12, { EFI: { BOOT: { 'GRUB.CFG': 'configfile /x' } } }));
    expect(await failureOf(bootOverlay(sourceOf(iso), ['X=1']))).toMatchObject({
      message: expect.stringContaining('has no command line of a kernel'),
    });
  });

  it('whose table leads in a circle is read no further', async () => {
    const fat = fatImage(16, TREE);
    // Each cluster comes after itself.
    for (let cluster = 2; cluster < 20; cluster += 1) fat.writeUInt16LE(cluster, 512 + cluster * 2);
    const { iso } = withBootImage(fat);
    expect(await failureOf(bootOverlay(sourceOf(iso), ['X=1']))).toMatchObject({
      kind: 'settings',
    });
  });

  it('that is none is not taken for one', async () => {
    const source = new PatchedSource(sourceOf(Buffer.alloc(4096)));
    expect(await FatImage.open(source, 0)).toBeUndefined();
  });
});
