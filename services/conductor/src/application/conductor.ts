import { type HardwareDriver } from '../ports/hardware-driver.js';
import { type ConductorReport } from '../ports/inventory-port.js';
import { type LeaseBook } from '../ports/lease-book.js';
import { createHandoverWatch, type HandoverWatch } from './handover-watch.js';
import { createHardwareDocuments, type HardwareDocuments } from './hardware-documents.js';
import { createHeartbeat, type Heartbeat } from './heartbeat.js';
import { createLeaseWatch, type LeaseWatch } from './lease-watch.js';
import { createMembership, type Membership } from './membership.js';
import { type ConductorMetrics } from './metrics.js';
import { createNodeChanges, type NodeChanges } from './node-changes.js';
import { createNodeLocks, type NodeLocks } from './node-locks.js';
import { WAIT_LIMITS, type WaitLimits } from './overdue-watch.js';
import { POWER_LIMITS, type PowerLimits } from './power-execution.js';
import {
  createPowerSync,
  POWER_SYNC_LIMITS,
  type PowerSync,
  type PowerSyncLimits,
} from './power-sync.js';
import { createPowerWork, type PowerWork } from './power-work.js';
import { createProvisioning, type ProvisioningParts } from './provisioning.js';
import { createOrphanWatch, type OrphanWatch, recover } from './recovery.js';
import { type ProvisioningPorts, type SharedParts } from './shared-parts.js';
import { createTransitionWatch } from './transition-watch.js';
import { createWorkers } from './workers.js';

export interface ConductorOptions extends Pick<
  SharedParts,
  'driverOf' | 'handovers' | 'inventory' | 'logger' | 'stopping'
> {
  readonly leaseBook: LeaseBook;
  readonly provisioningPorts: ProvisioningPorts;
  readonly drivers: readonly HardwareDriver[];
  readonly hostname: string;
  readonly conductorGroup: string;
  readonly heartbeatTimeoutSeconds: number;
  /** Where the other conductors reach this one. */
  readonly advertisedUrl: string;
  readonly metrics: ConductorMetrics;
  /** How much is done at the same time. */
  readonly maxWorkers: number;
  readonly limits?: PowerLimits;
  readonly syncLimits?: PowerSyncLimits;
  readonly waitLimits?: WaitLimits;
}

/** Wires the parts of the conductor together. Nothing runs until it is started. */
export interface Conductor extends ProvisioningParts {
  readonly locks: NodeLocks;
  readonly membership: Membership;
  readonly power: PowerWork;
  readonly changes: NodeChanges;
  readonly documents: HardwareDocuments;
  readonly sync: PowerSync;
  readonly heartbeat: Heartbeat;
  readonly orphans: OrphanWatch;
  readonly leases: LeaseWatch;
  readonly handovers: HandoverWatch;
}

export function createConductor(options: ConductorOptions): Conductor {
  const { inventory, hostname, logger, metrics, driverOf, stopping, handovers } = options;
  const { limits = POWER_LIMITS } = options;
  const now = (): Date => new Date();
  const report = reportOf(options);
  const workers = createWorkers(options.maxWorkers);
  const common = { inventory, driverOf, logger, stopping, workers };
  const locks = createNodeLocks({ ...common, holder: hostname, ...watchOf(options) });
  const membership = createMembership({ inventory, self: { hostname, ...report } });
  const shared = { ...common, locks, membership, handovers, now };
  const power = createPowerWork({ ...shared, observe: metrics.power, limits });
  const changes = createNodeChanges(shared);
  const documents = createHardwareDocuments(common);
  const provisioning = createProvisioning({
    ...shared,
    ...options.provisioningPorts,
    observe: metrics.provision,
    refreshDocuments: documents.refresh,
    waitLimits: options.waitLimits ?? WAIT_LIMITS,
  });
  const { provision } = provisioning;
  const recovery = { ...shared, power, changes, provision, holder: hostname };
  const heartbeat = createHeartbeat({
    inventory,
    hostname,
    report,
    logger,
    refreshMembers: membership.refresh,
    recover: () => recover(recovery),
    takeUncertain: locks.takeUncertain,
  });
  return {
    ...provisioning,
    locks,
    membership,
    power,
    changes,
    documents,
    heartbeat,
    orphans: createOrphanWatch(recovery, limits.commandMs / 2),
    leases: createLeaseWatch({ ...shared, leases: options.leaseBook, observe: metrics.leases }),
    handovers: createHandoverWatch({ ...shared, ...provisioning, observe: metrics.handovers }),
    sync: createPowerSync({
      ...shared,
      power,
      documents,
      holder: hostname,
      metrics: metrics.sync,
      limits: options.syncLimits ?? POWER_SYNC_LIMITS,
    }),
  };
}

/** The body of this conductor's heartbeat. */
const reportOf = ({
  drivers,
  conductorGroup,
  advertisedUrl,
  heartbeatTimeoutSeconds,
}: ConductorOptions): ConductorReport => ({
  drivers: drivers.map(({ name }) => name),
  conductor_group: conductorGroup,
  advertised_url: advertisedUrl,
  timeout_seconds: heartbeatTimeoutSeconds,
  interfaces: Object.fromEntries(drivers.map(({ name, choices }) => [name, choices])),
});

/** Observers of locks, and of the transitions that are written under them. */
const watchOf = ({ hostname, logger, metrics }: ConductorOptions) => ({
  watch: createTransitionWatch({ conductor: hostname, logger, metrics: metrics.transitions }),
  observeLocks: metrics.locks,
});
