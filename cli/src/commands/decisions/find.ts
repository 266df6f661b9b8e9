import { findDecision, type LoggedDecision } from '@tenure/decision-log';

/**
 * The record with a decision id.
 * @param dir directory of decision logs
 * @throws Error when there is none
 */
export async function decisionById(dir: string, id: string): Promise<LoggedDecision> {
  const decision = await findDecision(dir, id);
  if (decision === undefined) throw new Error(`there is no decision ${id} in ${dir}`);
  return decision;
}
