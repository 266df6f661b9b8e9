import { type LogUsage, type RetiredFor } from '@tenure/decision-log';
import { Counter, Gauge, Histogram, type Registry } from '@tenure/process';
import { type ShareRefusal } from './domain/audit-shares.js';
import { type RetentionSettings } from './domain/retention.js';

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

/** How the files of the decision log stand. */
export interface RetentionStanding extends LogUsage, RetentionSettings {
  /** What is left of the space, or of the disk when that is less. */
  readonly freeBytes: number;
  /** Accounts above 80 % of their share. */
  readonly nearLimit: number;
}

export interface PdpMetrics {
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
  readonly logWritten: (bytes: number) => void;
  readonly logRetired: (because: RetiredFor) => void;
  readonly logShareRefused: (reason: ShareRefusal) => void;
  /** @param read how the log stands, read when scraped */
  readonly watchRetention: (read: () => RetentionStanding) => void;
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

const RETENTION_GAUGES: readonly {
  readonly name: string;
  readonly help: string;
  readonly of: (standing: RetentionStanding) => number;
}[] = [
  {
    name: 'tenure_pdp_decision_log_bytes',
    help: 'Bytes that the files of the decision log occupy',
    of: ({ bytes }) => bytes,
  },
  {
    name: 'tenure_pdp_decision_log_space_bytes',
    help: 'Bytes that they may occupy (PDP_DECISION_LOG_SPACE_BYTES)',
    of: ({ spaceBytes }) => spaceBytes,
  },
  {
    name: 'tenure_pdp_decision_log_free_bytes',
    help: 'What is left of this space, or of the disk when that is less',
    of: ({ freeBytes }) => freeBytes,
  },
  {
    name: 'tenure_pdp_decision_log_reserve_bytes',
    help: 'Free bytes below which every project has a tenth of its share',
    of: ({ reserveBytes }) => reserveBytes,
  },
  {
    name: 'tenure_pdp_decision_log_keep_seconds',
    help: 'How long a record is kept at least (PDP_DECISION_LOG_KEEP_DAYS)',
    of: ({ keepMs }) => keepMs / 1000,
  },
  {
    name: 'tenure_pdp_decision_log_oldest_seconds',
    help: 'Age of the oldest record in the files',
    of: ({ oldestAt }) => (oldestAt === undefined ? 0 : Math.max(0, Date.now() - oldestAt) / 1000),
  },
  {
    name: 'tenure_pdp_decision_log_held_segments',
    help: 'Files that are older than records are kept, and stay because a receiver has not got them',
    of: ({ held }) => held,
  },
  {
    name: 'tenure_pdp_decision_log_accounts_near_share',
    help: 'Projects and users above 80 % of their share of the decision log',
    of: ({ nearLimit }) => nearLimit,
  },
];

type RetentionMetrics = Pick<
  PdpMetrics,
  'logRetired' | 'logShareRefused' | 'logWritten' | 'watchRetention'
>;

const retentionMetricsOf = (registry: Registry): RetentionMetrics => {
  const registers = [registry];
  const written = new Counter({
    name: 'tenure_pdp_decision_log_written_bytes_total',
    help: 'Bytes of records that were written to the files',
    registers,
  });
  const retired = new Counter({
    name: 'tenure_pdp_decision_log_removed_segments_total',
    help: 'Files that were removed: for their age, or because every receiver has them and space was short (sent)',
    labelNames: ['reason'],
    registers,
  });
  const refused = new Counter({
    name: 'tenure_pdp_decision_log_share_refusals_total',
    help: 'Questions refused because the share of a project was used up, while the reserve was used (reserve), or the log full',
    labelNames: ['reason'],
    registers,
  });
  return {
    logWritten: (bytes) => {
      written.inc(bytes);
    },
    logRetired: (reason) => {
      retired.inc({ reason });
    },
    logShareRefused: (reason) => {
      refused.inc({ reason });
    },
    watchRetention: (read) => {
      for (const { name, help, of } of RETENTION_GAUGES)
        new Gauge({
          name,
          help,
          registers,
          collect() {
            this.set(of(read()));
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
