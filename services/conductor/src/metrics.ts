import { Counter, Histogram, type Registry } from '@tenure/process';
import { type ObserveBmcCall } from './ports/bmc-observer.js';
import { type ExecutionOptions } from './work/power-execution.js';
import { type SyncOutcome } from './work/power-sync.js';
import { type ProvisionExecutionOptions } from './work/provision-execution.js';

export interface ConductorMetrics {
  readonly power: ExecutionOptions['observe'];
  readonly provision: ProvisionExecutionOptions['observe'];
  readonly bmc: ObserveBmcCall;
  readonly sync: (outcome: SyncOutcome) => void;
}

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
  };
};
