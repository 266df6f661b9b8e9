import { Counter, Gauge, Histogram, type Registry } from '@tenure/process';
import { type RetentionMetrics, retentionMetricsOf } from './metrics-retention.js';

/** What became of a decision that the shadow could have been asked. */
type ShadowOutcome =
  | 'same'
  | 'newly_allowed'
  | 'newly_denied'
  | 'newly_visible'
  | 'newly_hidden'
  | 'otherwise'
  | 'failed'
  | 'dropped';

export interface PdpMetrics extends RetentionMetrics {
  readonly answered: (outcome: 'allow' | 'deny' | 'batch' | 'error', seconds: number) => void;
  readonly deadlineExceeded: () => void;
  readonly activated: (revision: string) => void;
  readonly loaded: (outcome: 'activated' | 'unchanged' | 'refused') => void;
  readonly pinned: (isPinned: boolean) => void;
  /** @param isDegraded whether the newest policy is not the one in service, read when scraped */
  readonly watchBundle: (isDegraded: () => boolean) => void;
  /** @param read what is known of the other replicas, read when scraped */
  readonly watchReplicas: (
    read: () => { readonly count: number; readonly isReachable: boolean },
  ) => void;
  /** Something in Redis was not written by a replica. */
  readonly forged: () => void;
  readonly shadowed: (outcome: ShadowOutcome) => void;
  readonly logDropped: (lines: number) => void;
  readonly logFailed: () => void;
  readonly logShipped: (receiver: string, records: number) => void;
  readonly logNotShipped: (receiver: string) => void;
  /** @param pending characters of records that wait, read when scraped */
  readonly watchLog: (pending: () => number) => void;
  readonly deprecatedRuleUsed: (action: string, grant: string) => void;
}

// Microseconds: a decision takes some tens of them.
const BUCKETS = [
  0.00002, 0.00003, 0.00005, 0.00007, 0.0001, 0.0002, 0.0005, 0.001, 0.005, 0.02, 0.1, 0.5, 2,
];

const answersOf = (registry: Registry) => {
  const registers = [registry];
  const decisions = new Counter({
    name: 'tenure_pdp_decisions_total',
    help: 'Answers by outcome; error is a denial',
    labelNames: ['outcome'],
    registers,
  });
  // Looked up once: finding a labelled counter costs more than counting.
  const byOutcome = {
    allow: decisions.labels('allow'),
    deny: decisions.labels('deny'),
    batch: decisions.labels('batch'),
    error: decisions.labels('error'),
  };
  const evaluation = new Histogram({
    name: 'tenure_pdp_evaluation_seconds',
    help: 'Time one evaluation of the policy took',
    buckets: BUCKETS,
    registers,
  });
  const late = new Counter({
    name: 'tenure_pdp_deadline_exceeded_total',
    help: 'Evaluations that took longer than PDP_DEADLINE_MS and were answered as denials',
    registers,
  });
  return { byOutcome, evaluation, late };
};

const bundlesOf = (registry: Registry) => {
  const registers = [registry];
  const bundle = new Gauge({
    name: 'tenure_pdp_bundle_info',
    help: 'The revision in service',
    labelNames: ['revision'],
    registers,
  });
  const loads = new Counter({
    name: 'tenure_pdp_bundle_loads_total',
    help: 'Loads of bundle and overlays by outcome',
    labelNames: ['outcome'],
    registers,
  });
  const lastLoad = new Gauge({
    name: 'tenure_pdp_bundle_last_load_success',
    help: '0 while the newest bundle is one that was refused',
    registers,
  });
  const pinned = new Gauge({
    name: 'tenure_pdp_bundle_pinned',
    help: '1 while a policy that was rolled back to stays, whatever the source has',
    registers,
  });
  const shadow = new Counter({
    name: 'tenure_pdp_shadow_decisions_total',
    help: 'Decisions that the shadow bundle was asked, by how its answer differs; dropped ones were not asked',
    labelNames: ['outcome'],
    registers,
  });
  return { bundle, loads, lastLoad, pinned, shadow };
};

type LogMetrics = Pick<
  PdpMetrics,
  'logDropped' | 'logFailed' | 'logShipped' | 'logNotShipped' | 'watchLog'
>;

