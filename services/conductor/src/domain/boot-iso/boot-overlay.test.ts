import { describe, expect, it } from '@jest/globals';
import { failureOf } from '../../testing/redfish-bench.js';
import { isoImage, type IsoTree, SECTOR } from '../iso9660.js';
import { bootOverlay, parameter } from './boot-overlay.js';
import { type ByteSource } from './byte-source.js';
import { readVolume } from './iso-volume.js';

const PARAMETERS = ['ipa-agent-token=s-3_cret', 'ipa-api-url=http://10.0.0.1:6385'];
const ADDED = PARAMETERS.join(' ');

const sourceOf = (bytes: Buffer): ByteSource => ({
  size: bytes.length,
  read: (at, length) => Promise.resolve(Buffer.from(bytes.subarray(at, at + length))),
});

async function overlayOf(bytes: Buffer): Promise<Buffer> {
  const made = await bootOverlay(sourceOf(bytes), PARAMETERS);
  return made.read(0, made.size);
}

/** The text of each file of an image under each of its names, read anew. */
async function textsIn(image: Buffer): Promise<Readonly<Record<string, string>>> {
  const { files } = await readVolume(sourceOf(image));
  return Object.fromEntries(
    files.flatMap(({ paths, sector, bytes }) =>
      paths.map((path) => [
        path,
        image.toString('latin1', sector * SECTOR, sector * SECTOR + bytes),
      ]),
    ),
  );
}

const GRUB = 'menuentry "agent" {\n  linux /vmlinuz quiet\n  initrd /initrd\n}\n';
const ISOLINUX = 'DEFAULT a\nLABEL a\n  KERNEL vmlinuz\n  APPEND initrd=initrd quiet\n';
const TREE: IsoTree = {
  boot: { grub: { 'grub.cfg': GRUB } },
  isolinux: { 'isolinux.cfg': ISOLINUX },
  vmlinuz: 'a kernel',
};

describe('the image of a boot', () => {
  it('has the parameters on every command line, under the names of both trees', async () => {
    const base = isoImage('AGENT', TREE);
    const made = await overlayOf(base);
    const texts = await textsIn(made);
    expect(texts['/boot/grub/grub.cfg']).toBe(
      `menuentry "agent" {\n  linux /vmlinuz quiet ${ADDED}\n  initrd /initrd\n}\n`,
    );
    expect(texts['/isolinux/isolinux.cfg']).toBe(
      `DEFAULT a\nLABEL a\n  KERNEL vmlinuz\n  APPEND initrd=initrd quiet ${ADDED}\n`,
    );
    expect(texts['/vmlinuz']).toBe('a kernel');
    const before = await readVolume(sourceOf(base));
    const { files, sectors } = await readVolume(sourceOf(made));
    // Primary and Joliet.
    expect(files.find(({ paths }) => paths.includes('/boot/grub/grub.cfg'))?.records).toHaveLength(
      2,
    );
    expect(sectors).toBe(made.length / SECTOR);
    expect(sectors).toBe(before.sectors + 2);
  });

  it('leaves everything else as it was, and the image itself too', async () => {
    const base = isoImage('AGENT', TREE);
    const copy = Buffer.from(base);
    const made = await overlayOf(base);
    expect(base.equals(copy)).toBe(true);
    let changed = 0;
    for (let at = 0; at < base.length; at += 1) if (base[at] !== made[at]) changed += 1;
    // Sector and length in four records, and the size of the volume in two descriptors.
    expect(changed).toBeLessThan(60);
  });

  it('is the same for the same image and parameters', async () => {
    const base = isoImage('AGENT', TREE);
    expect((await overlayOf(base)).equals(await overlayOf(base))).toBe(true);
  });

  it('can be read piece by piece, over its seams', async () => {
    const base = isoImage('AGENT', TREE);
    const whole = await overlayOf(base);
    const made = await bootOverlay(sourceOf(base), PARAMETERS);
    const pieces: Buffer[] = [];
    for (let at = 0; at < made.size; at += 1000) pieces.push(await made.read(at, 1000));
    expect(Buffer.concat(pieces).equals(whole)).toBe(true);
  });

  it('keeps a partition that is the whole image as large as the image', async () => {
    const base = isoImage('AGENT', TREE);
    base.writeUInt16LE(0xaa55, 510);
    base.writeUInt8(0x17, 446 + 4);
    base.writeUInt32LE(0, 446 + 8);
    base.writeUInt32LE(base.length / 512, 446 + 12);
    const made = await overlayOf(base);
    expect(made.readUInt32LE(446 + 12)).toBe(made.length / 512);
  });

  it.each([
    [
      'has no configuration of a boot loader',
      isoImage('AGENT', { readme: 'linux /vmlinuz' }),
      "the image of driver_info.deploy_iso has no command line of a kernel that the agent's secret could be put into (looked for in grub.cfg, isolinux.cfg, syslinux.cfg, extlinux.conf, other *.cfg below grub, grub2, EFI, isolinux or syslinux, and loader/entries/*.conf)",
    ],
    [
      'is cut short',
      isoImage('AGENT', TREE).subarray(0, -SECTOR),
      'the image of driver_info.deploy_iso is shorter than it says',
    ],
    [
      'is none',
      Buffer.alloc(100_000),
      'the image of driver_info.deploy_iso is not a readable ISO 9660 image',
    ],
    [
      'ends in its descriptors',
      isoImage('AGENT', TREE).subarray(0, 17 * SECTOR),
      'the image of driver_info.deploy_iso is not a readable ISO 9660 image',
    ],
  ])('is not made of one that %s', async (_what, base, message) => {
    expect(await failureOf(overlayOf(base))).toMatchObject({ kind: 'settings', message });
  });

  it('is not made of one that can be read as UDF, too', async () => {
    const base = isoImage('AGENT', TREE);
    const udf = Buffer.alloc(SECTOR);
    udf.write('NSR02', 1, 'latin1');
    const [, terminator] = [base.subarray(0, 19 * SECTOR), base.subarray(18 * SECTOR, 19 * SECTOR)];
    expect(terminator.readUInt8(0)).toBe(255);
    udf.copy(base, 19 * SECTOR);
    expect(await failureOf(overlayOf(base))).toMatchObject({
      message: expect.stringContaining('has a UDF file system'),
    });
  });

  it('is not made of one whose directory leads to itself for ever, or out of the image', async () => {
    const base = isoImage('AGENT', TREE);
    // The root of the primary tree, far outside.
    base.writeUInt32LE(0x00ff_ffff, 16 * SECTOR + 156 + 2);
    expect(await failureOf(overlayOf(base))).toMatchObject({
      message: 'the image of driver_info.deploy_iso is not a readable ISO 9660 image',
    });
  });
});

describe('a parameter', () => {
  it('is what every boot loader takes as it is', () => {
    expect(parameter('ipa-agent-token', 'aB3_-')).toBe('ipa-agent-token=aB3_-');
    expect(parameter('u', 'https://n:s@10.0.0.1:1/v1')).toBe('u=https://n:s@10.0.0.1:1/v1');
  });

  it.each(['', 'a b', 'a"b', "a'b", 'a;b', 'a$b', 'a\\b', 'a\nb', 'a&b', 'a{b}'])(
    'is never %j',
    (value) => {
      expect(() => parameter('x', value)).toThrow('does not go into a command line');
    },
  );
});
