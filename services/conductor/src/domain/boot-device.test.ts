import { describe, expect, it } from '@jest/globals';
import { devicesFor, fromBootTarget, toBootTarget } from './boot-device.js';

describe('boot devices', () => {
  it.each([
    ['pxe', 'Pxe'],
    ['disk', 'Hdd'],
    ['cdrom', 'Cd'],
    ['bios', 'BiosSetup'],
  ])('%s is %s in Redfish', (device, target) => {
    expect(toBootTarget(device)).toBe(target);
    expect(fromBootTarget(target)).toBe(device);
  });

  it('are those that the BMC allows and Ironic has a name for', () => {
    expect(devicesFor(['None', 'Hdd', 'Pxe', 'SDCard'])).toEqual(['pxe', 'disk']);
    expect(devicesFor([])).toEqual([]);
  });

  it('are the common ones when the BMC does not say', () => {
    expect(devicesFor(undefined)).toEqual(['pxe', 'disk', 'cdrom', 'bios']);
  });

  it('are not made up', () => {
    expect(toBootTarget('toaster')).toBeUndefined();
    expect(fromBootTarget('SDCard')).toBeUndefined();
  });
});
