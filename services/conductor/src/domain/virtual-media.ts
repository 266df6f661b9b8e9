import { api, BadRequestError } from '@tenure/contracts';
import { withoutBootKeys } from './boot-key.js';
import { DriverFailure } from './driver-failure.js';

export const { MEDIA_DEVICES } = api;
export type MediaDevice = (typeof MEDIA_DEVICES)[number];

const TYPES: Readonly<Record<MediaDevice, readonly string[]>> = {
  cdrom: ['CD', 'DVD'],
  disk: ['USBStick'],
  floppy: ['Floppy'],
};

/** Redfish's media types that are good for a device. */
export const typesOf = (device: MediaDevice): readonly string[] => TYPES[device];

/** An address without its credentials, which are given to the BMC apart. */
export function imageParts(image: string): {
  readonly address: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
} {
  const url = new URL(image);
  const { username, password } = url;
  if (username === '' && password === '')
    return { address: image, username: undefined, password: undefined };
  url.username = '';
  url.password = '';
  return {
    address: url.href,
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

/** A URL without secrets: a query may be a signature, userinfo has a password, and a boot medium has a key. */
export function visibleImage(address: string): string | null {
  const image = withoutBootKeys(address);

  const url = URL.parse(image);
  // Not an address: some BMCs give a file name.
  if (url === null || url.hostname === '') return /[@?]/u.test(image) ? null : image;
  if (url.username === '' && url.password === '' && url.search === '' && url.hash === '')
    return image;
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  return url.href;
}

/** Whether a BMC may be sent to this address: http and https only. */
export function isImageAddress(image: string): boolean {
  const url = URL.parse(image);
  if (url === null || url.hostname === '' || !['http:', 'https:'].includes(url.protocol))
    return false;
  try {
    imageParts(image);
    return true;
  } catch {
    // userinfo that does not decode
    return false;
  }
}

/**
 * An address that a BMC may be sent to.
 * @throws BadRequestError, never repeating the address
 */
export function checkedImage(image: string): string {
  if (!isImageAddress(image))
    throw new BadRequestError('image_url must be an http or https address.');
  return image;
}

/** An image of another user is never replaced. */
export const driveIsFull = (device: MediaDevice): DriverFailure =>
  new DriverFailure(
    'unsupported',
    `every virtual drive of type ${device} holds an image already; detach it first`,
  );

/**
 * The devices that `device_types` names, comma-separated; all of them when it is not given.
 * @throws BadRequestError for a device that there is not
 */
export function devicesIn(types: string | undefined): readonly MediaDevice[] {
  if (types === undefined || types === '') return MEDIA_DEVICES;
  return types.split(',').map((name) => {
    const device = name.trim();
    if (!isMediaDevice(device))
      throw new BadRequestError(`Invalid device type ${device.slice(0, 64)}.`);
    return device;
  });
}

const isMediaDevice = (name: string): name is MediaDevice =>
  MEDIA_DEVICES.some((device) => device === name);
