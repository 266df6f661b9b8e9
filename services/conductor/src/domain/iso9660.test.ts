import { describe, expect, it } from '@jest/globals';
import { isoImage } from './iso9660.js';

const SECTOR = 2048;

/** Reads an image back as a client does: from the root of a volume descriptor down, by the records alone. */
function readBack(
  image: Buffer,
  descriptorSector: number,
  nameOf: (name: Buffer) => string,
): Record<string, string> {
  const files: Record<string, string> = {};
  const walk = (sector: number, bytes: number, above: string): void => {
    const directory = image.subarray(sector * SECTOR, sector * SECTOR + bytes);
    for (let at = 0; at < bytes && directory[at] !== 0; at += directory.readUInt8(at)) {
      const [start, size] = [directory.readUInt32LE(at + 2), directory.readUInt32LE(at + 10)];
      expect([directory.readUInt32BE(at + 6), directory.readUInt32BE(at + 14)]).toEqual([
        start,
        size,
      ]);
      const name = directory.subarray(at + 33, at + 33 + directory.readUInt8(at + 32));
      if (name.length === 1 && name.readUInt8(0) < 2) continue;
      const path = `${above}/${nameOf(name)}`;
      if (directory.readUInt8(at + 25) === 2) walk(start, size, path);
      else files[path] = image.subarray(start * SECTOR, start * SECTOR + size).toString();
    }
  };
  const root = descriptorSector * SECTOR + 156;
  walk(image.readUInt32LE(root + 2), image.readUInt32LE(root + 10), '');
  return files;
}

const TREE = {
  openstack: {
    latest: { 'meta_data.json': '{"uuid":"u-1"}', user_data: 'é'.repeat(2000) },
    '2012-08-10': { 'meta_data.json': '{"uuid":"u-1"}' },
  },
};

describe('an ISO 9660 image', () => {
  const image = isoImage('config-2', TREE);

  it('has whole sectors, a label, and three descriptors', () => {
    expect(image.length % SECTOR).toBe(0);
    expect(image.readUInt32LE(16 * SECTOR + 80)).toBe(image.length / SECTOR);
    expect([16, 17, 18].map((at) => image.readUInt8(at * SECTOR))).toEqual([1, 2, 255]);
    expect(image.toString('latin1', 16 * SECTOR + 1, 16 * SECTOR + 6)).toBe('CD001');
    expect(image.toString('latin1', 16 * SECTOR + 40, 16 * SECTOR + 72).trimEnd()).toBe('config-2');
    expect(image.toString('latin1', 17 * SECTOR + 88, 17 * SECTOR + 91)).toBe('%/E');
  });

  it('has the files under their own names', () => {
    const files = readBack(image, 17, (name) =>
      Buffer.from(name).swap16().toString('utf16le').replace(';1', ''),
    );
    expect(files).toEqual({
      '/openstack/latest/meta_data.json': '{"uuid":"u-1"}',
      '/openstack/latest/user_data': 'é'.repeat(2000),
      '/openstack/2012-08-10/meta_data.json': '{"uuid":"u-1"}',
    });
  });

  it('has the files under the narrow names of ISO 9660, too', () => {
    const files = readBack(image, 16, (name) => name.toString('latin1'));
    expect(Object.keys(files).toSorted()).toEqual([
      '/OPENSTACK/2012_08_10/META_DATA.JSON;1',
      '/OPENSTACK/LATEST/META_DATA.JSON;1',
      '/OPENSTACK/LATEST/USER_DATA.;1',
    ]);
  });

  it('is the same for the same files', () => {
    expect(isoImage('config-2', TREE).equals(image)).toBe(true);
  });

  it('is not made of more files than go into a directory', () => {
    const many = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`file-${String(index)}`, 'x']),
    );
    expect(() => isoImage('config-2', many)).toThrow(RangeError);
  });
});
