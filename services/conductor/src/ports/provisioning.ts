import { type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '../deadline.js';
import { type Fields, type WorkResult } from '../domain/provision/fields.js';
import { type BusyState } from '../domain/provision/states.js';
import { type OfferedStep, type SteppedState } from '../domain/provision/steps.js';

/** What a driver is asked to do in a busy state. */
export interface Job {
  /** Proves that the lock is still ours; asked before every command. Throws `lock_lost`: nothing more must be done. */
  readonly proceed: () => Promise<void>;
}

/** A network card that an inspection found, by its MAC address in lower case. */
export interface FoundPort {
  readonly address: string;
  readonly pxeEnabled: boolean;
}

export interface JobResult extends WorkResult {
  /** What an inspection found: `{inventory, plugin_data}`. */
  readonly inventory?: Fields;
  /** Created for those that the node does not have. */
  readonly ports?: readonly FoundPort[];
}

/**
 * Does the work of one state. May be begun again after a crash, so what it did before must not hurt when it is done again.
 * Throws `DriverFailure` with a sentence that may be shown.
 */
export type PerformJob = (node: NodeRecord, job: Job, deadline: Deadline) => Promise<JobResult>;

/** A step as it is to be done. */
export interface StepCall extends Job {
  /** Checked against what the step takes. */
  readonly args: Fields;
}

export interface DriverStep extends OfferedStep {
  /** Done at most once: what was begun and is not known to be done, is never begun again. Throws as `PerformJob` does. */
  readonly run: (node: NodeRecord, call: StepCall, deadline: Deadline) => Promise<WorkResult>;
}

/** The work that a driver can do; a verb that leads to any other state is refused. */
export interface Provisioning {
  readonly jobs: Readonly<Partial<Record<BusyState, PerformJob>>>;
  /** What can be asked for in a state, beside its work. */
  readonly steps: Readonly<Partial<Record<SteppedState, readonly DriverStep[]>>>;
}
