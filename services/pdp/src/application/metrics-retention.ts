import { type LogUsage, type RetiredFor } from '@tenure/decision-log';
import { type Meters } from '@tenure/process';
import { type ShareRefusal } from '../domain/audit-shares.js';
import { type RetentionSettings } from '../domain/retention.js';

/** State of the decision log's files. */
interface RetentionReport extends LogUsage, RetentionSettings {
  /** Free bytes of the space, or of the disk when that is less. */
  readonly freeBytes: number;
  /** Accounts above 80 % of their share. */
  readonly nearLimit: number;
}

export interface RetentionMetrics {
  readonly logWritten: (bytes: number) => void;
  readonly logRetired: (because: RetiredFor) => void;
  readonly logShareRefused: (reason: ShareRefusal) => void;
  /** @param read returns the state of the log; called on each scrape */
  readonly watchRetention: (read: () => RetentionReport) => void;
}

const RETENTION_GAUGES: readonly {
  readonly name: string;
  readonly help: string;
  readonly of: (report: RetentionReport) => number;
}[] = [
  {
    name: 'tenure_pdp_decision_log_bytes',
    help: 'Bytes that the files of the decision log occupy.',
    of: ({ bytes }) => bytes,
  },
  {
    name: 'tenure_pdp_decision_log_space_bytes',
    help: "Maximum bytes of the decision log's files (PDP_DECISION_LOG_SPACE_BYTES).",
    of: ({ spaceBytes }) => spaceBytes,
  },
  {
    name: 'tenure_pdp_decision_log_free_bytes',
    help: "Free bytes of the decision log's space, or of the disk if it has less.",
    of: ({ freeBytes }) => freeBytes,
  },
  {
    name: 'tenure_pdp_decision_log_reserve_bytes',
    help: 'Below this many free bytes of the decision log, every project has a tenth of its share.',
    of: ({ reserveBytes }) => reserveBytes,
  },
  {
    name: 'tenure_pdp_decision_log_keep_seconds',
    help: 'Minimum time that a record of the decision log is kept (PDP_DECISION_LOG_KEEP_DAYS).',
    of: ({ keepMs }) => keepMs / 1000,
  },
  {
    name: 'tenure_pdp_decision_log_oldest_seconds',
    help: 'Age of the oldest record in the decision log.',
    of: ({ oldestAt }) => (oldestAt === undefined ? 0 : Math.max(0, Date.now() - oldestAt) / 1000),
  },
  {
    name: 'tenure_pdp_decision_log_retained_segments',
    help: 'Files of the decision log that are older than the minimum time and stay because a receiver lacks their records.',
    of: ({ retained }) => retained,
  },
  {
    name: 'tenure_pdp_decision_log_accounts_near_share',
    help: 'Projects and users above 80 % of their share of the decision log.',
    of: ({ nearLimit }) => nearLimit,
  },
];

/** Declares the metrics of the decision log's files. */
export const retentionMetricsOf = ({ adding, counting, reading }: Meters): RetentionMetrics => ({
  logWritten: adding(
    'tenure_pdp_decision_log_written_bytes_total',
    'Bytes of records that were written to the decision log.',
  ),
  logRetired: counting(
    'tenure_pdp_decision_log_removed_segments_total',
    'Removed files of the decision log. The reason is their age, or sent: space was short and every receiver has the records.',
    'reason',
  ),
  logShareRefused: counting(
    'tenure_pdp_decision_log_share_refusals_total',
    "Questions refused because a project's share was used up while the decision log used its reserve (reserve), or because it was full.",
    'reason',
  ),
  watchRetention: (read) => {
    for (const { name, help, of } of RETENTION_GAUGES) reading(name, help, () => of(read()));
  },
});
