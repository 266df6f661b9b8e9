import { Gauge, Histogram, metersOn, type Registry } from '@tenure/process';
import { type Outcome } from './allocate.js';

export interface AllocationMetrics {
  /** @param seconds from the start of the run */
  readonly ended: (outcome: Outcome, seconds: number) => void;
  readonly recovered: (count: number) => void;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Registers the metrics of the processing. `size` is called when they are read. */
export function createAllocationMetrics(
  registry: Registry,
  size: () => { readonly running: number; readonly waiting: number },
): AllocationMetrics {
  const registers = [registry];
  const { adding, counting } = metersOn(registry);
  const total = counting(
    'tenure_allocation_results_total',
    'Runs over an allocation, by how they ended.',
    'outcome',
  );
  const duration = new Histogram({
    name: 'tenure_allocation_duration_seconds',
    help: 'Duration of a run over an allocation.',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers,
  });
  const jobs = new Gauge({
    name: 'tenure_allocation_jobs',
    help: 'Allocations in progress or queued in this replica.',
    labelNames: ['state'],
    registers,
    collect: () => {
      const { running, waiting } = size();
      jobs.set({ state: 'running' }, running);
      jobs.set({ state: 'waiting' }, waiting);
    },
  });
  return {
    ended: (outcome, seconds) => {
      total(outcome);
      duration.observe({ outcome }, seconds);
    },
    recovered: adding(
      'tenure_allocation_recovered_total',
      'Acknowledged allocations that were found unfinished and resumed.',
    ),
  };
}
