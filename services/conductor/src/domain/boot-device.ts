/** Ironic's names of boot devices and Redfish's `BootSourceOverrideTarget`. */
const PAIRS: readonly (readonly [device: string, target: string])[] = [
  ['pxe', 'Pxe'],
  ['disk', 'Hdd'],
  ['cdrom', 'Cd'],
  ['bios', 'BiosSetup'],
  ['floppy', 'Floppy'],
  ['uefihttp', 'UefiHttp'],
];
const COMMON = ['pxe', 'disk', 'cdrom', 'bios'] as const;

export const toBootTarget = (device: string): string | undefined =>
  PAIRS.find(([name]) => name === device)?.[1];

export const fromBootTarget = (target: string): string | undefined =>
  PAIRS.find(([, name]) => name === target)?.[0];

/** The devices that a BMC which allows `targets` can boot from; the common ones when it does not say. */
export const devicesFor = (targets: readonly string[] | undefined): readonly string[] =>
  targets === undefined
    ? COMMON
    : PAIRS.filter(([, target]) => targets.includes(target)).map(([device]) => device);
