import { type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { type Attempt } from '../domain/attempt.js';
import { type Fields, type WorkResult } from '../domain/provision/fields.js';
import { type BusyState } from '../domain/provision/states.js';
import { type OfferedStep, type SteppedState } from '../domain/provision/steps.js';
import { type AgentCommand } from './agent-client.js';

/** What a driver is asked to do in a busy state. */
export interface Job {
  /** Proves that the lock is still ours; asked before every command. Throws `lock_lost`: nothing more must be done. */
  readonly proceed: () => Promise<void>;
  /**
   * Does a part of the work unless it is known to be done. It proves the lock first, and writes down what was done with the
   * fields of the result. So work that was interrupted goes on with the part in which it was interrupted.
   * @param name unique within the job or step
   * @param act gets what was recorded of earlier attempts at the part
   */
  readonly part: (name: string, act: (attempt: Attempt) => Promise<WorkResult>) => Promise<void>;
  /** What `read` found when it was asked first, also in an earlier life of a conductor. */
  readonly noted: (name: string, read: () => Promise<string>) => Promise<string>;
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

/** Gives the agent a command that may be given twice without harm, waits for its end, and returns what it answers. */
export type AskAgent = (command: AgentCommand) => Promise<unknown>;

/** A step as it is to be done. */
export interface StepCall extends Job {
  /** Checked against what the step takes. */
  readonly args: Fields;
}

export interface DriverStep extends OfferedStep {
  /** Done at most once: what was begun and is not known to be done, is never begun again. Throws as `PerformJob` does. */
  readonly run: (node: NodeRecord, call: StepCall, deadline: Deadline) => Promise<WorkResult>;
  /** What `run` does may be done again after a crash without harm. */
  readonly isRepeatable?: true;
  /** All that `run` changes is in parts: after a crash it goes on with the part that is not known to be done. */
  readonly isInParts?: true;
  /** What the agent does before `run`; it is waited for without the lock. Undefined when there is nothing for it to do. */
  readonly command?: (node: NodeRecord, ask: AskAgent) => Promise<AgentCommand | undefined>;
  /** The agent is booted instead of `run`, and the next step has to wait for it. */
  readonly bootsAgent?: true;
}

/** What a machine is to be booted from. */
interface BootJob {
  readonly job: Job;
  /** Address of the ISO image of this boot; a secret, as the image is. */
  readonly image: string;
}

/** How an agent comes onto a machine, and how it leaves. Each may be begun again after a crash. */
export interface AgentBoot {
  readonly isPossible: (node: NodeRecord) => boolean;
  /** Starts the machine with the agent; the agent reports later. */
  readonly boot: (node: NodeRecord, boot: BootJob, deadline: Deadline) => Promise<WorkResult>;
  /** Switches the machine off, and takes out what the agent was booted from. */
  readonly leave: PerformJob;
  /** Starts the machine from its own disk, without the agent. */
  readonly startInstance: PerformJob;
}

/** The work that a driver can do; a verb that leads to any other state is refused. */
export interface Provisioning {
  readonly jobs: Readonly<Partial<Record<BusyState, PerformJob>>>;
  /** Whether the job of `cleaning` cleans the machine; without it only steps do. */
  readonly cleansByJob?: true;
  /** What can be asked for in a state, beside its work. */
  readonly steps: Readonly<Partial<Record<SteppedState, readonly DriverStep[]>>>;
  /** Undefined for hardware on which no agent is booted. */
  readonly agent?: AgentBoot;
  /** Whether a deployment is one of steps by the agent. */
  readonly isDeployedByAgent?: (node: NodeRecord) => boolean;
  /**
   * Checks what a node says of itself for the work of a state, without asking the hardware.
   * @throws DriverFailure
   */
  readonly check?: (node: NodeRecord, state: BusyState) => void;
}
