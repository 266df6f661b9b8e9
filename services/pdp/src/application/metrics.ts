import { Counter, Gauge, Histogram, type Meters, metersOn, type Registry } from '@tenure/process';
import { type RetentionMetrics, retentionMetricsOf } from './metrics-retention.js';

/** Result of comparing a decision with the shadow. */
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
  /** @param read returns the state of the other replicas, called when scraped */
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

type LogMetrics = Pick<
  PdpMetrics,
  'logDropped' | 'logFailed' | 'logShipped' | 'logNotShipped' | 'watchLog'
>;

/** The decision point's own metrics, on a registry. `memoryPages` is read when scraped. */
export function createPdpMetrics(registry: Registry, memoryPages: () => number): PdpMetrics {
  const { byOutcome, evaluation } = answersOf(registry);
  const meters = metersOn(registry);
  meters.reading(
    'tenure_pdp_wasm_memory_pages',
    'Memory of the policy, in pages of 64 KiB.',
    memoryPages,
  );
  return {
    answered: (outcome, seconds) => {
      byOutcome[outcome].inc();
      evaluation.observe(seconds);
    },
    deadlineExceeded: meters.counting(
      'tenure_pdp_deadline_exceeded_total',
      'Evaluations that took longer than PDP_DEADLINE_MS and were answered as denials.',
    ),
    shadowed: meters.counting(
      'tenure_pdp_shadow_decisions_total',
      'Decisions that the shadow bundle evaluated too, by how its answer differs. Dropped ones were not evaluated.',
      'outcome',
    ),
    deprecatedRuleUsed: meters.counting(
      'tenure_pdp_deprecated_rules_total',
      'Decisions that only a deprecated grant allowed.',
      'action',
      'grant',
    ),
    ...bundlesOf(registry, meters),
    ...logOf(meters),
    ...retentionMetricsOf(meters),
    ...replicasOf(meters),
  };
}

function answersOf(registry: Registry) {
  const registers = [registry];
  const decisions = new Counter({
    name: 'tenure_pdp_decisions_total',
    help: 'Answers by outcome; error is a denial.',
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
    help: 'Time one evaluation of the policy took.',
    buckets: BUCKETS,
    registers,
  });
  return { byOutcome, evaluation };
}

function bundlesOf(
  registry: Registry,
  { counting, reading }: Meters,
): Pick<PdpMetrics, 'activated' | 'loaded' | 'pinned' | 'watchBundle'> {
  const registers = [registry];
  const bundle = new Gauge({
    name: 'tenure_pdp_bundle_info',
    help: '1 for the revision in service.',
    labelNames: ['revision'],
    registers,
  });
  const loads = counting(
    'tenure_pdp_bundle_loads_total',
    'Loads of bundle and overlays by outcome.',
    'outcome',
  );
  const lastLoad = new Gauge({
    name: 'tenure_pdp_bundle_last_load_success',
    help: '0 while the newest bundle is refused.',
    registers,
  });
  const pinned = new Gauge({
    name: 'tenure_pdp_bundle_pinned',
    help: '1 after a rollback: the source is not followed until a reload.',
    registers,
  });
  return {
    activated: (revision) => {
      bundle.reset();
      bundle.labels(revision).set(1);
    },
    loaded: (outcome) => {
      loads(outcome);
      lastLoad.set(outcome === 'refused' ? 0 : 1);
    },
    pinned: (isPinned) => {
      pinned.set(isPinned ? 1 : 0);
    },
    watchBundle: (isDegraded) => {
      reading(
        'tenure_pdp_bundle_degraded',
        '1 while the newest policy is not in service: it was refused, or its source is unavailable.',
        () => (isDegraded() ? 1 : 0),
      );
    },
  };
}

function logOf({ adding, counting, reading }: Meters): LogMetrics {
  const shipped = adding(
    'tenure_pdp_decision_log_shipped_total',
    'Records sent to a receiver.',
    'receiver',
  );
  return {
    logDropped: adding(
      'tenure_pdp_decision_log_dropped_total',
      'Lines for stdout lost because their reader was too slow.',
    ),
    logFailed: counting(
      'tenure_pdp_decision_log_failures_total',
      'Failed writes of records to the decision log.',
    ),
    logShipped: (receiver, records) => {
      shipped(records, receiver);
    },
    logNotShipped: counting(
      'tenure_pdp_decision_log_ship_failures_total',
      'Failed attempts to send records to a receiver; the records stay in the files.',
      'receiver',
    ),
    watchLog: (pending) => {
      reading(
        'tenure_pdp_decision_log_pending_bytes',
        'Bytes of records in memory that are not written to the decision log yet.',
        pending,
      );
    },
  };
}

const replicasOf = ({
  counting,
  reading,
}: Meters): Pick<PdpMetrics, 'watchReplicas' | 'forged'> => ({
  forged: counting(
    'tenure_pdp_replica_forged_entries_total',
    'Entries and calls in Redis that no replica wrote; they are ignored.',
  ),
  watchReplicas: (read) => {
    reading(
      'tenure_pdp_replicas',
      'Decision points that share the desired revision, as seen by this one, itself included.',
      () => read().count,
    );
    reading(
      'tenure_pdp_replicas_unreachable',
      '1 while Redis cannot be used, so that this replica neither publishes nor receives rollbacks.',
      () => (read().isReachable ? 0 : 1),
    );
  },
});
