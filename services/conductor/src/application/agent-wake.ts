import { type Deadline, deadlineIn } from '@tenure/process';
import { agentAddressOf } from '../domain/agent.js';
import { pendingFields, stillWaitingFields } from '../domain/provision/fields.js';
import { type PendingProvision, pendingProvisionOf } from '../domain/provision/pending.js';
import { busyStateOf } from '../domain/provision/states.js';
import { AgentCallFailure } from '../ports/agent-client.js';
import { writeWithRetry } from './locked-write.js';
import { type NodeLock } from './node-locks.js';
import { type ProvisionExecutionOptions } from './provision-execution.js';

/** Timeout of the status request to an agent, milliseconds: another heartbeat comes soon. */
const LOOK_MS = 20_000;
const WRITE_MS = 60_000;

type CommandState = 'ended' | 'running' | 'unknown';

/**
 * Finds out whether a waiting node, whose agent has just reported, has something to go on with. If so, the node is in its
 * busy state; if not, it is released, and waits; the waiting time begins again when its agent is at work.
 */
export async function isToGoOn(
  lock: NodeLock,
  options: ProvisionExecutionOptions,
): Promise<boolean> {
  const { stopping, now } = options;
  const pending = pendingProvisionOf(lock.node());
  const state = busyStateOf(lock.node().provision_state);
  if (pending?.agent === undefined || state === undefined) {
    await lock.releaseWithRetry({});
    return false;
  }
  const commandState = await commandStateOf(lock, pending, options, deadlineIn(LOOK_MS, stopping));
  if (stopping.aborted) {
    lock.abandon();
    return false;
  }
  if (commandState !== 'ended') {
    await lock.releaseWithRetry(commandState === 'running' ? stillWaitingFields(now()) : {});
    return false;
  }
  const here = { ...pending, agent: { ...pending.agent, phase: 'here' } } as const;
  const work = { lock, deadline: deadlineIn(WRITE_MS, stopping) };
  await writeWithRetry(work, pendingFields(lock.node(), state, here, now()));
  return true;
}

/** State of the running step's command; `ended` also when there is none, or when the agent no longer has it. */
async function commandStateOf(
  lock: NodeLock,
  { agent }: PendingProvision,
  { agents }: ProvisionExecutionOptions,
  deadline: Deadline,
): Promise<CommandState> {
  const address = agentAddressOf(lock.node());
  const id = agent?.command?.id;
  if (address === undefined || id === undefined) return 'ended';
  try {
    return (await agents.get(address, id, deadline)).status === 'RUNNING' ? 'running' : 'ended';
  } catch (error) {
    // The agent answered without a command: the work reads the answer again, and records what it means.
    if (error instanceof AgentCallFailure && error.status !== undefined) return 'ended';
    return 'unknown';
  }
}
