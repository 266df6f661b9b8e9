import { type HandoverRecord, type NodeRecord, timestampOf } from '@tenure/contracts';
import { type Deadline, deadlineWithin } from '@tenure/process';
import { DriverFailure } from '../domain/driver-failure.js';
import { isSwitchedOff } from './capability.js';
import { type SharedParts } from './shared-parts.js';

/** Milliseconds that the hardware is given: it shows its firmware piece by piece. */
const FIRMWARE_MS = 60_000;
/** So many components are recorded. */
const MAX_COMPONENTS = 200;

/**
 * Firmware versions as read from the hardware now, for the record of a handover.
 * @returns empty when the driver cannot read any, or the hardware does not answer
 */
export async function firmwareNow(
  { driverOf, now }: Pick<SharedParts, 'driverOf' | 'now'>,
  node: NodeRecord,
  deadline: Deadline,
): Promise<HandoverRecord['firmware']> {
  try {
    const driver = driverOf(node);
    if (driver.firmware === undefined || isSwitchedOff(driver, node, 'firmware')) return [];
    const found = await driver.firmware.components(node, deadlineWithin(deadline, FIRMWARE_MS));
    const read_at = timestampOf(now());
    return found.slice(0, MAX_COMPONENTS).map(({ component, current_version }) => ({
      component,
      current_version,
      source: 'bmc',
      read_at,
    }));
  } catch (error) {
    if (error instanceof DriverFailure) return [];
    throw error;
  }
}
