import { type TaskKind } from '@tenure/contracts';
import { Counter, Gauge, type Registry } from '@tenure/process';

export interface ComputeMetrics {
  readonly ended: (kind: TaskKind, failed: boolean) => void;
  /** A visit met an error, and will be repeated. */
  readonly failed: () => void;
  /** How many servers this replica works on. */
  readonly running: (count: number) => void;
}

export const createComputeMetrics = (registry: Registry): ComputeMetrics => {
  const tasks = new Counter({
    name: 'compute_tasks_total',
    help: 'Tasks that ended, by kind and outcome',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  });
  const failures = new Counter({
    name: 'compute_visit_failures_total',
    help: 'Visits of a server that met an error, and are repeated',
    registers: [registry],
  });
  const working = new Gauge({
    name: 'compute_servers_in_hand',
    help: 'Servers that this replica works on',
    registers: [registry],
  });
  return {
    ended: (kind, failed) => {
      tasks.inc({ kind, outcome: failed ? 'failed' : 'done' });
    },
    failed: () => {
      failures.inc();
    },
    running: (count) => {
      working.set(count);
    },
  };
};
