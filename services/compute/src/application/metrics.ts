import { type TaskKind } from '@tenure/contracts';
import { Gauge, metersOn, type Registry } from '@tenure/process';

export interface ComputeMetrics {
  readonly ended: (kind: TaskKind, failed: boolean) => void;
  /** A visit met an error, and will be repeated. */
  readonly failed: () => void;
  /** How many servers this replica works on. */
  readonly running: (count: number) => void;
}

export function createComputeMetrics(registry: Registry): ComputeMetrics {
  const { counting } = metersOn(registry);
  const tasks = counting(
    'tenure_compute_tasks_total',
    'Tasks that ended, by kind and outcome.',
    'kind',
    'outcome',
  );
  const working = new Gauge({
    name: 'tenure_compute_servers_in_progress',
    help: 'Servers that this replica works on.',
    registers: [registry],
  });
  return {
    ended: (kind, failed) => {
      tasks(kind, failed ? 'failed' : 'done');
    },
    failed: counting(
      'tenure_compute_visit_failures_total',
      'Visits of a server that failed and are repeated.',
    ),
    running: (count) => {
      working.set(count);
    },
  };
}
