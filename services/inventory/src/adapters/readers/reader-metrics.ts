import { Counter, Gauge, type Registry } from '@tenure/process';

/** The outcome of a request at a reader. */
type ReadOutcome = 'answered' | 'handed_back' | 'failed';
/** The reason why a request got no response from a reader. */
export type RefusalReason = 'full' | 'deadline' | 'ended';

/** Metrics of the readers. */
export interface ReaderMetrics {
  readonly read: (reader: number, outcome: ReadOutcome) => void;
  readonly refused: (reason: RefusalReason) => void;
  readonly restarted: () => void;
}

/**
 * Registers the metrics.
 * @param waiting number of requests that wait for a reader now
 */
export function createReaderMetrics(registry: Registry, waiting: () => number): ReaderMetrics {
  const requests = new Counter({
    name: 'tenure_inventory_reader_requests_total',
    help: 'Lists by reader thread and outcome: answered, handed_back (the list would write) or failed.',
    labelNames: ['reader', 'outcome'],
    registers: [registry],
  });
  const refused = new Counter({
    name: 'tenure_inventory_reader_refused_total',
    help: 'Lists answered 503, by reason: full (the queue was full), deadline or ended (the reader ended).',
    labelNames: ['reason'],
    registers: [registry],
  });
  const restarts = new Counter({
    name: 'tenure_inventory_reader_restarts_total',
    help: 'Reader threads started to replace one that ended or hung.',
    registers: [registry],
  });
  new Gauge({
    name: 'tenure_inventory_reader_waiting',
    help: 'Lists in the queue for a reader thread.',
    registers: [registry],
    collect() {
      this.set(waiting());
    },
  });
  return {
    read: (reader, outcome) => {
      requests.inc({ reader: String(reader), outcome });
    },
    refused: (reason) => {
      refused.inc({ reason });
    },
    restarted: () => {
      restarts.inc();
    },
  };
}