const logOf = (registry: Registry): LogMetrics => {
  const dropped = new Counter({
    name: 'tenure_pdp_decision_log_dropped_total',
    help: 'Lines for stdout lost because their reader was too slow',
    registers: [registry],
  });
  const failures = new Counter({
    name: 'tenure_pdp_decision_log_failures_total',
    help: 'Times that records could not be written to the decision log',
    registers: [registry],
  });
  const shipped = new Counter({
    name: 'tenure_pdp_decision_log_shipped_total',
    help: 'Records sent on to a receiver',
    labelNames: ['receiver'],
    registers: [registry],
  });
  const notShipped = new Counter({
    name: 'tenure_pdp_decision_log_ship_failures_total',
    help: 'Times that a receiver did not take records; they stay in the files',
    labelNames: ['receiver'],
    registers: [registry],
  });
  return {
    logDropped: (lines) => {
      dropped.inc(lines);
    },
    logFailed: () => {
      failures.inc();
    },
    logShipped: (receiver, records) => {
      shipped.labels(receiver).inc(records);
    },
    logNotShipped: (receiver) => {
      notShipped.labels(receiver).inc();
    },
    watchLog: (pending) => {
      new Gauge({
        name: 'tenure_pdp_decision_log_pending_bytes',
        help: 'Records of the decision log that wait in memory to be written',
        registers: [registry],
        collect() {
          this.set(pending());
        },
      });
    },
  };
};

const replicasOf = (registry: Registry): Pick<PdpMetrics, 'watchReplicas' | 'forged'> => {
  const forged = new Counter({
    name: 'tenure_pdp_replica_forged_entries_total',
    help: 'Entries and calls in Redis that no replica wrote; they have no effect',
    registers: [registry],
  });
  return {
    forged: () => {
      forged.inc();
    },
    watchReplicas: (read) => {
      new Gauge({
        name: 'tenure_pdp_replicas',
        help: 'Decision points that share what they are told, this one included, as far as it knows',
        registers: [registry],
        collect() {
          this.set(read().count);
        },
      });
      new Gauge({
        name: 'tenure_pdp_replicas_unreachable',
        help: '1 while Redis cannot be used, so that others cannot be told of a rollback, nor be heard',
        registers: [registry],
        collect() {
          this.set(read().isReachable ? 0 : 1);
        },
      });
    },
  };
};

/** The decision point's own metrics, on a registry. `memoryPages` is read when scraped. */
export const createPdpMetrics = (registry: Registry, memoryPages: () => number): PdpMetrics => {
  const { byOutcome, evaluation, late } = answersOf(registry);
  const { bundle, loads, lastLoad, pinned, shadow } = bundlesOf(registry);
  const log = logOf(registry);
  const deprecated = new Counter({
    name: 'tenure_pdp_deprecated_rules_total',
    help: 'Decisions that only a deprecated grant allowed',
    labelNames: ['action', 'grant'],
    registers: [registry],
  });
  new Gauge({
    name: 'tenure_pdp_wasm_memory_pages',
    help: 'Memory of the policy, in pages of 64 KiB',
    registers: [registry],
    collect() {
      this.set(memoryPages());
    },
  });
  return {
    answered: (outcome, seconds) => {
      byOutcome[outcome].inc();
      evaluation.observe(seconds);
    },
    deadlineExceeded: () => {
      late.inc();
    },
    activated: (revision) => {
      bundle.reset();
      bundle.labels(revision).set(1);
    },
    loaded: (outcome) => {
      loads.labels(outcome).inc();
      lastLoad.set(outcome === 'refused' ? 0 : 1);
    },
    pinned: (isPinned) => {
      pinned.set(isPinned ? 1 : 0);
    },
    watchBundle: (isDegraded) => {
      new Gauge({
        name: 'tenure_pdp_bundle_degraded',
        help: '1 while the newest policy is not the one in service: it was refused, or its source is away',
        registers: [registry],
        collect() {
          this.set(isDegraded() ? 1 : 0);
        },
      });
    },
    shadowed: (outcome) => {
      shadow.labels(outcome).inc();
    },
    ...log,
    ...retentionMetricsOf(registry),
    ...replicasOf(registry),
    deprecatedRuleUsed: (action, grant) => {
      deprecated.labels(action, grant).inc();
    },
  };
};
