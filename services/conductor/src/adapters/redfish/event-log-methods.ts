import { logQueryIn, logToClearIn } from '../../domain/event-log.js';
import { type VendorMethods } from '../../ports/hardware-capabilities.js';
import { type EventLogs } from './event-log.js';

/** The vendor methods for the event logs of a BMC. */
export const logMethods = (logs: EventLogs): VendorMethods => ({
  clear_event_log: {
    httpMethods: ['POST'],
    isAsync: true,
    description:
      'Clears an event log of the BMC. Optional argument: service, the name of the log; without it, the first that get_event_log would show.',
    needsLock: true,
    validate: logToClearIn,
    run: (node, call, deadline) => logs.clear(node, logToClearIn(call), deadline),
  },
  get_event_log: {
    httpMethods: ['GET'],
    isAsync: false,
    description:
      'Shows an event log of the BMC, the newest entries first. Optional arguments: service, the name of the log; limit, how many entries; severity, the least one: ok, warning or critical.',
    needsLock: false,
    validate: logQueryIn,
    run: (node, call, deadline) => logs.read(node, logQueryIn(call), deadline),
  },
});
