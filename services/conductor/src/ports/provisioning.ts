import { type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { type Attempt } from '../domain/attempt.js';
import { type Fields, type WorkResult } from '../domain/provision/fields.js';
import { type BusyState } from '../domain/provision/states.js';
import { type OfferedStep, type SteppedState } from '../domain/provision/steps.js';
import { type AgentCommand } from './agent-client.js';

/** The job that a driver does in a busy state. */
export interface Job {
  /** Proves that the lock is still ours; called before every command. Throws `lock_lost`: nothing more must be done. */
  readonly proceed: () => Promise<void>;
  /**
   * Does a part of the work unless it is recorded as done. It proves the lock first, then records the part as done together
   * with the fields of the result. Interrupted work therefore goes on with the part in which it was interrupted.
   * @param name unique within the job or step
   * @param act gets the record of earlier attempts at the part
   */
  readonly part: (name: string, act: (attempt: Attempt) => Promise<WorkResult>) => Promise<void>;
  /** The first result of `read`; it is recorded, and so stays the same after a restart. */
  readonly noted: (name: string, read: () => Promise<string>) => Promise<string>;
}

/** A network card that an inspection found, by its MAC address in lower case. */
export interface FoundPort {
  readonly address: string;
  readonly pxeEnabled: boolean;
}

export interface JobResult extends WorkResult {
  /** The document of an inspection: `{inventory, plugin_data}`. */
  readonly inventory?: Fields;
  /** Created for those that the node does not have. */
  readonly ports?: readonly FoundPort[];
}

/**
 * Does the work of one state. It may be begun again after a crash, so it must be safe to repeat. Throws `DriverFailure` with
 * a message that is safe to return.
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
  /** Runs at most once: a step that was begun and is not recorded as done is never begun again. Throws as `PerformJob` does. */
  readonly run: (node: NodeRecord, call: StepCall, deadline: Deadline) => Promise<WorkResult>;
  /** What `run` does may be done again after a crash without harm. */
  readonly isRepeatable?: true;
  /** All changes of `run` are in parts: after a crash it goes on with the first part that is not recorded as done. */
  readonly isInParts?: true;
  /** The agent's command before `run`; its end is awaited without the lock. Undefined when there is none. */
  readonly command?: (node: NodeRecord, ask: AskAgent) => Promise<AgentCommand | undefined>;
  /** The agent is booted instead of `run`, and the next step has to wait for it. */
  readonly bootsAgent?: true;
}

/** The image that a machine is to be booted from. */
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
  /** The steps that can be requested in a state, beside its work. */
  readonly steps: Readonly<Partial<Record<SteppedState, readonly DriverStep[]>>>;
  /** Undefined for hardware on which no agent is booted. */
  readonly agent?: AgentBoot;
  /** Whether a deployment is one of steps by the agent. */
  readonly isDeployedByAgent?: (node: NodeRecord) => boolean;
  /**
   * Checks the settings of a node for the work of a state, without a request to the hardware.
   * @throws DriverFailure
   */
  readonly check?: (node: NodeRecord, state: BusyState) => void;
}
