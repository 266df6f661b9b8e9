import { BOOTED } from '../domain/provision/agent-progress.js';
import {
  doneFields,
  type Fields,
  inspectBootedFields,
  inspectWaitFields,
} from '../domain/provision/fields.js';
import { type PendingProvision } from '../domain/provision/pending.js';
import { agentBootOf, type BootSession, startAgent } from './agent-session.js';
import { jobUnder } from './work-job.js';

/**
 * An inspection by an agent: boots it where the conductor can, and otherwise waits for one that is booted another way. Once
 * the agent has handed in what it found, takes it off the machine again.
 * @returns what the node is to be released with
 */
export async function executeInspection(
  session: BootSession,
  pending: PendingProvision,
): Promise<Fields> {
  const { lock, options, deadline } = session;
  const boot = agentBootOf(options.driverOf, lock.node());
  if (boot === undefined) return inspectWaitFields(lock.node(), options.now());
  if (pending.agent?.phase === 'here') {
    const left = await boot.leave(lock.node(), jobUnder(session, 'end of inspecting'), deadline);
    return doneFields(lock.node(), 'inspecting', left, options.now());
  }
  const started = await startAgent(session, { ...pending, agent: BOOTED });
  return inspectBootedFields(lock.node(), started, options.now());
}
