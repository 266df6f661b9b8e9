import { type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '../deadline.js';
import { type Fields, type WorkResult } from '../domain/provision/fields.js';
import { type ProvisionStep } from '../domain/provision/order.js';
import { type BusyState } from '../domain/provision/states.js';

/** What a driver is asked to do in a busy state. */
export interface Job {
  /** In their order; empty unless the driver takes steps and some were asked for. */
  readonly steps: readonly ProvisionStep[];
  /** Proves that the lock is still ours; asked before every command. Throws `lock_lost`: nothing more must be done. */
  readonly proceed: () => Promise<void>;
}

export interface JobResult extends WorkResult {
  /** What an inspection found: `{inventory, plugin_data}`. */
  readonly inventory?: Fields;
}

/**
 * Does the work of one state. May be begun again after a crash, so what it did before must not hurt when it is done again.
 * Throws `DriverFailure` with a sentence that may be shown.
 */
export type PerformJob = (node: NodeRecord, job: Job, deadline: Deadline) => Promise<JobResult>;

/** The work that a driver can do; a verb that leads to any other state is refused. */
export interface Provisioning {
  readonly jobs: Readonly<Partial<Record<BusyState, PerformJob>>>;
  readonly takesSteps: boolean;
}
