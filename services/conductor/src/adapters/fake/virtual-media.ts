import { type NodeRecord } from '@tenure/contracts';
import { type Fields, membersOf, without } from '../../domain/members.js';
import { driveIsFull, MEDIA_DEVICES, visibleImage, typesOf } from '../../domain/virtual-media.js';
import { type VirtualMediaCapability } from '../../ports/hardware-capabilities.js';
import { act } from './simulate.js';

const KEY = 'fake_virtual_media';

/** Addresses by device, without their secrets. */
const storedIn = (node: NodeRecord): Fields => membersOf(node.driver_internal_info[KEY]);

export const fakeVirtualMedia: VirtualMediaCapability = {
  list: (node) => {
    const stored = storedIn(node);
    return Promise.resolve(
      MEDIA_DEVICES.map((device) => ({
        media_types: typesOf(device),
        inserted: device in stored,
        image: device in stored ? String(stored[device]) : null,
      })),
    );
  },
  attach: async (node, { device, image }, deadline) => {
    const stored = storedIn(node);
    const visible = visibleImage(image) ?? '';
    if (device in stored && stored[device] !== visible) throw driveIsFull(device);
    await act(node, 'virtual_media', deadline);
    return { [KEY]: { ...stored, [device]: visible } };
  },
  detach: async (node, devices, deadline) => {
    await act(node, 'virtual_media', deadline);
    return { [KEY]: without(storedIn(node), ...devices) };
  },
};
