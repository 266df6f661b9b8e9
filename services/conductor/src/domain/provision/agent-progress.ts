import { type Fields, membersOf } from '../members.js';

/** A command as it was given to the agent of a machine. */
export interface GivenCommand {
  readonly name: string;
  /** Ids of the commands of this name that the agent had before: any other is the one that was sent. */
  readonly idsBefore: readonly string[];
  /** Undefined until the agent has confirmed the command. */
  readonly id?: string;
}

/** How far the work with an agent is; part of the pending record. */
export interface AgentProgress {
  /**
   * `booted`: the machine was started with it, and it has not reported yet. `here`: it has. `gone`: the machine was
   * restarted or switched off since.
   */
  readonly phase: 'booted' | 'gone' | 'here';
  /** Whether the plan has the agent's own steps already. */
  readonly isPlanned: boolean;
  /** The command of the step that was begun last. */
  readonly command?: GivenCommand;
}

export const BOOTED: AgentProgress = { phase: 'booted', isPlanned: false };

const PHASES: readonly AgentProgress['phase'][] = ['booted', 'gone', 'here'];

/** The agent's progress in a record; undefined when the work has no agent. */
export function agentProgressOf(value: unknown): AgentProgress | undefined {
  const { phase: said, is_planned: isPlanned, command: given } = membersOf(value);
  const phase = PHASES.find((one) => one === said);
  if (phase === undefined) return undefined;
  const command = commandOf(given);
  return { phase, isPlanned: isPlanned === true, ...(command !== undefined && { command }) };
}

/** The progress as it is stored. */
export const toAgentRecord = ({ phase, isPlanned, command }: AgentProgress): Fields => ({
  phase,
  is_planned: isPlanned,
  ...(command !== undefined && { command: toCommandRecord(command) }),
});

/** The stored name is `known`: a conductor that cannot read it would send the command again. */
const toCommandRecord = ({ name, idsBefore, id }: GivenCommand): Fields => ({
  name,
  known: idsBefore,
  ...(id !== undefined && { id }),
});

function commandOf(value: unknown): GivenCommand | undefined {
  const { name, known: idsBefore, id } = membersOf(value);
  if (!isText(name) || !Array.isArray(idsBefore) || !idsBefore.every(isText)) return undefined;
  return { name, idsBefore, ...(isText(id) && { id }) };
}

const isText = (value: unknown): value is string => typeof value === 'string';
