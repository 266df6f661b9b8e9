import { describe, expect, it } from '@jest/globals';
import { devicesIn, imageParts, isImageAddress, visibleImage } from './virtual-media.js';

describe('an image address', () => {
  it.each([
    ['http://images.example/a.iso', 'http://images.example/a.iso'],
    ['https://u:p@images.example:8443/a.iso', 'https://images.example:8443/a.iso'],
    ['https://images.example/a.iso?X-Amz-Signature=s', 'https://images.example/a.iso'],
    ['https://images.example/a.iso#s', 'https://images.example/a.iso'],
    ['a.iso', 'a.iso'],
    ['u:p@share/a.iso', null],
  ])('%s is returned as %s', (image, visible) => {
    expect(visibleImage(image)).toBe(visible);
  });

  it('is taken apart from its credentials', () => {
    expect(imageParts('http://u%40x:p%3Aw@images.example/a.iso?s=1')).toEqual({
      address: 'http://images.example/a.iso?s=1',
      username: 'u@x',
      password: 'p:w',
    });
  });

  it.each([
    ['http://images.example/a.iso', true],
    ['HTTPS://images.example/a.iso', true],
    ['file:///etc/passwd', false],
    ['nfs://images.example/a.iso', false],
    ['//images.example/a.iso', false],
    ['http://', false],
    ['https://u:%zz@images.example/', false],
  ])('%s may be given to a BMC: %s', (image, good) => {
    expect(isImageAddress(image)).toBe(good);
  });
});

describe('device_types', () => {
  it.each([
    [undefined, ['cdrom', 'disk', 'floppy']],
    ['', ['cdrom', 'disk', 'floppy']],
    ['floppy', ['floppy']],
    ['cdrom, disk', ['cdrom', 'disk']],
  ])('%p names %j', (types, devices) => {
    expect(devicesIn(types)).toEqual(devices);
  });

  it('names nothing else', () => {
    expect(() => devicesIn('cdrom,tape')).toThrow('Invalid device type tape.');
  });
});
