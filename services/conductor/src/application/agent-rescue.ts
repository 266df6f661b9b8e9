import { DriverFailure } from '../domain/driver-failure.js';
import { type Fields, hashedRescuePassword } from '../domain/provision/fields.js';
import { bootAgent, pendingOf, runCommand, type Session } from './agent-session.js';

/**
 * Brings a machine into its agent's rescue environment.
 * @returns what the node is to be released with, to wait for the agent; undefined once the machine can be logged in to
 */
export async function executeRescue(session: Session): Promise<Fields | undefined> {
  if (pendingOf(session).agent?.phase !== 'here') return bootAgent(session, 0);
  return runCommand(session, () => {
    const hash = hashedRescuePassword(session.lock.node());
    if (hash === undefined)
      throw new DriverFailure('settings', 'no rescue password is stored for the node');
    const params = { rescue_password: hash, hashed: true };
    return Promise.resolve({ name: 'rescue.finalize_rescue', params });
  });
}
