import { fieldOf, type NodeRecord } from '@tenure/contracts';
import { unsupported } from '../domain/driver-failure.js';
import { type HardwareCapabilities } from '../ports/hardware-capabilities.js';
import { type DriverOf, type HardwareDriver } from '../ports/hardware-driver.js';

type Capability = keyof HardwareCapabilities;

/** True when the node names the interface that does nothing, as `no-console` for `console`, or gets it from its driver. */
export const isSwitchedOff = (driver: HardwareDriver, node: NodeRecord, name: string): boolean =>
  (fieldOf(node, `${name}_interface`) ?? driver.choices[name]?.default) === `no-${name}`;

/**
 * A capability of the node's driver.
 * @param extension name of the requested operation, for the error text
 * @throws DriverFailure `unsupported` (400)
 */
export function capabilityOf<K extends Capability>(
  driver: HardwareDriver,
  node: NodeRecord,
  name: K,
  extension: string,
): NonNullable<HardwareCapabilities[K]> {
  const capability = driver[name];
  if (isSwitchedOff(driver, node, name)) throw unsupported(driver.name, name);
  if (capability === undefined) throw unsupported(driver.name, extension);
  return capability;
}

/** As `capabilityOf`, of a node whose settings are good. Throws `DriverFailure` for those too. */
export async function validCapability<K extends Capability>(
  driverOf: DriverOf,
  node: NodeRecord,
  name: K,
  extension: string,
): Promise<NonNullable<HardwareCapabilities[K]>> {
  const driver = driverOf(node);
  const capability = capabilityOf(driver, node, name, extension);
  await driver.validate(node);
  return capability;
}
