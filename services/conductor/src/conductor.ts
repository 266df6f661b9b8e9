import { type Logger } from '@tenure/process';
import { type ConductorMetrics } from './metrics.js';
import { type DriverOf, type HardwareDriver } from './ports/hardware-driver.js';
import { type InventoryPort } from './ports/inventory-port.js';
import {
  createProvisioning,
  type ProvisioningParts,
  type ProvisioningPorts,
} from './provisioning.js';
import { createHardwareDocuments, type HardwareDocuments } from './work/hardware-documents.js';
import { createHeartbeat, type Heartbeat } from './work/heartbeat.js';
import { createNodeChanges, type NodeChanges } from './work/node-changes.js';
import { createNodeLocks, type NodeLocks } from './work/node-locks.js';
import { POWER_LIMITS, type PowerLimits } from './work/power-execution.js';
import { createPowerSync, type PowerSync } from './work/power-sync.js';
import { createPowerWork, type PowerWork } from './work/power-work.js';
import { createOrphanWatch, type OrphanWatch, recover } from './work/recovery.js';

export interface ConductorOptions {
  readonly inventory: InventoryPort;
  readonly provisioningPorts: ProvisioningPorts;
  readonly driverOf: DriverOf;
  readonly drivers: readonly HardwareDriver[];
  readonly hostname: string;
  readonly conductorGroup: string;
  readonly logger: Logger;
  readonly metrics: ConductorMetrics;
  readonly stopping: AbortSignal;
  readonly limits?: PowerLimits;
}

/** The conductor's work, wired together; nothing runs until it is asked to. */
export interface Conductor extends ProvisioningParts {
  readonly locks: NodeLocks;
  readonly power: PowerWork;
  readonly changes: NodeChanges;
  readonly documents: HardwareDocuments;
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
  const shared = { inventory, driverOf, logger, stopping };
  const changes = createNodeChanges({ ...shared, locks });
  const documents = createHardwareDocuments(shared);
  const provisioning = createProvisioning({
    ...shared,
    locks,
    now: () => new Date(),
    observe: metrics.provision,
    refreshDocuments: documents.refresh,
    provisioningPorts: options.provisioningPorts,
  });
  const { provision } = provisioning;
  const recovery = { inventory, locks, power, changes, provision, holder: hostname, logger };
  const heartbeat = createHeartbeat({
    inventory,
    hostname,
    report: {
      drivers: options.drivers.map(({ name }) => name),
      conductor_group: options.conductorGroup,
      interfaces: Object.fromEntries(options.drivers.map(({ name, choices }) => [name, choices])),
    },
    logger,
    recover: () => recover(recovery),
    takeDoubt: locks.takeDoubt,
  });
  return {
    ...provisioning,
    locks,
    power,
    changes,
    documents,
    heartbeat,
    orphans: createOrphanWatch(recovery, limits.commandMs / 2),
    sync: createPowerSync({ ...shared, locks, documents, observe: metrics.sync }),
  };
};
