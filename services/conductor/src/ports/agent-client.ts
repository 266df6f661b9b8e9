import { type Deadline } from '@tenure/process';
import { type AgentAddress } from '../domain/agent.js';
import { CallFailure } from '../domain/call-failure.js';
import { type Fields } from '../domain/members.js';

/** A command of the agent, as `standby.prepare_image`. */
export interface AgentCommand {
  readonly name: string;
  readonly params: Fields;
}

/** A command as the agent reports it; its name without the extension, as `prepare_image`. */
export interface AgentCommandStatus {
  readonly id: string;
  readonly name: string;
  readonly status: 'CLEAN_VERSION_MISMATCH' | 'FAILED' | 'RUNNING' | 'SUCCEEDED';
  readonly result: unknown;
  /** The agent's error text: one line, shortened. */
  readonly error: string | undefined;
}

/** A call of the agent that failed. `message` is safe to show: neither address nor token is in it. */
export class AgentCallFailure extends CallFailure {}

/** The ironic-python-agent on a machine. Everything throws `AgentCallFailure`, nothing later than its deadline. */
export interface AgentClient {
  /**
   * Gives a command, once.
   * @param wait whether the answer comes when the command has ended, and not as soon as it is taken
   */
  readonly send: (
    address: AgentAddress,
    command: AgentCommand & { readonly wait: boolean },
    deadline: Deadline,
  ) => Promise<AgentCommandStatus>;
  readonly get: (
    address: AgentAddress,
    id: string,
    deadline: Deadline,
  ) => Promise<AgentCommandStatus>;
  /** Every command that the agent was given since it started, the oldest first. */
  readonly list: (
    address: AgentAddress,
    deadline: Deadline,
  ) => Promise<readonly AgentCommandStatus[]>;
  /**
   * The IP address at which the agent with this URL is to be called: one of the named networks, or the very address that its
   * report came from. A name is resolved once, here.
   * @param from where the report came from; undefined when that is not certain
   * @returns undefined when it is not called at all
   */
  readonly addressFor: (url: string, from: string | undefined) => Promise<string | undefined>;
}
