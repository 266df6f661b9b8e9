import { type LoggedDecision, newestDecisions } from '@tenure/decision-log';

/**
 * The record with a decision id.
 * @param dir directory of decision logs
 * @throws Error when there is none
 */
export const findDecision = async (dir: string, id: string): Promise<LoggedDecision> => {
  const wanted = Buffer.from(JSON.stringify(id));
  const reading = newestDecisions(dir, { mayMatch: (line) => line.includes(wanted) });
  for await (const decision of reading) if (decision.record['decision_id'] === id) return decision;
  throw new Error(`there is no decision ${id} in ${dir}`);
};
