import { type HardwareCapabilities } from '../../ports/hardware-capabilities.js';
import { LOGICAL_DISK_PROPERTIES } from '../raid-properties.js';
import { redfishBios } from './bios-settings.js';
import { redfishBootMode, redfishSecureBoot } from './boot-mode.js';
import { resetSystem } from './computer-system.js';
import { createEventLogs } from './event-log.js';
import { createEventSubscriptions } from './event-subscriptions.js';
import { redfishFirmware } from './firmware.js';
import { redfishIndicators } from './indicators.js';
import { redfishConsole } from './serial-console.js';
import { type FindTarget, systemOf } from './target.js';
import { redfishVendorMethods } from './vendor-methods.js';
import { redfishVirtualMedia } from './virtual-media.js';

/** What Redfish offers beyond power and boot device. */
export function redfishCapabilities(find: FindTarget): HardwareCapabilities {
  const virtualMedia = redfishVirtualMedia(find);
  return {
    console: redfishConsole(find),
    bootMode: redfishBootMode(find),
    secureBoot: redfishSecureBoot(find),
    nmi: {
      inject: async (node, deadline) => {
        const { bmc, system } = await systemOf(find, node, deadline);
        await resetSystem(bmc, system, ['Nmi']);
      },
    },
    indicators: redfishIndicators(find),
    virtualMedia,
    vendor: redfishVendorMethods(
      virtualMedia,
      createEventSubscriptions(find),
      createEventLogs(find),
    ),
    raid: { logicalDiskProperties: LOGICAL_DISK_PROPERTIES },
    bios: redfishBios(find),
    firmware: redfishFirmware(find),
  };
}
