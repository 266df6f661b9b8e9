import { Type } from '@sinclair/typebox';
import { parse } from '@tenure/contracts';
import { subscriptionIdIn, subscriptionIn } from '../../domain/subscription.js';
import { MEDIA_DEVICES, type MediaDevice } from '../../domain/virtual-media.js';
import {
  type VendorArguments,
  type VendorMethods,
  type VirtualMediaCapability,
} from '../../ports/hardware-capabilities.js';
import { logMethods } from './event-log-methods.js';
import { type EventLogs } from './event-log.js';
import { type EventSubscriptions } from './event-subscriptions.js';

const EjectArguments = Type.Object(
  {
    boot_device: Type.Optional(
      Type.Union(['cd', 'dvd', 'usb', 'floppy'].map((name) => Type.Literal(name))),
    ),
  },
  { additionalProperties: false },
);
const DEVICES: Readonly<Record<string, MediaDevice>> = {
  cd: 'cdrom',
  dvd: 'cdrom',
  usb: 'disk',
  floppy: 'floppy',
};

/** The vendor methods of `redfish`. */
export const redfishVendorMethods = (
  media: VirtualMediaCapability,
  subscriptions: EventSubscriptions,
  logs: EventLogs,
): VendorMethods => ({
  ...logMethods(logs),
  create_subscription: {
    httpMethods: ['POST'],
    isAsync: false,
    description: "Subscribes an address to the BMC's events. Required argument: Destination.",
    needsLock: true,
    validate: subscriptionIn,
    run: (node, call, deadline) => subscriptions.create(node, call, deadline),
  },
  delete_subscription: {
    httpMethods: ['DELETE'],
    isAsync: false,
    description: 'Deletes a subscription. Required argument: id.',
    needsLock: true,
    validate: subscriptionIdIn,
    run: (node, call, deadline) => subscriptions.remove(node, subscriptionIdIn(call), deadline),
  },
  eject_vmedia: {
    httpMethods: ['POST'],
    isAsync: true,
    description:
      'Ejects virtual media. Optional argument: boot_device, one of cd, dvd, usb, floppy; without it, everything.',
    needsLock: true,
    validate: devicesToEject,
    run: (node, call, deadline) => media.detach(node, devicesToEject(call), deadline),
  },
  get_all_subscriptions: {
    httpMethods: ['GET'],
    isAsync: false,
    description: 'Lists the subscriptions of the BMC.',
    needsLock: false,
    validate: () => undefined,
    run: (node, _call, deadline) => subscriptions.all(node, deadline),
  },
  get_subscription: {
    httpMethods: ['GET'],
    isAsync: false,
    description: 'Shows a subscription. Required argument: id.',
    needsLock: false,
    validate: subscriptionIdIn,
    run: (node, call, deadline) => subscriptions.one(node, subscriptionIdIn(call), deadline),
  },
});

function devicesToEject(call: VendorArguments): readonly MediaDevice[] {
  const { boot_device: name } = parse(EjectArguments, call, 'eject_vmedia');
  const device = name === undefined ? undefined : DEVICES[name];
  return device === undefined ? MEDIA_DEVICES : [device];
}
