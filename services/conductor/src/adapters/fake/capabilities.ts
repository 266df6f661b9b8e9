import { isBootMode } from '../../domain/boot-mode.js';
import { type HardwareCapabilities } from '../../ports/hardware-capabilities.js';
import { LOGICAL_DISK_PROPERTIES } from '../raid-properties.js';
import { fakeBios } from './bios.js';
import { fakeIndicators } from './indicators.js';
import { act } from './simulate.js';
import { fakeVendorMethods } from './vendor-methods.js';
import { fakeVirtualMedia } from './virtual-media.js';

const FIRMWARE = { initial_version: '1.0', current_version: '1.0', last_version_flashed: null };

/** Everything that simulated hardware can do beyond power and boot device. Its state is in the node's record. */
export const fakeCapabilities: HardwareCapabilities = {
  console: {
    start: (node, deadline) => act(node, 'console', deadline),
    stop: (node, deadline) => act(node, 'console', deadline),
    info: (node) => Promise.resolve({ type: 'fake', url: `fake://${node.uuid}/console` }),
  },
  bootMode: {
    get: ({ boot_mode: mode }) =>
      Promise.resolve(typeof mode === 'string' && isBootMode(mode) ? mode : 'uefi'),
    set: async (node, mode, deadline) => {
      await act(node, 'boot_mode', deadline);
      return mode;
    },
  },
  secureBoot: {
    get: ({ secure_boot: enabled }) => Promise.resolve(enabled === true),
    set: async (node, enabled, deadline) => {
      await act(node, 'secure_boot', deadline);
      return enabled;
    },
  },
  nmi: { inject: (node, deadline) => act(node, 'nmi', deadline) },
  indicators: fakeIndicators,
  virtualMedia: fakeVirtualMedia,
  vendor: fakeVendorMethods,
  raid: { logicalDiskProperties: LOGICAL_DISK_PROPERTIES },
  bios: fakeBios,
  firmware: {
    components: () =>
      Promise.resolve([
        { component: 'bios', ...FIRMWARE },
        { component: 'bmc', ...FIRMWARE },
      ]),
  },
};
