import { type Logger } from '@tenure/process';
import { type ConductorMetrics } from './metrics.js';
import { type DriverOf } from './ports/hardware-driver.js';
import { type InventoryPort } from './ports/inventory-port.js';
import { createHeartbeat, type Heartbeat } from './work/heartbeat.js';
import { createNodeLocks, type NodeLocks } from './work/node-locks.js';
import { POWER_LIMITS, type PowerLimits } from './work/power-execution.js';
import { createPowerSync, type PowerSync } from './work/power-sync.js';
import { createPowerWork, type PowerWork } from './work/power-work.js';
import { createOrphanWatch, type OrphanWatch, recover } from './work/recovery.js';

export interface ConductorOptions {
  readonly inventory: InventoryPort;
  readonly driverOf: DriverOf;
  readonly drivers: readonly string[];
  readonly hostname: string;
  readonly conductorGroup: string;
  readonly logger: Logger;
  readonly metrics: ConductorMetrics;
  readonly stopping: AbortSignal;
  readonly limits?: PowerLimits;
}

/** The conductor's work, wired together; nothing runs until it is asked to. */
export interface Conductor {
  readonly locks: NodeLocks;
  readonly power: PowerWork;
  readonly sync: PowerSync;
  readonly heartbeat: Heartbeat;
  readonly orphans: OrphanWatch;
}

export const createConductor = (options: ConductorOptions): Conductor => {
  const {
    inventory,
    driverOf,
    hostname,
    logger,
    metrics,
    stopping,
    limits = POWER_LIMITS,
  } = options;
  const locks = createNodeLocks({ inventory, holder: hostname, logger, stopping });
  const power = createPowerWork({
    inventory,
    locks,
    driverOf,
    logger,
    stopping,
    observe: metrics.power,
    now: () => new Date(),
    limits,
  });
  const recovery = { inventory, locks, power, holder: hostname, logger };
  const heartbeat = createHeartbeat({
    inventory,
    hostname,
    report: { drivers: options.drivers, conductor_group: options.conductorGroup },
    logger,
    recover: () => recover(recovery),
    takeDoubt: locks.takeDoubt,
  });
  return {
    locks,
    power,
    heartbeat,
    orphans: createOrphanWatch(recovery, limits.commandMs / 2),
    sync: createPowerSync({ inventory, locks, driverOf, logger, stopping, observe: metrics.sync }),
  };
};
