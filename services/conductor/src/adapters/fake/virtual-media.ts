import { type NodeRecord } from '@tenure/contracts';
import { driveIsFull, MEDIA_DEVICES, shownImage, typesOf } from '../../domain/virtual-media.js';
import { type VirtualMediaCapability } from '../../ports/hardware-capabilities.js';
import { act } from './simulate.js';

const KEY = 'fake_virtual_media';

/** Addresses by device, without what must not be shown. */
const storedIn = (node: NodeRecord): Readonly<Record<string, string>> => {
  const stored = node.driver_internal_info[KEY];
  return typeof stored === 'object' && stored !== null
    ? (stored as Readonly<Record<string, string>>) // an object that only this module writes
    : {};
};

export const fakeVirtualMedia: VirtualMediaCapability = {
  list: (node) => {
    const stored = storedIn(node);
    return Promise.resolve(
      MEDIA_DEVICES.map((device) => ({
        media_types: typesOf(device),
        inserted: device in stored,
        image: stored[device] ?? null,
      })),
    );
  },
  attach: async (node, { device, image }, deadline) => {
    const stored = storedIn(node);
    const shown = shownImage(image) ?? '';
    if (device in stored && stored[device] !== shown) throw driveIsFull(device);
    await act(node, 'virtual_media', deadline);
    return { [KEY]: { ...stored, [device]: shown } };
  },
  detach: async (node, devices, deadline) => {
    await act(node, 'virtual_media', deadline);
    const left = Object.entries(storedIn(node)).filter(
      ([device]) => !devices.some((gone) => gone === device),
    );
    return { [KEY]: Object.fromEntries(left) };
  },
};
