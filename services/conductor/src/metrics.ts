import { Counter, Gauge, Histogram, type Registry } from '@tenure/process';
import { type ObserveBmcCall } from './ports/bmc-observer.js';
import { type LeaseObserver } from './work/lease-watch.js';
import { type ExecutionOptions } from './work/power-execution.js';
import { type SyncOutcome } from './work/power-sync.js';
import { type ProvisionExecutionOptions } from './work/provision-execution.js';

export interface ConductorMetrics {
  readonly power: ExecutionOptions['observe'];
  readonly provision: ProvisionExecutionOptions['observe'];
  readonly bmc: ObserveBmcCall;
  readonly sync: (outcome: SyncOutcome) => void;
  readonly leases: LeaseObserver;
}

const leaseMetrics = (registry: Registry): LeaseObserver => {
  const steps = new Counter({
    name: 'lease_steps_total',
    help: 'Leases that began, and steps of clearing away after those that ended, by how they went',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const over = new Gauge({
    name: 'leases_over_nodes',
    help: 'Nodes of this conductor whose lease is over and which are not cleared yet',
    registers: [registry],
  });
  return {
    begun: (count) => {
      steps.inc({ outcome: 'begun' }, count);
    },
    over: (count) => {
      over.set(count);
    },
    outcome: (outcome) => {
      steps.inc({ outcome });
    },
  };
};

/** The conductor's own metrics, registered. */
export const createMetrics = (registry: Registry): ConductorMetrics => {
  const power = new Counter({
    name: 'power_actions_total',
    help: 'Power commands, by how they ended',
    labelNames: ['driver', 'outcome'],
    registers: [registry],
  });
  const provision = new Counter({
    name: 'provision_actions_total',
    help: 'Provisioning orders, by how they ended',
    labelNames: ['driver', 'outcome'],
    registers: [registry],
  });
  const bmc = new Histogram({
    name: 'bmc_request_duration_seconds',
    help: 'Calls to BMCs',
    labelNames: ['method', 'outcome'],
    buckets: [0.01, 0.05, 0.2, 0.5, 1, 2, 5, 10],
    registers: [registry],
  });
  const sync = new Counter({
    name: 'power_sync_nodes_total',
    help: 'Nodes visited by the power sync, by what was found',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return {
    power: (driver, outcome) => {
      power.inc({ driver, outcome });
    },
    provision: (driver, outcome) => {
      provision.inc({ driver, outcome });
    },
    bmc: (method, outcome, seconds) => {
      bmc.observe({ method, outcome }, seconds);
    },
    sync: (outcome) => {
      sync.inc({ outcome });
    },
    leases: leaseMetrics(registry),
  };
};
