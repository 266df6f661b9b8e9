import { api, BadRequestError, parse } from '@tenure/contracts';
import { capabilityOf } from '../application/capability.js';
import { changing, type Hardware, reading } from './node-hardware.js';
import { optionalBody } from './request-node.js';

const BOOT_DEVICE = 'management/boot_device';

const bootDevice = ({ driver, node, deadline }: Hardware) => driver.getBootDevice(node, deadline);

/** Boot device and NMI. */
export const managementRoutes = [
  reading(BOOT_DEVICE, bootDevice),
  reading(`${BOOT_DEVICE}/supported`, async ({ driver, node, deadline }) => ({
    supported_boot_devices: await driver.supportedBootDevices(node, deadline),
  })),
  changing(
    ['put', BOOT_DEVICE],
    (request) => {
      const body = parse(api.VERB.bootDevice, request.body, 'boot_device');
      const { boot_device: device, persistent = false } = body;
      return async ({ driver, node, deadline }) => {
        if (!(await driver.supportedBootDevices(node, deadline)).includes(device))
          throw new BadRequestError(`Invalid boot device ${device} specified.`);
        return driver.setBootDevice(node, { device, persistent }, deadline);
      };
    },
    async (hardware) => ({ boot_device: await bootDevice(hardware) }),
  ),
  // Nothing can be read back of an NMI: it is what the hardware answers.
  changing(['put', 'management/inject_nmi'], (request) => {
    parse(api.VERB.nothing, optionalBody(request), 'inject_nmi');
    return async ({ driver, node, deadline }) => {
      await capabilityOf(driver, node, 'nmi', 'inject_nmi').inject(node, deadline);
      return {};
    };
  }),
];
