import { Counter, Gauge, Histogram, type Registry } from '@tenure/process';
import { isBusyState, waitsForAgent } from '../domain/provision/states.js';
import { type ObserveBmcCall } from '../ports/bmc-observer.js';
import { type HandoverObserver } from './handover-watch.js';
import { type LeaseObserver } from './lease-watch.js';
import { type ExecutionOptions } from './power-execution.js';
import { type SyncMetrics } from './power-sync.js';
import { type ProvisionExecutionOptions } from './provision-execution.js';
import { type TransitionMetrics } from './transition-watch.js';

/** Metrics of requests for boot media. */
export interface MediaMetrics {
  readonly answered: (status: number) => void;
  readonly sent: (bytes: number) => void;
}

export interface ConductorMetrics {
  readonly power: ExecutionOptions['observe'];
  readonly provision: ProvisionExecutionOptions['observe'];
  readonly bmc: ObserveBmcCall;
  readonly sync: SyncMetrics;
  readonly transitions: TransitionMetrics;
  /** The number of acquired locks, that is, of nodes being worked on. */
  readonly locks: (count: number) => void;
  readonly leases: LeaseObserver;
  readonly media: MediaMetrics & {
    readonly fetched: (outcome: 'failed' | 'fetched' | 'unchanged') => void;
  };
  readonly handovers: HandoverObserver;
}

/** The conductor's own metrics, registered. */
export function createMetrics(registry: Registry): ConductorMetrics {
  const power = new Counter({
    name: 'tenure_conductor_power_actions_total',
    help: 'Power commands, by how they ended.',
    labelNames: ['driver', 'outcome'],
    registers: [registry],
  });
  const provision = new Counter({
    name: 'tenure_conductor_provision_actions_total',
    help: 'Provisioning commands, by how they ended.',
    labelNames: ['driver', 'outcome'],
    registers: [registry],
  });
  const bmc = new Histogram({
    name: 'tenure_conductor_bmc_request_duration_seconds',
    help: 'Calls to BMCs.',
    labelNames: ['method', 'outcome'],
    buckets: [0.01, 0.05, 0.2, 0.5, 1, 2, 5, 10],
    registers: [registry],
  });
  const locks = new Gauge({
    name: 'tenure_conductor_node_locks',
    help: 'Nodes that this conductor has locked.',
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
    sync: syncMetrics(registry),
    transitions: transitionMetrics(registry),
    locks: (count) => {
      locks.set(count);
    },
    leases: leaseMetrics(registry),
    media: mediaMetrics(registry),
    handovers: handoverMetrics(registry),
  };
}

function syncMetrics(registry: Registry): SyncMetrics {
  const last = lastRoundMetrics(registry);
  const visits = new Counter({
    name: 'tenure_conductor_power_sync_nodes_total',
    help: 'Nodes visited by the power sync, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const rounds = new Histogram({
    name: 'tenure_conductor_power_sync_round_duration_seconds',
    help: "Duration of the power sync's rounds over this conductor's nodes.",
    buckets: [0.1, 0.5, 1, 5, 15, 30, 60, 120, 300],
    registers: [registry],
  });
  const lastRound = new Gauge({
    name: 'tenure_conductor_power_sync_last_round_timestamp_seconds',
    help: 'End of the last round of the power sync, in seconds since 1970; 0 before the first.',
    registers: [registry],
  });
  const unreachable = new Gauge({
    name: 'tenure_conductor_power_sync_unreachable_nodes',
    help: 'Nodes whose power could not be read at the last attempt.',
    registers: [registry],
  });
  return {
    visit: (outcome) => {
      visits.inc({ outcome });
    },
    round: (ended) => {
      rounds.observe(ended.seconds);
      lastRound.setToCurrentTime();
      unreachable.set(ended.unreachable);
      last(ended);
    },
  };
}

// The states are those of the state machine, so the labels have few values.
function transitionMetrics(registry: Registry): TransitionMetrics {
  const provision = new Counter({
    name: 'tenure_conductor_provision_transitions_total',
    help: 'Changes of provision state.',
    labelNames: ['from', 'to'],
    registers: [registry],
  });
  const power = new Counter({
    name: 'tenure_conductor_power_transitions_total',
    help: 'Changes of power state.',
    labelNames: ['from', 'to'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'tenure_conductor_provision_state_duration_seconds',
    help: 'Time that a node spent in a busy or waiting state, recorded when it leaves the state.',
    labelNames: ['state'],
    buckets: [1, 5, 15, 60, 300, 900, 1800, 3600],
    registers: [registry],
  });
  return {
    provision: ({ from, to, durationMs }) => {
      provision.inc({ from, to });
      if (durationMs !== null && (isBusyState(from) || waitsForAgent(from)))
        durations.observe({ state: from }, durationMs / 1000);
    },
    power: ({ from, to }) => {
      power.inc({ from: from ?? 'unknown', to: to ?? 'unknown' });
    },
  };
}

function leaseMetrics(registry: Registry): LeaseObserver {
  const steps = new Counter({
    name: 'tenure_conductor_lease_steps_total',
    help: 'Leases that a conductor began or ended.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const over = new Gauge({
    name: 'tenure_conductor_expired_lease_nodes',
    help: 'Nodes of this conductor whose lease has ended and whose handover is not complete.',
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
}

function mediaMetrics(registry: Registry): ConductorMetrics['media'] {
  const requests = new Counter({
    name: 'tenure_conductor_media_requests_total',
    help: 'Responses to machines that load boot media.',
    labelNames: ['status'],
    registers: [registry],
  });
  const bytes = new Counter({
    name: 'tenure_conductor_media_bytes_total',
    help: 'Bytes of boot media sent to machines.',
    registers: [registry],
  });
  const fetches = new Counter({
    name: 'tenure_conductor_media_fetches_total',
    help: 'Downloads of images for boot media, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return {
    answered: (status) => {
      requests.inc({ status: String(status) });
    },
    sent: (count) => {
      bytes.inc(count);
    },
    fetched: (outcome) => {
      fetches.inc({ outcome });
    },
  };
}

function handoverMetrics(registry: Registry): HandoverObserver {
  const steps = new Counter({
    name: 'tenure_conductor_handover_steps_total',
    help: 'Steps of handovers, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const open = new Gauge({
    name: 'tenure_conductor_handovers_open_nodes',
    help: 'Nodes of this conductor with an open handover.',
    registers: [registry],
  });
  return {
    open: (count) => {
      open.set(count);
    },
    outcome: (outcome) => {
      steps.inc({ outcome });
    },
  };
}

/** Metrics of the last round of the power sync, and the number of rounds that took too long. */
function lastRoundMetrics(registry: Registry): SyncMetrics['round'] {
  const duration = new Gauge({
    name: 'tenure_conductor_power_sync_last_round_seconds',
    help: 'Duration of the last round of the power sync.',
    registers: [registry],
  });
  const nodes = new Gauge({
    name: 'tenure_conductor_power_sync_last_round_nodes',
    help: "Nodes in this conductor's last round of the power sync, each with a BMC.",
    registers: [registry],
  });
  const late = new Counter({
    name: 'tenure_conductor_power_sync_late_rounds_total',
    help: 'Rounds of the power sync that took longer than CONDUCTOR_POWER_SYNC_SECONDS.',
    registers: [registry],
  });
  return ({ seconds, nodes: count, isLate }) => {
    duration.set(seconds);
    nodes.set(count);
    if (isLate) late.inc();
  };
}
