import { DriverFailure } from './domain/driver-failure.js';
import { type DriverOf, type HardwareDriver } from './ports/hardware-driver.js';

/** Looks a node's driver up among those of this conductor. */
export function createDriverOf(drivers: readonly HardwareDriver[]): DriverOf {
  const byName = new Map(drivers.map((driver) => [driver.name, driver]));
  return (node) => {
    const driver = byName.get(node.driver);
    if (driver === undefined)
      throw new DriverFailure('settings', 'the driver of the node is not one of this conductor');
    return driver;
  };
}
